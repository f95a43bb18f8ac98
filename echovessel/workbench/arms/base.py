"""An arm: one way to rank what a talk holds for a question."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import Embedder
from echovessel.errors import InputError
from echovessel.workbench.labelled import Question, Talk
from echovessel.workbench.pool import Item, Over

if TYPE_CHECKING:
    from echovessel.workbench.ingest import Stored


@dataclass(frozen=True, slots=True)
class Ranked:
    """One hit.

    `score` orders hits within a question. `confidence` says across questions how likely it is that this
    bears on the question at all, in the arm's own units; infinite where the arm never drops it.
    """

    id: str
    score: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits for one question, best first, and how long each stage took, in seconds."""

    hits: tuple[Ranked, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One talk to rank: what may come back, and what an arm may use."""

    talk: Talk
    over: Over
    items: tuple[Item, ...]
    seed: int
    _embedder: Embedder | None
    _stored: Callable[[], Stored]

    @property
    def embedder(self) -> Embedder:
        """Makes vectors; an arm that needs one says so in `needs_embedder`."""
        if self._embedder is None:
            raise InputError(
                "this arm compares vectors, but no embedder was chosen. Use --embedder, or leave the arm out."
            )
        return self._embedder

    @property
    def stored(self) -> Stored:
        """The talk in a memory file of its own; stored when first asked for."""
        return self._stored()

    def rows(self) -> list[str]:
        """The text that baselines index, one per item."""
        return [item.row(self.talk.zone) for item in self.items]


Ranker = Callable[[Question], Ranking]


class Arm(Protocol):
    """One way to rank."""

    @property
    def name(self) -> str:
        """As it stands in tables."""

    @property
    def needs_embedder(self) -> bool:
        """Whether `index` uses the case's embedder."""

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Take in a talk, and give back what ranks at most `depth` items for a question."""


def best(
    items: Sequence[Item], scores: NDArray[np.floating], depth: int, *, above: float = -math.inf
) -> tuple[Ranked, ...]:
    """The `depth` highest scores greater than `above`, best first; equal ones in the order of the items."""
    order = np.argsort(-scores, kind="stable")[:depth]
    return tuple(Ranked(items[i].id, float(scores[i]), float(scores[i])) for i in order if scores[i] > above)
