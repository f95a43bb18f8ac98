"""Postings of one scope, and what a turn's neighbours lend it."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.columns import Columns

# A turn borrows from the k-th turn before it with 0.7^k and from the k-th after it with 0.5^k: an answer often
# leaves unsaid what the question before it named.
BEFORE = 0.7
AFTER = 0.5
REACH = 4
# A long message stands on its own: borrowing fades beyond this many content words, for lender and borrower alike.
LONG = 30

Rows = NDArray[np.int32]


class Postings:
    """Which rows hold which terms. Rows are added once and never changed; whoever asks says which are visible.

    What was there at first stands in three arrays, sorted by term and row; what came later in arrays of its own
    for each term.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._rows: Rows = np.empty(0, np.int32)
        self._counts: NDArray[np.float32] = np.empty(0, np.float32)
        self._later: dict[str, tuple[array[int], array[float]]] = {}

    @classmethod
    def of_rows(cls, rows: Iterable[Iterable[str]]) -> Postings:
        """Postings of rows 0, 1, 2, ..., each given by its terms: many times faster than `add` for each."""
        found = cls()
        # A term's number is how many terms there were before it.
        numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers))
        terms, lengths = array("i"), array("i")
        for row in rows:
            before = len(terms)
            terms.extend(map(numbers.__getitem__, row))
            lengths.append(len(terms) - before)
        # Sorted as one number each, a term's rows come together, in order.
        keys = np.frombuffer(terms, np.int32).astype(np.int64) * len(lengths)
        keys += np.repeat(np.arange(len(lengths)), np.frombuffer(lengths, np.int32))
        keys, counts = np.unique(keys, return_counts=True)
        term, at = np.divmod(keys, max(len(lengths), 1))
        found._numbers = dict(numbers)
        found._starts = np.searchsorted(term, np.arange(len(numbers) + 1))
        found._rows, found._counts = at.astype(np.int32), counts.astype(np.float32)
        return found

    def add(self, row: int, terms: Iterable[str]) -> None:
        """Enter the terms of a row, which must be greater than every row before it."""
        for term, count in Counter(terms).items():
            rows, counts = self._later.setdefault(term, (array("i"), array("f")))
            rows.append(row)
            counts.append(count)

    def of(self, term: str) -> tuple[Rows, NDArray[np.float32]]:
        """Rows that hold a term, ascending, and how often each holds it; not to be written to."""
        number = self._numbers.get(term)
        first, last = (0, 0) if number is None else self._starts[number : number + 2]
        rows, counts = self._rows[first:last], self._counts[first:last]
        if term not in self._later:
            return rows, counts
        # Concatenating copies: an array that lent out its memory could not grow.
        later_rows, later_counts = self._later[term]
        return (
            np.concatenate((rows, np.frombuffer(later_rows, np.int32))),
            np.concatenate((counts, np.frombuffer(later_counts, np.float32))),
        )

    def of_character(self, character: str) -> tuple[Rows, NDArray[np.float32]]:
        """Rows that hold a Han character in any term: what a question of one character asks for."""
        holding = {term for known in (self._numbers, self._later) for term in known if character in term}
        found = [self.of(term) for term in sorted(holding)]
        if not found:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        rows, where = np.unique(np.concatenate([rows for rows, _ in found]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([counts for _, counts in found])).astype(np.float32)
        return rows, counts


def closeness(words: NDArray[np.integer]) -> NDArray[np.float64]:
    """How much a turn takes part in borrowing: 1 up to `LONG` content words, then down by e for each `LONG` more."""
    return np.asarray(np.exp(-np.maximum(words - LONG, 0) / LONG))


def lent(rows: Rows, amounts: NDArray[np.floating], columns: Columns) -> tuple[Rows, NDArray[np.float64]]:
    """What each row has of its own, with what it lends to its neighbours.

    Parameters
    ----------
    rows, amounts : arrays of shape (m,)
        Rows, and what each has of its own.

    Returns
    -------
    rows, amounts : arrays of one shape, a row possibly several times, to be summed by row.
    """
    all_rows: list[Rows] = [rows]
    all_amounts = [np.asarray(amounts, np.float64)]
    lender = amounts * columns.closeness[rows]
    # What a row lends to the turn after it, that turn has from the turn before it.
    for step, factor in ((columns.following, BEFORE), (columns.previous, AFTER)):
        at, giving = rows, lender
        for _ in range(REACH):
            at = step[at]
            kept = at >= 0
            at, giving = at[kept], giving[kept] * factor
            if not len(at):
                break
            all_rows.append(at)
            all_amounts.append(giving * columns.closeness[at])
    return np.concatenate(all_rows), np.concatenate(all_amounts)


def borrowed_length(row: int, columns: Columns) -> float:
    """Content words of a row with what its neighbours lend it: `lent`, seen from the borrower."""
    total = 0.0
    for at, weight in _neighbours(row, columns):
        total += weight * float(columns.words[at]) * float(columns.closeness[at])
    return float(columns.words[row]) + total * float(columns.closeness[row])


def within_reach(row: int, columns: Columns) -> Sequence[int]:
    """The row and its neighbours to whom it lends or from whom it borrows."""
    return [row, *(at for at, _ in _neighbours(row, columns))]


def _neighbours(row: int, columns: Columns) -> Iterator[tuple[int, float]]:
    """The turns around a row that it borrows from, each with the share it gets before closeness."""
    for step, factor in ((columns.previous, BEFORE), (columns.following, AFTER)):
        at, weight = int(step[row]), factor
        for _ in range(REACH):
            if at < 0:
                break
            yield at, weight
            at, weight = int(step[at]), weight * factor
