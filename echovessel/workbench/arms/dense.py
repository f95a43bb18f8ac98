"""The arm `dense`: cosine of question and text, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from echovessel.workbench.arms.base import Case, Ranker, Ranking, best
from echovessel.workbench.labelled import Question


@dataclass(frozen=True, slots=True)
class Dense:
    """Nearest vectors over date, speaker and text."""

    name: str = "dense"
    needs_embedder: bool = True

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Embed the rows of a talk."""
        matrix = case.embedder.embed(case.rows(), kind="passage")

        def rank(question: Question) -> Ranking:
            vector = case.embedder.embed([question.text], kind="query")[0]
            return Ranking(best(case.items, matrix @ vector, depth))

        return rank
