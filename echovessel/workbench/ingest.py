"""A labelled talk in a memory file of its own, with its vectors."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from echovessel.clock import FixedClock
from echovessel.embedding import Embedder
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope
from echovessel.samples.store import store_talk
from echovessel.workbench.labelled import Talk
from echovessel.workbench.pool import Over

PERSONA = "bench"
OWNER = "owner"
BATCH = 256


@dataclass(frozen=True)
class Stored:
    """A talk in its memory file.

    Attributes
    ----------
    item_of : dict
        Ids of stored messages and nodes to ids of turns and gold memories.
    seconds : float
        How long storing took, without the making of vectors.
    """

    memory: Memory
    item_of: dict[str, str]
    seconds: float

    def close(self) -> None:
        """Close the file."""
        self.memory.close()


def scope_of(talk: Talk) -> Scope:
    """A solo talk is between the owner and the persona; any other is a group's."""
    if talk.kind == "solo":
        return Scope.user(OWNER)
    return Scope.group(re.sub(r"[^\w.@-]", "-", talk.id).strip("-_")[:64] or "talk")


def store(talk: Talk, path: Path, *, over: Over, embedder: Embedder | None) -> Stored:
    """Put a talk into a new memory file, with gold memories unless only messages are gone over.

    The clock stands at the end of the talk.
    """
    started = time.perf_counter()
    memory = Memory.open(
        path,
        persona=PERSONA,
        scope=scope_of(talk),
        embedder=embedder.identity if embedder else None,
        clock=FixedClock(talk.end),
    )
    try:
        item_of = store_talk(memory, talk, memories=over is not Over.MESSAGES)
        embedding = fill_vectors(memory, embedder) if embedder else 0.0
    except BaseException:
        memory.close()
        raise
    return Stored(memory, item_of, time.perf_counter() - started - embedding)


def fill_vectors(memory: Memory, embedder: Embedder) -> float:
    """Work off the queue of rows without a vector, as the running program's worker does.

    Returns
    -------
    Seconds that the embedder took.
    """
    spent = 0.0
    while waiting := memory.vectors.pending(BATCH):
        started = time.perf_counter()
        vectors = embedder.embed([row.passage for row in waiting], kind="passage")
        spent += time.perf_counter() - started
        memory.vectors.fill(waiting, vectors)
    return spent
