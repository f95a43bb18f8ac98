"""A conversation of our own as a labelled talk."""

from __future__ import annotations

from datetime import datetime

from echovessel.memory.records import (
    CoreLabel,
    Mood,
    NewNode,
    NodeKind,
    NodeStatus,
    Origin,
    RelationalTag,
    Sender,
    Subject,
)
from echovessel.samples.conversation import Conversation, GoldMemory, Query
from echovessel.samples.talk import (
    LabelledEntity,
    LabelledMemory,
    LabelledPersona,
    Question,
    Talk,
    TalkSession,
    Turn,
)


def talk_of(conversation: Conversation) -> Talk:
    """The talk of a labelled conversation; its questions are asked after its last turn."""
    speaker = conversation.speaker
    sessions = tuple(
        TalkSession(
            session.id,
            tuple(
                Turn(
                    turn.id,
                    speaker[turn.speaker].name,
                    Sender(speaker[turn.speaker].role),
                    turn.at,
                    turn.text,
                )
                for turn in session.turns
            ),
        )
        for session in conversation.sessions
    )
    end = max(turn.at for session in sessions for turn in session.turns)
    replaced: dict[str, list[str]] = {}
    for memory in conversation.memories:
        if memory.superseded_by:
            replaced.setdefault(memory.superseded_by, []).append(memory.id)
    return Talk(
        conversation.id,
        conversation.zone,
        conversation.kind,
        sessions,
        tuple(_question(query, end) for query in conversation.queries),
        tuple(_memory(memory, tuple(replaced.get(memory.id, ()))) for memory in conversation.memories),
        tuple(
            LabelledEntity(e.id, e.name, e.kind, tuple(alias.text for alias in e.aliases))
            for e in conversation.entities
        ),
        _persona(conversation),
    )


def _persona(conversation: Conversation) -> LabelledPersona:
    card = conversation.persona
    core = (
        (CoreLabel.PERSONA, card.persona),
        (CoreLabel.SELF, card.self),
        (CoreLabel.STYLE, card.style),
        (CoreLabel.USER, conversation.about_user),
        (CoreLabel.RELATIONSHIP, conversation.relationship),
    )
    felt = ((session.mood_end, session.turns[-1].at) for session in conversation.sessions)
    return LabelledPersona(
        card.name,
        next((speaker.name for speaker in conversation.speakers if speaker.role == "user"), ""),
        tuple((label, text) for label, text in core if text),
        tuple(Mood(mood.mood, mood.energy, mood.last_user_signal, at) for mood, at in felt),
    )


def _question(query: Query, end: datetime) -> Question:
    return Question(
        query.id,
        query.type,
        query.text,
        query.language,
        tuple(query.evidence.turns),
        end,
        query.answer,
        tuple(query.evidence.memories),
        tuple(query.stale),
        query.decoy,
        query.alias,
    )


def _memory(memory: GoldMemory, supersedes: tuple[str, ...]) -> LabelledMemory:
    node = NewNode(
        memory.text,
        kind=NodeKind(memory.kind),
        subject=Subject(memory.subject),
        attribute=memory.attribute,
        impact=float(memory.impact),
        emotions=tuple(memory.emotions),
        tags=tuple(RelationalTag(tag) for tag in memory.tags),
        occurred_from=memory.occurred_from,
        occurred_to=memory.occurred_to,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        due_on=memory.due_on,
        status=NodeStatus(memory.status) if memory.status else None,
        pinned=memory.pinned,
        origin=Origin.IMPORT,  # nothing extracted it: it was written together with the talk
    )
    return LabelledMemory(
        memory.id,
        node,
        tuple((source.turn, source.quote) for source in memory.sources),
        tuple(memory.entities),
        supersedes,
        memory.scope == "shared",
    )
