"""The lexical side of relevance: BM25 as a share of the best score the query could reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.analyser import terms
from echovessel.memory.recall.index import HotIndex
from echovessel.memory.recall.postings import Rows, lent
from echovessel.text import fold, is_han, pieces

K1 = 1.2
B = 0.75
# In a large memory a term of more than 5% of the documents tells little apart and costs the most.
COMMON_SHARE = 0.05
COMMON_FROM = 1_000
# A whole document may be pasted as a query. Its rarest words tell what it is about; thousands would take seconds.
MOST_TERMS = 256

Found = list[tuple[Rows, NDArray[np.float32]]]


Mask = NDArray[np.bool_]


def lexical(query: str, indexes: Sequence[HotIndex], visible: Sequence[Mask]) -> list[NDArray[np.float64]]:
    r"""BM25 of every row, over the best score that the query could reach.

    .. math:: \mathrm{lex}(d) = \frac{1}{\sum_t \mathrm{idf}_t (k_1 + 1)}
              \sum_t \mathrm{idf}_t \frac{f_{t,d} (k_1 + 1)}{f_{t,d} + k_1 (1 - b + b\, l_d / \bar l)}

    Messages and memories are two collections, each with document frequencies and a mean length of its own, taken
    over the rows that are visible: no other scope, and nothing said later than ``as_of``, moves a score. Counts and
    lengths of a turn include what its neighbours in the session lend it. Of a query of more than 256 different terms
    those 256 count that the fewest rows hold.

    Parameters
    ----------
    query : str
    indexes : the readable scopes
    visible : for each index, a mask over its rows

    Returns
    -------
    For each index, an array over its rows, in [0, 1].

    Notes
    -----
    Robertson and Zaragoza (2009), with Lucene's idf, ``ln(1 + (N - n + 0.5) / (n + 0.5))``, which stays above 0.
    """
    scores = [np.zeros(len(index), np.float64) for index in indexes]
    names = set().union(*(index.names(mask) for index, mask in zip(indexes, visible, strict=True)))
    lengths = [_lengths(index, mask) for index, mask in zip(indexes, visible, strict=True)]
    asked = _asked(query, indexes)
    sums = [_Sums(len(index)) for index in indexes]
    for of_messages in (True, False):
        layer = [
            mask & (index.is_message == of_messages) for index, mask in zip(indexes, visible, strict=True)
        ]
        # The name of one who talks says nothing of a turn: the other calls them by it. Memories tell them apart.
        telling = [found for term, found in asked.items() if not (of_messages and term in names)]
        held = _rarest([_visible(found, layer) for found in telling or asked.values()])
        _add_scores(scores, held, layer, indexes, lengths, sums)
    return scores


def _add_scores(
    scores: list[NDArray[np.float64]],
    held: Sequence[Found],
    layer: Sequence[Mask],
    indexes: Sequence[HotIndex],
    lengths: Sequence[NDArray[np.floating]],
    sums: Sequence[_Sums],
) -> None:
    """Score the rows of one collection; no row is in two, and none lends to one of another."""
    documents = sum(int(np.count_nonzero(mask)) for mask in layer)
    frequency = np.array([sum(len(rows) for rows, _ in found) for found in held])
    if not documents or not frequency.any():
        return
    idf = np.log1p((documents - frequency + 0.5) / (frequency + 0.5))
    best = float(idf.sum()) * (K1 + 1)
    total = sum(float(length @ mask) for length, mask in zip(lengths, layer, strict=True))
    mean_length = total / documents or 1.0
    chosen = _informative(frequency.tolist(), documents)
    for at, index in enumerate(indexes):
        columns, own = index.columns, scores[at]
        for i in chosen:
            rows, counts = held[i][at]
            if len(rows):
                touched, count = sums[at].by_row(*lent(rows, counts, columns))
                norm = K1 * (1 - B + B * lengths[at][touched] / mean_length)
                own[touched] += idf[i] * count * (K1 + 1) / (count + norm)
        touched = sums[at].all_rows()
        own[touched] = np.minimum(own[touched] / best, 1.0)


def _lengths(index: HotIndex, visible: Mask) -> NDArray[np.floating]:
    """Content words of each row, with what its visible neighbours lend it."""
    columns = index.columns
    if np.array_equal(visible, columns.alive):
        return columns.length
    rows = np.flatnonzero(visible).astype(np.int32)
    summed = np.bincount(*lent(rows, columns.words[rows].astype(np.float64), columns), minlength=len(index))
    return summed.astype(np.float32)


class _Sums:
    """Sums amounts by row. One array for all terms: only what a term touches is read and wiped again."""

    def __init__(self, size: int) -> None:
        self._sum = np.zeros(size, np.float64)
        self._now = np.zeros(size, np.bool_)
        self._ever = np.zeros(size, np.bool_)

    def by_row(
        self, rows: Rows, amounts: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The different rows, ascending, and the sum of the amounts of each."""
        np.add.at(self._sum, rows, amounts)
        self._now[rows] = True
        touched = np.flatnonzero(self._now)
        found = self._sum[touched]
        self._sum[touched], self._now[touched], self._ever[touched] = 0.0, False, True
        return touched, found

    def all_rows(self) -> NDArray[np.intp]:
        """The rows touched since this was last asked, ascending."""
        touched = np.flatnonzero(self._ever)
        self._ever[touched] = False
        return touched


def _asked(query: str, indexes: Sequence[HotIndex]) -> dict[str, Found]:
    """For each term of the query and each index, the rows that hold it with their counts."""
    folded = pieces(fold(query))
    if len(folded) == 1 and len(folded[0]) == 1 and is_han(folded[0]):
        return {folded[0]: [index.postings.of_character(folded[0]) for index in indexes]}
    return {term: [index.postings.of(term) for index in indexes] for term in dict.fromkeys(terms(query))}


def _visible(found: Found, layer: Sequence[Mask]) -> Found:
    kept = [mask[rows] for (rows, _), mask in zip(found, layer, strict=True)]
    return [(rows[k], counts[k]) for (rows, counts), k in zip(found, kept, strict=True)]


def _rarest(held: list[Found]) -> list[Found]:
    """All terms of a query, or of a very long one those that the fewest rows hold, of those that any holds."""
    if len(held) <= MOST_TERMS:
        return held
    frequency = [sum(len(rows) for rows, _ in found) for found in held]
    present = (i for i, count in enumerate(frequency) if count)
    return [held[i] for i in sorted(sorted(present, key=lambda i: frequency[i])[:MOST_TERMS])]


def _informative(frequency: Sequence[int], documents: int) -> list[int]:
    """Positions of the terms worth scoring: all, or in a large memory those that are not common.

    When every term is common the rarest stays, so that no question goes without words.
    """
    limit = max(COMMON_SHARE * documents, COMMON_FROM)
    present = [i for i, count in enumerate(frequency) if count]
    return [i for i in present if frequency[i] <= limit] or sorted(present, key=lambda i: frequency[i])[:1]
