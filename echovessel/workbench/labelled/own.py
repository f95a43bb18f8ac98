"""Our own labelled conversations: raw turns, gold memory, and questions by type."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.memory.records import NewNode, NodeKind, NodeStatus, Origin, RelationalTag, Sender, Subject
from echovessel.samples.conversation import UNANSWERABLE, Conversation, GoldMemory, Query
from echovessel.workbench.labelled.records import (
    LabelledEntity,
    LabelledMemory,
    LabelledSet,
    Question,
    Talk,
    TalkSession,
    Turn,
)
from echovessel.workbench.labelled.source import SourceFile, digest_of, load_all

LICENCE = "CC BY 4.0"


def is_own(data: Any) -> bool:
    """Whether the content looks like one of our labelled conversations."""
    return (
        isinstance(data, dict) and {"persona", "speakers", "sessions", "memories", "queries"} <= data.keys()
    )


def read_own(path: Path) -> LabelledSet:
    """Read one conversation, or a folder of them; each is one talk.

    Unanswerable questions have no evidence and stay out of ``overall``; they are scored by silence.

    Raises
    ------
    FormatError
        A file is cut off, of another form, or its labels don't hold.
    """
    files = load_all(path)
    talks = tuple(_talk(file) for file in files)
    return LabelledSet("own", digest_of(files), talks, Counter(), apart=UNANSWERABLE, licence=LICENCE)


def _talk(file: SourceFile) -> Talk:
    if not is_own(file.data):
        raise FormatError(
            f"{file.path} is no labelled conversation of ours. See datasets/README.md for the form."
        )
    conversation = Conversation.read(file.path)
    problems = conversation.problems()
    if problems:
        raise FormatError(f"{file.path} has {len(problems)} faults in its labels, the first: {problems[0]}.")
    return talk_of(conversation)


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
    )


def _question(query: Query, end: Any) -> Question:
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
        origin=Origin.PERSON if memory.scope == "shared" and not memory.sources else Origin.EXTRACTION,
    )
    return LabelledMemory(
        memory.id,
        node,
        tuple((source.turn, source.quote) for source in memory.sources),
        tuple(memory.entities),
        supersedes,
        memory.scope == "shared",
    )
