"""The pool of one recall: what passed the gate, with its factors, and the nearest of what did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import aware, to_micros
from echovessel.memory.recall.columns import NEVER
from echovessel.memory.recall.factors import estimated_impact, impact, recency, relational_bonus
from echovessel.memory.recall.factors.relevance import log_odds, sigmoid
from echovessel.memory.recall.index import HotIndex
from echovessel.memory.recall.score import score
from echovessel.memory.recall.weights import KINDS, MESSAGE, Weights

_DAY = 86_400_000_000  # microseconds
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Moments:
    """When a recall takes place, and what was known or recorded by then; stored times."""

    now: int
    known: int | None
    recorded: int | None

    @classmethod
    def of(
        cls, now: datetime | None, as_of: datetime | None, recorded_as_of: datetime | None, clock: datetime
    ) -> Self:
        """The moments of a call: `now` is `as_of` when only that is given, else the clock's.

        Raises
        ------
        InputError
            A time without a zone.
        """
        known = None if as_of is None else aware(as_of, "as_of")
        recorded = None if recorded_as_of is None else to_micros(aware(recorded_as_of, "recorded_as_of"))
        moment = aware(now, "now") if now is not None else known or clock
        return cls(to_micros(moment), None if known is None else to_micros(known), recorded)

    def visible(self, index: HotIndex) -> Mask:
        """Rows that are alive and were known and recorded by then."""
        columns = index.columns
        mask = columns.alive.copy()
        if self.known is not None:
            mask &= columns.known_at <= self.known
        if self.recorded is not None:
            mask &= columns.recorded_at <= self.recorded
        return mask

    def superseded(self, index: HotIndex) -> Mask:
        """Rows that another had replaced by then; of messages, those whose every memory had been replaced."""
        columns = index.columns
        if self.recorded is not None:
            replaced = columns.superseded_recorded_at <= self.recorded
        elif self.known is not None:
            replaced = columns.superseded_at <= self.known
        else:
            replaced = columns.superseded_at != NEVER
        nodes, messages = index.resting()
        known = self.visible(index)[nodes]
        nodes, messages = nodes[known], messages[known]
        outdated = np.zeros(len(index), np.bool_)
        outdated[messages[replaced[nodes]]] = True
        outdated[messages[~replaced[nodes]]] = False
        return np.asarray(replaced | outdated)


@dataclass(frozen=True, slots=True)
class Side:
    """One readable scope during one recall: its rows with both sides of relevance and the anchor."""

    index: HotIndex
    visible: Mask
    cosine: NDArray[np.floating]
    lexical: NDArray[np.float64]
    logit: NDArray[np.float64]
    anchor: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates of all scopes as parallel arrays of length n.

    Attributes
    ----------
    side, row : where each candidate stands
    ids : list of str
    factors : shape (n, 5), in the order of `FACTORS`
    cosine, lexical, score : shape (n,)
    anchored, below_gate, message, superseded : masks
    rule : why a candidate is out already: ``gate``, ``superseded``, or empty while it competes
    counts : how many each of these rules left out, also those that are not in the pool
    """

    side: NDArray[np.intp]
    row: NDArray[np.intp]
    ids: list[str]
    factors: NDArray[np.float64]
    cosine: NDArray[np.float64]
    lexical: NDArray[np.float64]
    score: NDArray[np.float64]
    anchored: Mask
    below_gate: Mask
    message: Mask
    superseded: Mask
    rule: list[str]
    counts: dict[str, int]
    considered: int


def pooled(
    sides: Sequence[Side], weights: Weights, moments: Moments, *, include_superseded: bool, dropped: int
) -> Pool:
    """Gate every visible memory, score those that pass, and keep the nearest `dropped` of those that don't."""
    kinds = _competing(sides, weights)
    gate = log_odds(weights.min_relevance)
    parts: list[dict[str, NDArray[Any] | list[str]]] = []
    counts = {"gate": 0, "superseded": 0}
    considered = 0
    for number, side in enumerate(sides):
        eligible = side.visible & np.isin(side.index.columns.kind, kinds)
        considered += int(eligible.sum())
        passes = (side.logit >= gate) | (side.anchor > 0)
        old = moments.superseded(side.index) & eligible
        current = eligible if include_superseded else eligible & ~old
        parts.append(_part(number, side, np.flatnonzero(current & passes), "", weights, moments))
        outside = {"gate": current & ~passes}
        if not include_superseded:
            outside["superseded"] = old & passes
        for rule, mask in outside.items():
            rows = np.flatnonzero(mask)
            counts[rule] += len(rows)
            parts.append(_part(number, side, _nearest(rows, side.logit, dropped), rule, weights, moments))
    return Pool(
        **{name: np.concatenate([part[name] for part in parts]) for name in _ARRAYS},
        ids=[item for part in parts for item in part["ids"]],
        rule=[rule for part in parts for rule in part["rule"]],
        counts={rule: count for rule, count in counts.items() if count},
        considered=considered,
    )


_ARRAYS = (
    "side", "row", "factors", "cosine", "lexical", "score", "anchored", "below_gate", "message", "superseded"
)  # fmt: skip


def _competing(sides: Sequence[Side], weights: Weights) -> list[int]:
    """Codes of the kinds that compete; messages step in where no memory of the wanted kinds is visible."""
    wanted = [KINDS.index(kind) for kind in weights.kinds]
    if any((side.visible & np.isin(side.index.columns.kind, wanted)).any() for side in sides):
        return wanted
    return [KINDS.index(MESSAGE)]


def _nearest(rows: NDArray[np.intp], logit: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    if len(rows) <= count:
        return rows
    return rows[np.argpartition(-logit[rows], count - 1)[:count]] if count else rows[:0]


def _part(
    number: int, side: Side, rows: NDArray[np.intp], rule: str, weights: Weights, moments: Moments
) -> dict[str, NDArray[Any] | list[str]]:
    columns = side.index.columns
    message = columns.kind[rows] == KINDS.index(MESSAGE)
    relevance = sigmoid(side.logit[rows])
    factors = np.column_stack(
        (
            recency((moments.now - columns.happened_at[rows]) / _DAY, half_life=weights.half_life),
            relevance,
            np.where(
                message,
                estimated_impact(columns.words[rows], columns.question[rows]),
                impact(columns.impact[rows]),
            ),
            relational_bonus(columns.tags[rows]),
            side.anchor[rows],
        )
    )
    return {
        "side": np.full(len(rows), number, np.intp),
        "row": rows,
        "factors": factors,
        "cosine": side.cosine[rows].astype(np.float64),
        "lexical": side.lexical[rows],
        "score": score(factors, weights, message=message),
        "anchored": side.anchor[rows] > 0,
        "below_gate": relevance < weights.min_relevance,
        "message": message,
        "superseded": moments.superseded(side.index)[rows],
        "ids": [side.index.ids[row] for row in rows],
        "rule": [rule] * len(rows),
    }
