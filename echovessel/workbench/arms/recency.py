"""The arm `recency`: the latest first, whatever is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echovessel.workbench.arms.base import Case, Ranker, Ranking, best
from echovessel.workbench.labelled import Question


@dataclass(frozen=True, slots=True)
class Recency:
    """Items by time, latest first; of equal times the one said later."""

    name: str = "recency"
    needs_embedder: bool = False

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Order once: no question changes it."""
        order = sorted(range(len(case.items)), key=lambda place: (case.items[place].at, place))
        scores = np.empty(len(order))
        scores[order] = np.arange(len(order))
        ranking = Ranking(best(case.items, scores, depth))

        def rank(question: Question) -> Ranking:
            return ranking

        return rank
