"""What extraction hands over: checked, dated, with vectors, and nothing written yet."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.records import Mood, NewNode, NodeStatus, Source
from echovessel.models.language import Usage

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was not kept, and the rule it broke; `text` quotes the model and is never stored."""

    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.text}: {self.rule}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be.

    Attributes
    ----------
    node : NewNode
        Without `about` and `entities`, whose ids are known only when written.
    about : str
        The name of the third party it belongs to; empty when the subject is none.
    names : tuple of str
        Names of all third parties in it.
    repeats : str, optional
        Id of the stored memory that says the same.
    again : int, optional
        Place of the draft, from earlier in the same talk, that says the same.
    follows : tuple of int
        Places of the drafts, from earlier in the same talk, that it replaces.
    vector : array of shape (dim,), optional
    """

    node: NewNode
    about: str
    names: tuple[str, ...]
    repeats: str | None = None
    again: int | None = None
    follows: tuple[int, ...] = ()
    vector: Vector | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Named:
    """A third party of the talk; `entity` is set where it is a known one. `vector` is of who it is said to be."""

    name: str
    kind: str
    aliases: tuple[str, ...]
    entity: str | None
    vector: Vector | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a promise or an expectation."""

    node: str
    status: NodeStatus
    source: Source


@dataclass(frozen=True, slots=True)
class Settled:
    """An answer to an open question of who is who."""

    question: str
    same: bool


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that a session leaves behind.

    Attributes
    ----------
    session : str
    drafts : tuple of Draft
        In the order of the talk.
    entities : tuple of Named
    became : tuple of Became
    settled : tuple of Settled
    mood : Mood or None
    dropped : tuple of Refusal
        What the model returned and we refused.
    usage : Usage
        Of all calls.
    apart : tuple of float
        Cosines between which two descriptions may be of one entity: lower, upper.
    """

    session: str
    drafts: tuple[Draft, ...] = ()
    entities: tuple[Named, ...] = ()
    became: tuple[Became, ...] = ()
    settled: tuple[Settled, ...] = ()
    mood: Mood | None = None
    dropped: tuple[Refusal, ...] = ()
    usage: Usage = field(default_factory=Usage)
    apart: tuple[float, float] = (0.7, 0.9)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes
    ----------
    added, mentioned, superseded, closed : tuple of str
        Ids of nodes: new ones, ones said again, ones replaced, promises and expectations that something became of.
    entities : tuple of str
        Ids of the entities that the talk names.
    max_impact : float
        Largest absolute impact of what was added; 0 when nothing was.
    dropped : tuple of Refusal
        What could not be written any more, as its source was deleted meanwhile or it was forgotten.
    """

    added: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    max_impact: float = 0.0
    dropped: tuple[Refusal, ...] = ()
