"""Consolidation reads, writes and embeds in threads: whoever talks meanwhile never waits for the disk."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from echovessel.embedding import Embedder, Vectors
from echovessel.memory.engine import Store
from echovessel.mind.consolidation import Consolidator, State
from echovessel.mind.settings import MindSettings
from echovessel.mind.slow_tick import slow_tick
from echovessel.models.language import ScriptedModel
from tests.mind import dying


class Watched:
    """An embedder that notes from which thread it is asked."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.identity = dying.EMBEDDER.identity
        self._note = note

    def embed(self, texts: Sequence[str], *, kind: Any) -> Vectors:
        self._note("embed")
        return dying.EMBEDDER.embed(texts, kind=kind)


@pytest.fixture
def blocking(monkeypatch: pytest.MonkeyPatch) -> tuple[Embedder, dict[bool, list[str]]]:
    """What blocks, by whether it was called on the loop; and an embedder that takes part."""
    calls: dict[bool, list[str]] = {True: [], False: []}

    def note(what: str) -> None:
        try:
            on_the_loop = asyncio.get_running_loop() is not None
        except RuntimeError:
            on_the_loop = False
        calls[on_the_loop].append(f"{what} in {threading.current_thread().name}")

    for name in ("rows", "row", "run", "run_many", "insert", "write", "read"):
        method = getattr(Store, name)

        def watched(self: Store, *args: Any, _name: str = name, _method: Any = method, **kwargs: Any) -> Any:
            note(_name)
            return _method(self, *args, **kwargs)

        monkeypatch.setattr(Store, name, watched)
    return Watched(note), calls


def test_every_stage_leaves_the_loop_free(
    tmp_path: Path, blocking: tuple[Embedder, dict[bool, list[str]]]
) -> None:
    embedder, calls = blocking
    dying.begin(tmp_path / "m.db")
    with closing(dying.opened(tmp_path / "m.db")) as memory:
        memory.sessions.close_all()
        mind = Consolidator(memory, embedder, ScriptedModel(dying.answer))
        for before in calls.values():
            before.clear()

        (done,) = asyncio.run(mind.run_pending())

        assert done.state is State.SETTLED
        assert len(done.thoughts) == 4  # a thought, the narrative, a portrait, an intention
        assert calls[True] == []
        assert sum(call.startswith("embed") for call in calls[False]) >= 4
        assert len(calls[False]) > 50


def test_a_round_that_is_held_or_fails_leaves_it_free_too(
    tmp_path: Path, blocking: tuple[Embedder, dict[bool, list[str]]]
) -> None:
    embedder, calls = blocking
    dying.begin(tmp_path / "m.db")
    with closing(dying.opened(tmp_path / "m.db")) as memory:
        for before in calls.values():
            before.clear()

        for settings in (MindSettings(slow_tick=False), MindSettings()):
            asyncio.run(slow_tick(memory, embedder, ScriptedModel([]), settings=settings))

        assert calls[True] == []
        assert calls[False]
