"""The arm `bm25`: a plain lexical search by the bm25s library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import MissingExtra
from echovessel.text import fold, is_han, pieces
from echovessel.workbench.arms.base import Case, Ranker, Ranking, best
from echovessel.workbench.labelled import Question

Scorer = Callable[[str], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class BM25:
    r"""Okapi BM25 (Lucene's form, k1 = 1.5, b = 0.75) over date, speaker and text.

    Latin words without stop words, stemmed by Snowball; Han as bigrams. A library's index, not the
    engine's, so that the two don't share a fault.
    """

    name: str = "bm25"
    needs_embedder: bool = False

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Index the rows of a talk."""
        score = scorer(case.rows())

        def rank(question: Question) -> Ranking:
            return Ranking(best(case.items, score(question.text), depth, above=0.0))

        return rank


def scorer(rows: list[str]) -> Scorer:
    """A function from a question to one score per row.

    Raises
    ------
    MissingExtra
        bm25s is not installed.
    """
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtra("The bm25 arm", "bench") from error
    analyse = analyser()
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    index.index([analyse(row) for row in rows], show_progress=False)
    known = index.vocab_dict

    def score(question: str) -> NDArray[np.float32]:
        terms = [term for term in analyse(question) if term in known]
        if not terms:
            return np.zeros(len(rows), dtype=np.float32)
        return np.asarray(index.get_scores(terms), dtype=np.float32)

    return score


def analyser() -> Callable[[str], list[str]]:
    """Terms of a text: stems of Latin words that are no stop words, and bigrams of Han."""
    import Stemmer
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    stem = Stemmer.Stemmer("english").stemWord
    stop = frozenset(STOPWORDS_EN_PLUS)

    def analyse(text: str) -> list[str]:
        terms: list[str] = []
        for piece in pieces(fold(text)):
            if is_han(piece[0]):
                terms += [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
                continue
            word = piece.replace("\u2019", "'").removesuffix("'s")
            if word not in stop:
                terms.append(stem(word))
        return terms

    return analyse
