"""The arm `random`: what luck finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echovessel.workbench.arms.base import Case, Ranker, Ranking, best
from echovessel.workbench.labelled import Question


@dataclass(frozen=True, slots=True)
class Chance:
    """Items in random order, the same for the same seed, talk and question."""

    name: str = "random"
    needs_embedder: bool = False

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Nothing to index."""
        draw = np.random.default_rng([case.seed, *case.talk.id.encode()])

        def rank(question: Question) -> Ranking:
            return Ranking(best(case.items, draw.random(len(case.items)), depth))

        return rank
