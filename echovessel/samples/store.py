"""A labelled talk put into a memory, through its public parts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from echovessel.errors import FormatError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Actor, CoreLabel, NewMessage, Scope, ScopeKind, Source
from echovessel.samples.talk import LabelledMemory, Talk, Turn

CHANNEL = "talk"


def store_talk(memory: Memory, talk: Talk, *, memories: bool = True) -> dict[str, str]:
    """Put a talk into a memory.

    Every turn becomes a message with its speaker, role, time, zone and session. What a picture shows stands
    in brackets after the text, as `Turn.said` has it. With `memories`, entities with their aliases and gold
    memories with their sources, dates and supersessions are stored too, as a perfect extraction would have
    left them.

    Returns
    -------
    Ids of stored messages and nodes, each with the id of its turn or gold memory.
    """
    message_of = _store_messages(talk, memory)
    known = {message: turn for turn, message in message_of.items()}
    return known | _store_memories(talk, memory, message_of) if memories else known


def store_persona(memory: Memory, talk: Talk) -> None:
    """Say who talks: names, zone, core blocks and moods, as far as the labels tell.

    What a user's core blocks hold is left out of a group's memory, where they have no place.
    """
    who, scope = talk.persona, memory.context.scope
    memory.personas.set_zone(talk.zone)
    if who.name:
        memory.personas.set_name(who.name)
    alone = scope.kind is ScopeKind.USER
    if who.user and alone:
        memory.personas.set_name(who.user, scope=scope)
    for label, text in who.core:
        if alone or label not in (CoreLabel.USER, CoreLabel.RELATIONSHIP):
            memory.core.set(label, text, actor=Actor.IMPORT)
    for mood in who.moods:
        memory.moods.set(mood)


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
        channel=CHANNEL,
        external_id=turn.id,
        session=session,
    )


def _store_memories(talk: Talk, memory: Memory, message_of: dict[str, str]) -> dict[str, str]:
    shared = memory.within(Scope.shared())
    start = min(turn.at for turn in talk.turns())
    # Whoever belongs to the persona's own life is known in every talk; the others only in this one.
    own = {name for gold in talk.memories if gold.shared for name in gold.entities}
    entity_of = {
        entity.id: (shared if entity.id in own else memory)
        .directory.add(entity.name, kind=entity.kind, aliases=entity.aliases)
        .id
        for entity in talk.entities
    }
    by_id = {gold.id: gold for gold in talk.memories}
    node_of: dict[str, str] = {}
    for gold in in_order(talk.memories):
        told = max((talk.turn[turn].at for turn, _ in gold.sources), default=start)
        node = replace(
            gold.node,
            # The persona's own life is shared, and nothing shared rests on what one user heard.
            sources=()
            if gold.shared
            else tuple(Source(message=message_of[turn], quote=quote) for turn, quote in gold.sources),
            entities=tuple(entity_of[name] for name in gold.entities),
            # A fact gives way only to one of its own kind; an expectation that is over says so by its status.
            supersedes=tuple(
                node_of[name] for name in gold.supersedes if by_id[name].node.kind is gold.node.kind
            ),
            known_at=told if gold.shared else None,
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
