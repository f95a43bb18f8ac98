"""The arms `seed` and `default`: the engine's own recall, through its public API."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from echovessel.memory.recall import Hit, Weights
from echovessel.memory.recall.weights import NODE_KINDS
from echovessel.workbench.arms.base import Case, Ranked, Ranker, Ranking
from echovessel.workbench.labelled import Question
from echovessel.workbench.pool import Over


@dataclass(frozen=True, slots=True)
class Recalled:
    """`Memory.recall` with one set of weights, asked when the talk has ended.

    Over `memory`, only nodes compete: messages are there as their sources. Over `events` and `messages`,
    what competes is for the weights to say.
    """

    name: str
    weights: Weights
    needs_embedder: bool = True

    def index(self, case: Case, *, depth: int) -> Ranker:
        """Store the talk (once for all arms of this kind)."""
        stored = case.stored
        weights = self.weights.with_(kinds=NODE_KINDS) if case.over is Over.MEMORY else self.weights

        def rank(question: Question) -> Ranking:
            vector = case.embedder.embed([question.text], kind="query")[0]
            recall = stored.memory.recall(
                question.text, vector=vector, weights=weights, k=depth, now=question.asked_at
            )
            hits = tuple(Ranked(stored.item_of[hit.id], hit.score, _confidence(hit)) for hit in recall.hits)
            return Ranking(hits, {stage: spent / 1e3 for stage, spent in recall.timings.items()})

        return rank

    def without_gate(self) -> Recalled:
        """The same with nothing dropped for low relevance: what the curve of silence is drawn from."""
        return replace(self, weights=self.weights.with_(min_relevance=0.0))


def _confidence(hit: Hit) -> float:
    """Its relevance, since that is what the gate looks at; infinite when an alias lets it pass the gate."""
    return math.inf if hit.factors.anchored else float(hit.factors.relevance)
