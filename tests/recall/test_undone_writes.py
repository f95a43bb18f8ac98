"""A recall inside a write sees it; when the write is undone, no recall sees anything of it, nor misses what follows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from echovessel.errors import NotFoundError
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.recall.index import HotIndex
from echovessel.memory.records import Scope

Open = Callable[..., Memory]
ROOT = Path(__file__).resolve().parents[2]


def texts(memory: Memory) -> list[str]:
    """What holds the word, whatever the gate."""
    hits = memory.recall("violin", weights=Weights.default().with_(min_relevance=0.0), k=100).hits
    return sorted(hit.text for hit in hits if hit.factors.lexical > 0)


def undone(memory: Memory, text: str) -> None:
    """Write an event, recall it, and fail."""
    with suppress(ZeroDivisionError), memory.context.store.write():
        memory.add_event(text)
        assert text in texts(memory)
        raise ZeroDivisionError


def test_a_recall_inside_a_write_that_fails_leaves_nothing_behind(memory: Memory) -> None:
    memory.add_event("violin one")
    assert texts(memory) == ["violin one"]

    undone(memory, "violin never")

    assert texts(memory) == ["violin one"]


def test_what_is_written_next_takes_the_numbers_of_what_was_undone_and_is_found(memory: Memory) -> None:
    memory.add_event("violin one")
    undone(memory, "violin never")
    memory.add_event("violin two")

    assert texts(memory) == ["violin one", "violin two"]


def test_an_undone_deletion_is_none(memory: Memory) -> None:
    node = memory.add_event("violin one")
    with suppress(ZeroDivisionError), memory.context.store.write():
        memory.nodes.edit(node.id, text="piano one")
        assert texts(memory) == []
        raise ZeroDivisionError

    assert texts(memory) == ["violin one"]


def test_a_refused_write_costs_no_index(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals are common and undo a write too; only an index that had looked inside one is made anew."""
    memory.add_event("violin one")
    texts(memory)
    made = []
    load = HotIndex._load
    monkeypatch.setattr(HotIndex, "_load", lambda self: (made.append(self), load(self))[1])
    with pytest.raises(NotFoundError):
        memory.nodes.pin("no such node")
    memory.add_event("violin two")

    assert texts(memory) == ["violin one", "violin two"]
    assert made == []


def test_a_recall_inside_a_write_that_is_kept_stays(memory: Memory) -> None:
    with memory.context.store.write():
        memory.add_event("violin one")
        assert texts(memory) == ["violin one"]
    memory.add_event("violin two")

    assert texts(memory) == ["violin one", "violin two"]


OTHER = """
import sys
from echovessel import Memory, Scope
with Memory.open(sys.argv[1], persona="lin", scope=Scope.user("mei")) as memory:
    for line in sys.stdin:
        do, text = line.strip().split(" ", 1)
        if do == "add":
            print(memory.add_event(text).id, flush=True)
        else:
            memory.nodes.edit(do, text=text)
            print("done", flush=True)
"""


def test_what_another_process_writes_is_in_the_next_recall(
    memory: Memory, open_memory: Open, tmp_path: Path
) -> None:
    memory.add_event("violin one")
    texts(memory)
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, str(tmp_path / "memory.db")],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdin is not None
        assert other.stdout is not None

        def tell(line: str) -> str:
            assert other.stdin is not None
            assert other.stdout is not None
            other.stdin.write(line + "\n")
            other.stdin.flush()
            return other.stdout.readline().strip()

        second = tell("add violin two")
        assert texts(memory) == ["violin one", "violin two"]
        memory.add_event("violin three")
        tell(f"{second} piano two")
        assert texts(memory) == ["violin one", "violin three"]
        other.stdin.close()

    fresh = open_memory().recall("violin")
    here = memory.recall("violin")
    assert (fresh.hits, fresh.dropped, fresh.considered) == (here.hits, here.dropped, here.considered)
    assert memory.within(Scope.user("tom")).recall("violin").considered == 0
