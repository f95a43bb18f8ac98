"""A labelled conversation: turns, the memory a careful reader would form, and questions with evidence."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from echovessel.errors import FormatError

Language = Literal["zh", "en", "mixed"]
Role = Literal["user", "persona", "other"]
MemoryKind = Literal["event", "thought", "intention", "expectation"]
Subject = Literal["user", "persona", "other"]
RelationalTag = Literal[
    "identity-bearing", "unresolved", "vulnerability", "turning-point", "commitment", "correction"
]
Status = Literal["open", "kept", "broken", "fulfilled", "expired"]
AliasKind = Literal["name", "nickname", "title", "other_language", "other_script", "short", "typo"]
QueryType = Literal[
    "single",
    "multi",
    "temporal",
    "identity",
    "cross_language",
    "alias",
    "alias_cross",
    "updated",
    "decoy",
    "off_topic",
    "near_miss",
]
QUERY_TYPES: tuple[str, ...] = get_args(QueryType)
UNANSWERABLE = frozenset({"off_topic", "near_miss"})


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Speaker(_Record):
    """Who talks. In a group every human but the owner is an `other`."""

    id: str
    name: str
    role: Role


class Turn(_Record):
    """One message as it was sent; `at` carries its offset."""

    id: str
    speaker: str
    at: datetime
    text: Annotated[str, Field(min_length=1)]
    reply_to: str | None = None


class GoldMood(_Record):
    """The persona's mood when the session closed; `energy` in 0..1."""

    mood: str
    energy: Annotated[float, Field(ge=0, le=1)]
    last_user_signal: str


class TalkSession(_Record):
    """Turns without a break of more than half an hour or so."""

    id: str
    turns: list[Turn]
    mood_end: GoldMood


class GoldAlias(_Record):
    """One more way to name an entity."""

    text: str
    kind: AliasKind


class GoldEntity(_Record):
    """A third party: a person, an animal, a place, an organisation or a thing with a name."""

    id: str
    name: str
    kind: Literal["person", "pet", "place", "organisation", "thing"]
    aliases: list[GoldAlias] = []
    note: str = ""

    @property
    def names(self) -> list[str]:
        """The name and every alias."""
        return [self.name, *(alias.text for alias in self.aliases)]


class GoldSource(_Record):
    """Where a memory rests: a turn, and the words in it, verbatim."""

    turn: str
    quote: str


class GoldMemory(_Record):
    """An L3 or L4 record. `scope` is `shared` only for the persona's own life, which needs no source."""

    id: str
    kind: MemoryKind
    subject: Subject
    attribute: str = ""
    text: str
    impact: Annotated[int, Field(ge=-10, le=10)]
    emotions: list[str] = []
    tags: list[RelationalTag] = []
    entities: list[str] = []
    occurred_from: date | None = None
    occurred_to: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    due_on: date | None = None
    status: Status | None = None
    superseded_by: str | None = None
    pinned: bool = False
    scope: Literal["talk", "shared"] = "talk"
    sources: list[GoldSource] = []


class Evidence(_Record):
    """What answers a question: turns of the raw talk, and records of the gold memory."""

    turns: list[str] = []
    memories: list[str] = []


class Query(_Record):
    """A question, its type, its evidence, and what must not come first."""

    id: str
    type: QueryType
    text: str
    language: Literal["zh", "en"]
    answer: str = ""
    evidence: Evidence = Evidence()
    alias: str | None = None
    stale: list[str] = []
    decoy: str | None = None


class PersonaCard(_Record):
    """L1 of the persona: the three labels that belong to nobody but it."""

    name: str
    persona: str
    self: str
    style: str


class Conversation(_Record):
    """One labelled conversation, as it stands in its JSON file."""

    id: str
    title: str
    language: Language
    kind: Literal["solo", "group"]
    zone: str
    persona: PersonaCard
    about_user: str = ""
    relationship: str = ""
    speakers: list[Speaker]
    sessions: list[TalkSession]
    entities: list[GoldEntity]
    memories: list[GoldMemory]
    queries: list[Query]

    @classmethod
    def read(cls, path: Path) -> Conversation:
        """Read one file.

        Raises
        ------
        FormatError
            The file is missing, not JSON, or not a labelled conversation; names the first field at fault.
        """
        try:
            return cls.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise FormatError(f"{path} can't be read: {error.strerror}. Give the path of a labelled conversation.") from error
        except UnicodeDecodeError as error:
            raise FormatError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
        except json.JSONDecodeError as error:
            raise FormatError(f"{path}, line {error.lineno}: {error.msg}. The file may be cut off; fetch it again.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise FormatError(f"{path}, field {where}: {first['msg']}. See datasets/README.md for the form.") from error

    @cached_property
    def turns(self) -> dict[str, Turn]:
        """Every turn by id, in order."""
        return {turn.id: turn for session in self.sessions for turn in session.turns}

    @cached_property
    def memory(self) -> dict[str, GoldMemory]:
        """Every gold memory by id."""
        return {memory.id: memory for memory in self.memories}

    @cached_property
    def speaker(self) -> dict[str, Speaker]:
        """Every speaker by id."""
        return {speaker.id: speaker for speaker in self.speakers}

    def problems(self) -> list[str]:
        """Every fault of the labels, one sentence each; empty when all holds."""
        return [f"{self.id}: {fault}" for check in _CHECKS for fault in check(self)]


_TOKEN = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]", re.IGNORECASE)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def mentions(text: str, name: str) -> bool:
    """Whether `text` names `name`: Latin names on word borders, Han anywhere; case and width folded."""
    folded, wanted = _fold(text), _fold(name)
    if re.search(r"[\u3400-\u9fff]", wanted):
        return wanted in folded
    return re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", folded) is not None


def language_of(text: str) -> Literal["zh", "en"]:
    """`zh` when at least a third of the words and characters are Han, else `en`."""
    tokens = _TOKEN.findall(text)
    han = sum(1 for token in tokens if "\u3400" <= token <= "\u9fff")
    return "zh" if tokens and han / len(tokens) >= 1 / 3 else "en"


def _check_ids(talk: Conversation) -> Iterator[str]:
    groups = {
        "speaker": [s.id for s in talk.speakers],
        "session": [s.id for s in talk.sessions],
        "turn": [t.id for s in talk.sessions for t in s.turns],
        "entity": [e.id for e in talk.entities],
        "memory": [m.id for m in talk.memories],
        "query": [q.id for q in talk.queries],
    }
    for noun, ids in groups.items():
        yield from (f"{noun} id {name} is used {count} times" for name, count in Counter(ids).items() if count > 1)


def _check_turns(talk: Conversation) -> Iterator[str]:
    try:
        ZoneInfo(talk.zone)
    except (KeyError, ValueError):
        yield f"zone {talk.zone!r} is not an IANA time zone"
    seen: list[Turn] = []
    for turn in (t for s in talk.sessions for t in s.turns):
        if turn.speaker not in talk.speaker:
            yield f"turn {turn.id} has an unknown speaker {turn.speaker}"
        if turn.at.tzinfo is None:
            yield f"turn {turn.id} has a time without an offset"
            continue
        if seen and turn.at < seen[-1].at:
            yield f"turn {turn.id} is earlier than {seen[-1].id} before it"
        if turn.reply_to is not None and turn.reply_to not in {t.id for t in seen}:
            yield f"turn {turn.id} replies to {turn.reply_to}, which does not come before it"
        seen.append(turn)
    days = {turn.at.date() for turn in seen}
    if len(talk.sessions) < 4 or (max(days) - min(days)).days < 21:
        yield "a talk needs at least 4 sessions over at least 3 weeks"
    for before, after in zip(talk.sessions, talk.sessions[1:], strict=False):
        if (after.turns[0].at - before.turns[-1].at).total_seconds() < 1800:
            yield f"session {after.id} starts less than 30 minutes after {before.id} ends"
    humans = sum(1 for s in talk.speakers if s.role != "persona")
    if (talk.kind == "group") != (humans > 1):
        yield f"kind is {talk.kind} but {humans} people talk with the persona"


def _check_entities(talk: Conversation) -> Iterator[str]:
    spoken = " \n".join(turn.text for turn in talk.turns.values())
    asked = " \n".join(query.text for query in talk.queries)
    written = " \n".join(memory.text for memory in talk.memories)
    for entity in talk.entities:
        if not any(mentions(spoken, name) or mentions(written, name) for name in entity.names):
            yield f"entity {entity.id} is named nowhere in the talk"
        for alias in entity.aliases:
            if alias.kind != "typo" and not (mentions(spoken, alias.text) or mentions(asked, alias.text)):
                yield f"alias {alias.text!r} of {entity.id} is never used"


def _check_memories(talk: Conversation) -> Iterator[str]:
    known = {entity.id for entity in talk.entities}
    for memory in talk.memories:
        if not memory.sources and memory.scope != "shared":
            yield f"memory {memory.id} has no source"
        for source in memory.sources:
            turn = talk.turns.get(source.turn)
            if turn is None:
                yield f"memory {memory.id} rests on {source.turn}, which is no turn"
            elif source.quote not in turn.text:
                yield f"memory {memory.id} quotes {source.quote!r}, which is not in turn {turn.id}"
        yield from (f"memory {memory.id} links {e}, which is no entity" for e in memory.entities if e not in known)
        if memory.occurred_from and memory.occurred_to and memory.occurred_to < memory.occurred_from:
            yield f"memory {memory.id} ends before it begins"
        if memory.kind == "event" and memory.occurred_from is None and memory.valid_from is None:
            yield f"event {memory.id} has no date"
        if memory.kind == "intention" and (memory.subject != "persona" or memory.status is None):
            yield f"intention {memory.id} must be the persona's and have a status"
        if memory.kind == "expectation" and memory.status is None:
            yield f"expectation {memory.id} has no status"
        yield from _check_supersession(talk, memory)


def _check_supersession(talk: Conversation, memory: GoldMemory) -> Iterator[str]:
    if memory.superseded_by is None:
        return
    newer = talk.memory.get(memory.superseded_by)
    if newer is None:
        yield f"memory {memory.id} is superseded by {memory.superseded_by}, which is no memory"
    elif not memory.attribute or (newer.subject, newer.attribute) != (memory.subject, memory.attribute):
        yield f"memory {memory.id} is superseded by {newer.id} on another subject or attribute"
    elif memory.sources and newer.sources:
        order = list(talk.turns)
        if order.index(newer.sources[0].turn) < order.index(memory.sources[0].turn):
            yield f"memory {memory.id} is superseded by {newer.id}, which was said earlier"


def _check_queries(talk: Conversation) -> Iterator[str]:
    for query in talk.queries:
        yield from (f"query {query.id}: {fault}" for fault in _faults_of(talk, query))


def _faults_of(talk: Conversation, query: Query) -> Iterator[str]:
    turns, memories = query.evidence.turns, query.evidence.memories
    yield from (f"evidence {t} is no turn" for t in turns if t not in talk.turns)
    missing = [m for m in [*memories, *query.stale, *([query.decoy] if query.decoy else [])] if m not in talk.memory]
    yield from (f"{m} is no memory" for m in missing)
    if missing:
        return
    if language_of(query.text) != query.language:
        yield f"is labelled {query.language} but reads as {language_of(query.text)}"
    if query.type in UNANSWERABLE:
        yield from _faults_of_unanswerable(talk, query)
        return
    if not memories or not (turns or all(talk.memory[m].scope == "shared" for m in memories)):
        yield "is answerable but names no evidence turn or memory"
    if not query.answer:
        yield "is answerable but has no answer"
    for name in memories:
        sources = {source.turn for source in talk.memory[name].sources}
        if sources and not sources & set(turns):
            yield f"evidence memory {name} rests on none of its evidence turns"
    yield from _faults_of_type(talk, query)


def _faults_of_unanswerable(talk: Conversation, query: Query) -> Iterator[str]:
    if query.evidence.turns or query.evidence.memories:
        yield f"is {query.type} but has evidence"
    if query.type == "off_topic":
        names = [name for entity in talk.entities for name in entity.names if mentions(query.text, name)]
        yield from (f"is off_topic but names {name!r}" for name in names)


def _faults_of_type(talk: Conversation, query: Query) -> Iterator[str]:
    evidence = [talk.memory[name] for name in query.evidence.memories]
    if query.type == "multi" and len(evidence) < 2:
        yield "is multi but rests on fewer than 2 memories"
    if query.type == "cross_language" and any(language_of(m.text) == query.language for m in evidence):
        yield "is cross_language but a memory of its evidence is in the same language"
    if query.type in ("alias", "alias_cross"):
        yield from _faults_of_alias(talk, query, evidence)
    if query.type == "updated":
        if not query.stale:
            yield "is updated but names no stale memory"
        yield from (
            f"stale memory {m} is not superseded" for m in query.stale if talk.memory[m].superseded_by is None
        )
    if query.type == "decoy":
        if query.decoy is None:
            yield "is decoy but names none"
        elif abs(talk.memory[query.decoy].impact) < 7 or query.decoy in query.evidence.memories:
            yield f"decoy {query.decoy} must be a strong memory (|impact| >= 7) outside the evidence"
    if query.type != "updated" and any(m.superseded_by for m in evidence) and query.type != "temporal":
        yield "rests on a superseded memory; make it temporal or updated"


def _faults_of_alias(talk: Conversation, query: Query, evidence: list[GoldMemory]) -> Iterator[str]:
    if query.alias is None or not mentions(query.text, query.alias):
        yield "must hold its alias in the text and name it"
        return
    owners = {e.id for e in talk.entities if _fold(query.alias) in map(_fold, e.names)}
    if not owners:
        yield f"alias {query.alias!r} belongs to no entity"
    for memory in evidence:
        if not owners & set(memory.entities):
            yield f"evidence {memory.id} is not linked to the owner of {query.alias!r}"
        if mentions(memory.text, query.alias):
            yield f"evidence {memory.id} holds the alias itself, so nothing is asked of the alias table"
    if query.type == "alias_cross":
        han = re.search(r"[\u3400-\u9fff]", query.alias) is not None
        names = [n for e in talk.entities if e.id in owners for n in e.names if any(mentions(m.text, n) for m in evidence)]
        if names and all((re.search(r"[\u3400-\u9fff]", n) is not None) == han for n in names):
            yield "is alias_cross but the memory uses a name in the same script"


_CHECKS = (_check_ids, _check_turns, _check_entities, _check_memories, _check_queries)
