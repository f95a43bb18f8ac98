"""What a model returns about a talk. Lists of whole items, so that one bad item costs only itself."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from echovessel.memory.records import RelationalTag, Subject


class Said(StrEnum):
    """How the words were meant. Only a statement is a fact about whoever said it."""

    STATEMENT = "statement"
    REPORTED = "reported"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    JOKE = "joke"
    CANCELLED = "cancelled"
    REQUEST = "request"


class _Answer(BaseModel):
    # Models add fields of their own; what isn't asked for is passed over.
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)


class Quote(_Answer):
    """Words of a message, by the number it was shown under."""

    message: int = Field(description="number of the message")
    words: str = Field(min_length=1, max_length=1_000, description="its words, to the letter")


class _Days(_Answer):
    """When it happens: the phrase as said, and the days the model makes of it."""

    when: str = Field("", description="the words that say when, as said; empty if none")
    first_day: date | None = None
    last_day: date | None = None

    @field_validator("first_day", "last_day", mode="before")
    @classmethod
    def _day_or_none(cls, value: object) -> object:
        """A day that is none, such as "unknown" or 2026-03, is left out instead of costing the item."""
        try:
            return date.fromisoformat(value[:10]) if isinstance(value, str) else value
        except ValueError:
            return None


class Event(_Days):
    """One fact or happening, in the third person."""

    text: str = Field(min_length=2, max_length=600, description="one fact, one sentence")
    subject: Subject = Field(description="whom it is about")
    about: str = Field("", description="name of the third party when the subject is other")
    attribute: str = Field(
        "", max_length=64, description="short key of a fact that can change, such as workplace"
    )
    said: Said = Said.STATEMENT
    impact: float = Field(0, ge=-10, le=10)
    emotions: tuple[str, ...] = ()
    tags: tuple[RelationalTag, ...] = ()
    entities: tuple[str, ...] = Field((), description="names of all third parties in it")
    repeats: str = Field("", description="handle of the known fact that says the same")
    replaces: tuple[str, ...] = Field((), description="handles of known facts that no longer hold")
    sources: tuple[Quote, ...] = Field(min_length=1)

    @field_validator("tags", mode="before")
    @classmethod
    def _known_tags(cls, value: object) -> object:
        """An unknown tag goes alone."""
        known = set(RelationalTag)
        return [tag for tag in value if tag in known] if isinstance(value, list | tuple) else value


class Promise(_Days):
    """Something the persona said it would do."""

    text: str = Field(min_length=2, max_length=600)
    repeats: str = Field("", description="handle of the known promise that says the same")
    entities: tuple[str, ...] = ()
    sources: tuple[Quote, ...] = Field(min_length=1)


class Expectation(_Days):
    """Something to come that will matter to the other side, for the persona to ask about."""

    text: str = Field(min_length=2, max_length=600)
    subject: Subject = Subject.USER
    about: str = ""
    said: Said = Said.STATEMENT
    repeats: str = Field("", description="handle of the known expectation that says the same")
    entities: tuple[str, ...] = ()
    sources: tuple[Quote, ...] = Field(min_length=1)


class Outcome(_Answer):
    """What became of a known promise or expectation."""

    known: str = Field(description="handle of the promise or expectation")
    outcome: Literal["kept", "broken", "fulfilled", "cancelled"]
    sources: tuple[Quote, ...] = Field(min_length=1)


class Party(_Answer):
    """A third party: a person, a pet, a place, an organisation."""

    name: str = Field(min_length=1, max_length=100)
    kind: str = Field("person", max_length=40)
    aliases: tuple[str, ...] = Field((), description="further names of the same one that stand in the talk")
    who: str = Field("", max_length=300, description="who that is, in a few words")
    known: str = Field("", description="handle of the known entity it is")


class Answer(_Answer):
    """The other side settled whether two names mean one."""

    question: str = Field(description="handle of the open question")
    same: bool
    sources: tuple[Quote, ...] = Field(min_length=1)


class MoodSignal(_Answer):
    """How the persona feels after the talk, and what it felt in the other side."""

    mood: str = Field(min_length=1, max_length=60)
    energy: float = Field(0.5, ge=0, le=1)
    user_signal: str = Field("", max_length=300)


class Findings(_Answer):
    """All that a stretch of talk leaves behind; every list may be empty."""

    events: tuple[Event, ...] = ()
    promises: tuple[Promise, ...] = ()
    expectations: tuple[Expectation, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    entities: tuple[Party, ...] = ()
    answers: tuple[Answer, ...] = ()
    mood: MoodSignal | None = None
