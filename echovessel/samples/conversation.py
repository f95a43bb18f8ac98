"""A labelled conversation: turns, the memory a careful reader would form, and questions with evidence."""

from __future__ import annotations

import json
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from echovessel.errors import FormatError

Language = Literal["zh", "en", "mixed"]
Kind = Literal["solo", "group"]
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
    turns: Annotated[list[Turn], Field(min_length=1)]
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
    kind: Kind
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
            raise FormatError(
                f"{path} can't be read: {error.strerror}. Give the path of a labelled conversation."
            ) from error
        except UnicodeDecodeError as error:
            raise FormatError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
        except json.JSONDecodeError as error:
            raise FormatError(
                f"{path}, line {error.lineno}: {error.msg}. The file may be cut off; fetch it again."
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "(top)"
            raise FormatError(
                f"{path}, field {where}: {first['msg']}. See datasets/README.md for the form."
            ) from error

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
        from echovessel.samples.checks import faults  # the checks know the form, so not at the top

        return [f"{self.id}: {fault}" for fault in faults(self)]
