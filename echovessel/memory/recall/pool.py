"""The pool of one recall: what passed the gate, with its factors, and the nearest of what did not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

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
        passes = (side.logit >= gate) | (side.anchor >= 1)
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
    size = sum(len(found) for _, _, found in rows)
    # Written into place, column by column: to join parts would copy most of a large memory several times.
    factors = np.empty((size, len(FACTORS)), np.float64, order="F")
    side_of, row = np.empty(size, np.int8), np.empty(size, np.intp)
    message, rule_of = np.empty(size, np.bool_), np.empty(size, np.int8)
    first = 0
    for number, rule, found in rows:
        part = slice(first, first + len(found))
        side_of[part], row[part], rule_of[part] = number, found, RULES_BEFORE.index(rule)
        message[part] = sides[number].index.columns.kind[found] == KINDS.index(MESSAGE)
        for place, values in enumerate(_factors(sides[number], found, weights, moments)):
            factors[part, place] = values
        first = part.stop
    return Pool(
        sides=tuple(sides),
        side=side_of,
        row=row,
        factors=factors,
        score=score(factors, weights, message=message),
        anchored=factors[:, FACTORS.index("entity_anchor")] >= 1,
        below_gate=factors[:, FACTORS.index("relevance")] < weights.min_relevance,
        message=message,
        rule=rule_of,
        counts={rule: count for rule, count in counts.items() if count},
        considered=considered,
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


def _factors(
    side: Side, rows: NDArray[np.intp], weights: Weights, moments: Moments
) -> Iterator[NDArray[np.float64]]:
    """The five factors of rows of one scope, in the order of `FACTORS`."""
    columns = side.index.columns
    yield recency((moments.now - columns.happened_at[rows]) / _DAY, half_life=weights.half_life)
    yield sigmoid(side.logit[rows])
    yield columns.impact[rows]
    yield relational_bonus(columns.tags[rows])
    yield side.anchor[rows]
