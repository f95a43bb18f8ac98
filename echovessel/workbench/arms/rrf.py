"""The arm `rrf`: reciprocal rank fusion of `bm25` and `dense`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echovessel.workbench.arms.base import Case, Ranker, Ranking, best
from echovessel.workbench.arms.bm25 import scorer
from echovessel.workbench.labelled import Question

CONSTANT = 60


@dataclass(frozen=True, slots=True)
class Fusion:
    r"""Sum of reciprocal ranks (Cormack, Clarke and Büttcher, 2009).

    .. math:: s(d) = \sum_{l} \frac{1}{60 + r_l(d)}

    A list without the item adds nothing.
    """

    name: str = "rrf"
    needs_embedder: bool = True

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Index the rows of a talk both ways."""
        rows = case.rows()
        lexical = scorer(rows)
        matrix = case.embedder.embed(rows, kind="passage")

        def rank(question: Question) -> Ranking:
            vector = case.embedder.embed([question.text], kind="query")[0]
            fused = np.zeros(len(rows))
            for scores, floor in ((lexical(question.text), 0.0), (matrix @ vector, -np.inf)):
                order = np.argsort(-scores, kind="stable")
                listed = order[scores[order] > floor]
                fused[listed] += 1.0 / (CONSTANT + np.arange(1, len(listed) + 1))
            return Ranking(best(case.items, fused, depth, above=0.0))

        return rank
