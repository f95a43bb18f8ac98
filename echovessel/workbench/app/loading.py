"""A labelled file put on the shelf, to be looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from echovessel.clock import FixedClock
from echovessel.embedding import Embedder
from echovessel.errors import InputError
from echovessel.memory.memory import Memory
from echovessel.memory.records import ScopeKind
from echovessel.runtime.config import Config
from echovessel.runtime.home import FILE
from echovessel.runtime.vessel import Vessel
from echovessel.runtime.worker import embed_pending
from echovessel.samples.store import store_persona, store_talk
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.ingest import OWNER, PERSONA, scope_of
from echovessel.workbench.labelled import LabelledSet, read_labelled

FIRST_QUESTIONS = 6


@dataclass(frozen=True)
class Choice:
    """One talk of a file, as the page offers it."""

    id: str
    turns: int
    memories: int
    questions: int


def read(path: str) -> LabelledSet:
    """The file or folder at a path.

    Raises
    ------
    InputError
        No path.
    FormatError
        It can't be read, or is in no known format.
    """
    if not path.strip():
        raise InputError(
            "no file named. Give the path of a LoCoMo-like file or of a conversation of our own form."
        )
    return read_labelled(Path(path.strip().strip("\"'")).expanduser())


def choices(labelled: LabelledSet) -> list[Choice]:
    """The talks of a file with what they hold."""
    return [
        Choice(talk.id, sum(1 for _ in talk.turns()), len(talk.memories), len(talk.questions))
        for talk in labelled.talks
    ]


def load(
    labelled: LabelledSet,
    talk: str,
    embedder: Embedder,
    *,
    progress: Callable[[float], None] = lambda part: None,
) -> Opened:
    """Put one talk into a memory of its own, in a temporary folder that `Opened.close` deletes.

    Parameters
    ----------
    progress : callable
        Called with the part that is done, 0..1.

    Raises
    ------
    InputError
        The file has no such talk.
    """
    found = next((one for one in labelled.talks if one.id == talk), None)
    if found is None:
        raise InputError(f"the file has no talk {talk!r}. Choose one of the list.")
    folder = TemporaryDirectory(prefix="echovessel-look-", ignore_cleanup_errors=True)
    scope = scope_of(found)
    clock = FixedClock(found.end)
    memory = Memory.open(
        Path(folder.name) / FILE, persona=PERSONA, scope=scope, embedder=embedder.identity, clock=clock
    )
    try:
        store_persona(memory, found)
        store_talk(memory, found)
        progress(0.1)
        waiting = max(sum(1 for _ in found.turns()) + len(found.memories), 1)
        embed_pending(
            memory.vectors, embedder, progress=lambda made: progress(0.1 + 0.9 * min(made / waiting, 1.0))
        )
    except BaseException:
        memory.close()
        folder.cleanup()
        raise
    code = f"Vessel.open({folder.name!r}, persona={PERSONA!r}, user={OWNER!r})"
    if scope.kind is ScopeKind.GROUP:
        code += f".for_group({scope.name!r})"
    questions = tuple(question.text for question in found.questions[:FIRST_QUESTIONS])
    vessel = Vessel(memory, embedder, Config())
    return Opened(found.id, vessel, code, questions, now=found.end, folder=folder, brought="labels")
