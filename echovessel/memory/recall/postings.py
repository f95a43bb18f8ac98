"""Postings of one scope, and what a turn's neighbours lend it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.columns import Columns
from echovessel.text import is_han

# A turn borrows from the k-th turn before it with 0.7^k and from the k-th after it with 0.5^k: an answer often
# leaves unsaid what the question before it named.
BEFORE = 0.7
AFTER = 0.5
REACH = 4
# A long message stands on its own: borrowing fades beyond this many content words, for lender and borrower alike.
LONG = 30

Rows = NDArray[np.int32]


class Postings:
    """Which rows hold which terms. Rows are added once and never changed; whoever asks says which are visible."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self._with_character: dict[str, set[str]] = {}

    def add(self, row: int, terms: Iterable[str]) -> None:
        """Enter the terms of a row, which must be greater than every row before it."""
        for term, count in Counter(terms).items():
            rows = self._rows.get(term)
            if rows is None:
                self._rows[term] = array("i", (row,))
                self._counts[term] = array("f", (count,))
                for character in term:
                    if is_han(character):
                        self._with_character.setdefault(character, set()).add(term)
            else:
                rows.append(row)
                self._counts[term].append(count)

    def of(self, term: str) -> tuple[Rows, NDArray[np.float32]]:
        """Rows that hold a term, ascending, and how often each holds it."""
        rows = self._rows.get(term)
        if rows is None:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        # Copies: an array that lends out its memory could not grow.
        return np.frombuffer(rows, np.int32).copy(), np.frombuffer(self._counts[term], np.float32).copy()

    def of_character(self, character: str) -> tuple[Rows, NDArray[np.float32]]:
        """Rows that hold a Han character in any term: what a question of one character asks for."""
        found = [self.of(term) for term in sorted(self._with_character.get(character, ()))]
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
    for step, factor in ((columns.previous, BEFORE), (columns.following, AFTER)):
        at, weight = int(step[row]), factor
        for _ in range(REACH):
            if at < 0:
                break
            total += weight * float(columns.words[at]) * float(columns.closeness[at])
            at, weight = int(step[at]), weight * factor
    return float(columns.words[row]) + total * float(columns.closeness[row])


def within_reach(row: int, columns: Columns) -> Sequence[int]:
    """The row and its neighbours to whom it lends or from whom it borrows."""
    found = [row]
    for step in (columns.previous, columns.following):
        at = int(step[row])
        for _ in range(REACH):
            if at < 0:
                break
            found.append(at)
            at = int(step[at])
    return found
