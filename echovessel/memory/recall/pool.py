"""The pool of one recall: what passed the gate, with its factors, and the nearest of what did not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import aware, to_micros
from echovessel.memory.recall.columns import NEVER
from echovessel.memory.recall.factors import FACTORS, recency, relational_bonus
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
        """Rows that are alive and were known and recorded by then; not to be written to."""
        columns = index.columns
        mask = columns.alive
        if self.known is not None:
            mask = mask & (columns.known_at <= self.known)
        if self.recorded is not None:
            mask = mask & (columns.recorded_at <= self.recorded)
        return mask

    def superseded(self, index: HotIndex) -> Mask:
        """Rows that another had replaced by then; of messages, those whose every memory had been replaced."""
        if self.known is not None or self.recorded is not None:
            return self._superseded(index)
        # Nearly every recall asks about the present, and the answer changes only with the index.
        if index.outdated is None:
            index.outdated = self._superseded(index)
        return index.outdated

    def _superseded(self, index: HotIndex) -> Mask:
        columns = index.columns
        replaced = columns.superseded_at != NEVER
        if self.known is not None:
            replaced = replaced & (columns.superseded_at <= self.known)
        if self.recorded is not None:
            replaced = replaced & (columns.superseded_recorded_at <= self.recorded)
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
    superseded: Mask
    cosine: NDArray[np.floating]
    lexical: NDArray[np.float64]
    logit: NDArray[np.float64]
    anchor: NDArray[np.float64]


# Why a candidate of the pool is out already, by its number in `Pool.rule`; the first is that of no rule.
RULES_BEFORE = ("", "gate", "superseded")


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates of all scopes as parallel arrays of length n.

    They may be most of the memory, so that nothing here is made one by one: an id is looked up when it is shown.

    Attributes
    ----------
    sides : the scopes
    side, row : where each candidate stands
    factors : shape (n, 5), in the order of `FACTORS`
    score : shape (n,)
    anchored, below_gate, message : masks
    rule : number in `RULES_BEFORE`; 0 while it competes
    counts : how many each of these rules left out, also those that are not in the pool
    """

    sides: tuple[Side, ...]
    side: NDArray[np.int8]
    row: NDArray[np.intp]
    factors: NDArray[np.float64]
    score: NDArray[np.float64]
    anchored: Mask
    below_gate: Mask
    message: Mask
    rule: NDArray[np.int8]
    counts: dict[str, int]
    considered: int

    def id(self, at: int) -> str:
        """The message or node of a candidate."""
        found: str = self.sides[self.side[at]].index.ids[self.row[at]]
        return found

    def among(self, ids: Collection[str]) -> Mask:
        """Which candidates are one of these messages and nodes."""
        found = np.zeros(len(self.row), np.bool_)
        if ids:
            for number, side in enumerate(self.sides):
                named = np.zeros(len(side.index), np.bool_)
                named[side.index.rows_of(ids)] = True
                here = np.flatnonzero(self.side == number)
                found[here] = named[self.row[here]]
        return found


def pooled(
    sides: Sequence[Side], weights: Weights, moments: Moments, *, include_superseded: bool, dropped: int
) -> Pool:
    """Gate every visible memory, score those that pass, and keep the nearest `dropped` of those that don't."""
    kinds = _competing(sides, weights)
    gate = log_odds(weights.min_relevance)
    rows: list[tuple[int, str, NDArray[np.intp]]] = []
    counts = dict.fromkeys(RULES_BEFORE[1:], 0)
    considered = 0
    for number, side in enumerate(sides):
        eligible = side.visible & _of_kind(side.index, kinds)
        considered += int(np.count_nonzero(eligible))
        passes = (side.logit >= gate) | (side.anchor > 0)
        old = side.superseded & eligible
        current = eligible if include_superseded else eligible & ~old
        rows.append((number, "", np.flatnonzero(current & passes)))
        outside = {"gate": eligible & ~passes}
        if not include_superseded:
            outside["superseded"] = old & passes
        for rule, mask in outside.items():
            out = np.flatnonzero(mask)
            counts[rule] += len(out)
            rows.append((number, rule, _nearest(out, side.logit, dropped)))
    parts = [_part(number, sides[number], found, rule, weights, moments) for number, rule, found in rows]
    together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # Column by column in memory: what follows works on whole factors.
    factors = np.empty((len(together["row"]), len(FACTORS)), np.float64, order="F")
    for place, name in enumerate(FACTORS):
        factors[:, place] = together.pop(name)
    return Pool(
        sides=tuple(sides),
        factors=factors,
        score=score(factors, weights, message=together["message"]),
        counts={rule: count for rule, count in counts.items() if count},
        considered=considered,
        **together,
    )


def _of_kind(index: HotIndex, kinds: Iterable[int]) -> Mask:
    """Rows of these kinds; a comparison each is a tenth of the cost of `np.isin`."""
    mask = np.zeros(len(index), np.bool_)
    for kind in kinds:
        mask |= index.columns.kind == kind
    return mask


def _competing(sides: Sequence[Side], weights: Weights) -> list[int]:
    """Codes of the kinds that compete; messages step in where no memory of the wanted kinds is visible."""
    wanted = [KINDS.index(kind) for kind in weights.kinds]
    if any((side.visible & _of_kind(side.index, wanted)).any() for side in sides):
        return wanted
    return [KINDS.index(MESSAGE)]


def _nearest(rows: NDArray[np.intp], logit: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    if len(rows) <= count:
        return rows
    return rows[np.argpartition(-logit[rows], count - 1)[:count]] if count else rows[:0]


def _part(
    number: int, side: Side, rows: NDArray[np.intp], rule: str, weights: Weights, moments: Moments
) -> dict[str, NDArray[Any]]:
    """Rows of one scope that one rule left out, or none did, with their factors."""
    columns = side.index.columns
    relevance = sigmoid(side.logit[rows])
    return {
        "side": np.full(len(rows), number, np.int8),
        "row": rows,
        "recency": recency((moments.now - columns.happened_at[rows]) / _DAY, half_life=weights.half_life),
        "relevance": relevance,
        "impact": columns.impact[rows],
        "relational_bonus": relational_bonus(columns.tags[rows]),
        "entity_anchor": side.anchor[rows],
        "anchored": side.anchor[rows] > 0,
        "below_gate": relevance < weights.min_relevance,
        "message": side.index.is_message[rows],
        "rule": np.full(len(rows), RULES_BEFORE.index(rule), np.int8),
    }
