"""A labelled talk as every format is read into: turns, gold memories, and questions with evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from echovessel.memory.records import CoreLabel, Mood, NewNode, Sender
from echovessel.text import Language


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `caption` says what a picture sent with it shows."""

    id: str
    speaker: str
    role: Sender
    at: datetime
    text: str
    caption: str = ""

    @property
    def said(self) -> str:
        """What is stored and ranked: the text, and in brackets what the picture shows.

        The other side of the talk saw the picture, so a memory of the talk holds it too.
        """
        shown = f"[shares a picture: {self.caption}]" if self.caption else ""
        return f"{self.text} {shown}".strip()


@dataclass(frozen=True, slots=True)
class TalkSession:
    """Turns of one sitting."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class LabelledEntity:
    """A third party and every name it goes by."""

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledMemory:
    """A gold L3 or L4 record.

    `node` has neither sources nor entities nor what it supersedes: those refer to ids of the talk (turns,
    entities, memories), and become ids of the store when the talk is stored.
    """

    id: str
    node: NewNode
    sources: tuple[tuple[str, str], ...] = ()
    entities: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what answers it.

    Attributes
    ----------
    category : str
        The set's own label: ``1`` to ``5`` in LoCoMo, a query type in our own set.
    evidence : tuple of str
        Turns that hold the answer; empty when it can't be answered.
    memories : tuple of str
        Gold memories that hold the answer, where the set has any.
    stale, decoy
        Memories that must not come before the right one.
    """

    id: str
    category: str
    text: str
    language: Language
    evidence: tuple[str, ...]
    asked_at: datetime
    answer: str = ""
    memories: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    decoy: str | None = None
    alias: str | None = None

    @property
    def unanswerable(self) -> bool:
        """Whether nothing in the talk answers it."""
        return not self.evidence and not self.memories


@dataclass(frozen=True, slots=True)
class LabelledPersona:
    """Who talks, as far as a set says so; every text may be empty.

    Attributes
    ----------
    name, user : str
        Of the persona, and of whom it talks with when they are alone.
    core : tuple of (label, text)
        The core blocks that hold something.
    moods : tuple of Mood
        How the persona felt at the end of each session, the latest last.
    """

    name: str = ""
    user: str = ""
    core: tuple[tuple[CoreLabel, str], ...] = ()
    moods: tuple[Mood, ...] = ()


@dataclass(frozen=True)
class Talk:
    """One labelled conversation: what goes into one memory, and what it is asked."""

    id: str
    zone: str
    kind: Literal["solo", "group"]
    sessions: tuple[TalkSession, ...]
    questions: tuple[Question, ...]
    memories: tuple[LabelledMemory, ...] = ()
    entities: tuple[LabelledEntity, ...] = ()
    persona: LabelledPersona = LabelledPersona()

    def turns(self) -> Iterator[Turn]:
        """Every turn, in order."""
        return (turn for session in self.sessions for turn in session.turns)

    @cached_property
    def session_of(self) -> dict[str, str]:
        """The session of every turn."""
        return {turn.id: session.id for session in self.sessions for turn in session.turns}

    @cached_property
    def turn(self) -> dict[str, Turn]:
        """Every turn by id."""
        return {turn.id: turn for turn in self.turns()}

    @cached_property
    def end(self) -> datetime:
        """When the last turn was sent."""
        return max(turn.at for turn in self.turns())
