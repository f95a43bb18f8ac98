"""A labelled talk put into a memory file, through the public API alone."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from echovessel.clock import FixedClock
from echovessel.embedding import Embedder
from echovessel.errors import FormatError
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, Scope, Source
from echovessel.workbench.labelled import LabelledMemory, Talk, Turn
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
        How long storing took, vectors made beforehand.
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
    """Put a talk into a new memory file.

    Every turn becomes a message with its speaker, role, time, zone and session. What a picture shows stands
    in brackets after the text, as `Turn.said` has it. Over `events` and `memory`, entities with their
    aliases and gold memories with their sources, dates and supersessions are stored too, as a perfect
    extraction would have left them.

    The clock stands at the end of the talk.
    """
    embed_ahead(talk, over, embedder)
    started = time.perf_counter()
    memory = Memory.open(
        path,
        persona=PERSONA,
        scope=scope_of(talk),
        embedder=embedder.identity if embedder else None,
        clock=FixedClock(talk.end),
    )
    try:
        message_of = _store_messages(talk, memory)
        item_of = {message: turn for turn, message in message_of.items()}
        if over is not Over.MESSAGES:
            item_of |= _store_memories(talk, memory, message_of)
        if embedder:
            fill_vectors(memory, embedder)
    except BaseException:
        memory.close()
        raise
    return Stored(memory, item_of, time.perf_counter() - started)


def embed_ahead(talk: Talk, over: Over, embedder: Embedder | None) -> None:
    """Make the vectors of texts that will be stored, so that a cached embedder has them at hand."""
    if embedder is None:
        return
    embedder.embed([turn.said for turn in talk.turns()], kind="passage")
    if over is not Over.MESSAGES:
        embedder.embed([memory.node.text for memory in talk.memories], kind="passage")


def fill_vectors(memory: Memory, embedder: Embedder) -> None:
    """Work off the queue of rows without a vector, as the running program's worker does."""
    while waiting := memory.vectors.pending(BATCH):
        memory.vectors.fill(waiting, embedder.embed([row.text for row in waiting], kind="passage"))


def _store_messages(talk: Talk, memory: Memory) -> dict[str, str]:
    pairs = [(session.id, turn) for session in talk.sessions for turn in session.turns]
    stored = memory.log.add_many(_message(turn, session, talk) for session, turn in pairs)
    return {turn.id: message.id for (_, turn), message in zip(pairs, stored, strict=True)}


def _message(turn: Turn, session: str, talk: Talk) -> NewMessage:
    return NewMessage(
        turn.said,
        sender=turn.role,
        sender_name=turn.speaker,
        sent_at=turn.at,
        zone=talk.zone,
        channel="bench",
        external_id=turn.id,
        session=session,
    )


def _store_memories(talk: Talk, memory: Memory, message_of: dict[str, str]) -> dict[str, str]:
    shared = memory.within(Scope.shared())
    start = min(turn.at for turn in talk.turns())
    entity_of = {
        entity.id: memory.directory.add(entity.name, kind=entity.kind, aliases=entity.aliases).id
        for entity in talk.entities
    }
    node_of: dict[str, str] = {}
    for gold in in_order(talk.memories):
        node = replace(
            gold.node,
            sources=tuple(Source(message=message_of[turn], quote=quote) for turn, quote in gold.sources),
            entities=() if gold.shared else tuple(entity_of[name] for name in gold.entities),
            supersedes=tuple(node_of[name] for name in gold.supersedes),
            # The persona's own life, which nobody told it in this talk, was known before the talk.
            known_at=None if gold.sources else start,
        )
        node_of[gold.id] = (shared if gold.shared else memory).nodes.add(node).id
    return {node: name for name, node in node_of.items()}


def in_order(memories: Sequence[LabelledMemory]) -> list[LabelledMemory]:
    """Every memory after those that it supersedes.

    Raises
    ------
    FormatError
        Two memories supersede each other.
    """
    by_id = {memory.id: memory for memory in memories}
    done: dict[str, LabelledMemory] = {}

    def visit(memory: LabelledMemory, waiting: frozenset[str]) -> None:
        if memory.id in waiting:
            raise FormatError(f"memory {memory.id} supersedes itself in the end. Mend the labels.")
        if memory.id not in done:
            for name in memory.supersedes:
                visit(by_id[name], waiting | {memory.id})
            done[memory.id] = memory

    for memory in memories:
        visit(memory, frozenset())
    return list(done.values())
