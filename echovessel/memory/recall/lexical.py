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

Found = list[tuple[Rows, NDArray[np.float32]]]


def query_terms(query: str, names: set[str]) -> list[str]:
    """The distinct terms of a query, less the names of those who talk: everybody's turns would match them."""
    found = dict.fromkeys(terms(query))
    return [term for term in found if term not in names] or list(found)


def lexical(
    query: str, indexes: Sequence[HotIndex], visible: Sequence[NDArray[np.bool_]]
) -> list[NDArray[np.float64]]:
    r"""BM25 of every row, over the best score that the query could reach.

    .. math:: \mathrm{lex}(d) = \frac{1}{\sum_t \mathrm{idf}_t (k_1 + 1)}
              \sum_t \mathrm{idf}_t \frac{f_{t,d} (k_1 + 1)}{f_{t,d} + k_1 (1 - b + b\, l_d / \bar l)}

    Counts and lengths of a turn include what its neighbours in the session lend it. Document frequency and mean
    length are taken over the rows that are visible, so that no other scope, and nothing said later than
    ``as_of``, moves a score.

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
    names = set().union(*(index.names for index in indexes)) if indexes else set()
    scores = [np.zeros(len(index), np.float64) for index in indexes]
    documents = sum(int(mask.sum()) for mask in visible)
    held = _postings(query, names, indexes, visible)
    if not held or not documents:
        return scores
    frequency = [sum(len(rows) for rows, _ in found) for found in held]
    idf = np.log1p((documents - np.array(frequency) + 0.5) / (np.array(frequency) + 0.5))
    best = float(idf.sum()) * (K1 + 1)
    chosen = _informative(frequency, documents)
    norms = _length_norms(indexes, visible)
    for at, (index, norm) in enumerate(zip(indexes, norms, strict=True)):
        for i in chosen:
            rows, counts = lent(*held[i][at], index.columns)
            count = np.bincount(rows, counts, minlength=len(index))
            touched = np.flatnonzero(count)
            count = count[touched]
            scores[at][touched] += idf[i] * count * (K1 + 1) / (count + norm[touched])
        scores[at] = np.minimum(scores[at] / best, 1.0)
    return scores


def _length_norms(
    indexes: Sequence[HotIndex], visible: Sequence[NDArray[np.bool_]]
) -> list[NDArray[np.float64]]:
    """BM25's ``k1 (1 - b + b l / mean)`` of every row; messages and memories have a mean of their own each."""
    norms = [np.empty(len(index), np.float64) for index in indexes]
    for of_messages in (True, False):
        parts = [index.is_message == of_messages for index in indexes]
        counted = [mask & part for mask, part in zip(visible, parts, strict=True)]
        documents = sum(int(mask.sum()) for mask in counted)
        total = sum(float(index.columns.length @ mask) for index, mask in zip(indexes, counted, strict=True))
        mean = total / documents if total else 1.0
        for norm, index, part in zip(norms, indexes, parts, strict=True):
            np.copyto(norm, K1 * (1 - B + B * index.columns.length / mean), where=part)
    return norms


def _postings(
    query: str, names: set[str], indexes: Sequence[HotIndex], visible: Sequence[NDArray[np.bool_]]
) -> list[Found]:
    """For each query term and index, the visible rows that hold it with their counts."""
    folded = pieces(fold(query))
    if len(folded) == 1 and len(folded[0]) == 1 and is_han(folded[0]):
        asked = [[index.postings.of_character(folded[0]) for index in indexes]]
    else:
        asked = [[index.postings.of(term) for index in indexes] for term in query_terms(query, names)]
    return [
        [(rows[mask[rows]], counts[mask[rows]]) for (rows, counts), mask in zip(found, visible, strict=True)]
        for found in asked
    ]


def _informative(frequency: Sequence[int], documents: int) -> list[int]:
    """Positions of the terms worth scoring: all, or in a large memory those that are not common.

    When every term is common the rarest stays, so that no question goes without words.
    """
    limit = max(COMMON_SHARE * documents, COMMON_FROM)
    present = [i for i, count in enumerate(frequency) if count]
    return [i for i in present if frequency[i] <= limit] or sorted(present, key=lambda i: frequency[i])[:1]
