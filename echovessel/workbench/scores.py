"""From answers to tidy rows: one number with its interval per arm, level, metric, cut-off and category."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from echovessel.workbench.intervals import Interval, t_interval, wilson
from echovessel.workbench.metrics import Ranks, all_at, any_at, ndcg, recall_at, reciprocal_rank
from echovessel.workbench.pool import Over
from echovessel.workbench.results import BUDGETS, KS, SESSION_KS, Answer, ArmRun, BenchRun, Manifest

OVERALL = "overall"
NDCG_K = 10


Metric = Callable[[Ranks, int], float]
_METRICS: dict[str, Metric] = {
    "recall": recall_at,
    "any": any_at,
    "all": all_at,
    "ndcg": ndcg,
    "mrr": lambda ranks, _: reciprocal_rank(ranks),
    "recall_tokens": recall_at,
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of turns, memories or sessions, at a cut-off where it has one."""

    level: str
    metric: str
    k: int | None

    def of(self, answer: Answer) -> float:
        """Its value for one question that has evidence."""
        ranks = answer.session_ranks if self.level == "session" else answer.ranks
        found = answer.costs if self.metric == "recall_tokens" else ranks
        return _METRICS[self.metric](np.array(found), self.k or 0)


@dataclass(frozen=True, slots=True)
class Score:
    """One tidy row.

    Attributes
    ----------
    over, level : str
        What was gone over, and what counts as found: ``turn``, ``memory`` or ``session``.
    metric : str
        ``recall``, ``any``, ``all``, ``mrr``, ``ndcg``; ``recall_tokens``, whose `k` is a budget of tokens.
    n : int
        Questions.
    value : float
        Mean over questions.
    low, high : float
        95%: Student's t over conversation means, or Wilson's over questions (`interval`); NaN when unknown.
    """

    arm: str
    over: str
    level: str
    metric: str
    k: int | None
    category: str
    n: int
    value: float
    low: float
    high: float
    interval: str

    def record(self) -> dict[str, str | int | float | None]:
        """As JSON holds it: unknown bounds are null."""
        return {
            name: None if isinstance(v, float) and math.isnan(v) else v for name, v in asdict(self).items()
        }


def measures(over: Over, ks: Sequence[int] = KS) -> tuple[Measure, ...]:
    """Everything that is reported of a run over `over`, with the plain cut-offs `ks`."""
    level = over.level
    found = [Measure(level, metric, k) for k in ks for metric in ("recall", "any", "all")]
    found += [Measure(level, "mrr", None), Measure(level, "ndcg", NDCG_K)]
    found += [Measure(level, "recall_tokens", budget) for budget in BUDGETS]
    if over is not Over.MEMORY:
        found += [Measure("session", "recall", k) for k in SESSION_KS]
    return tuple(found)


def answered(run: ArmRun, manifest: Manifest, category: str = OVERALL) -> list[Answer]:
    """Answers with evidence of a category; for ``overall``, of every category not kept apart."""
    return [
        a
        for a in run.answers
        if a.evidence
        and (a.category not in manifest.apart if category == OVERALL else a.category == category)
    ]


def categories(run: ArmRun) -> list[str]:
    """Categories that have a question with evidence, in order."""
    return sorted({a.category for a in run.answers if a.evidence})


def by_talk(answers: Sequence[Answer], of: Callable[[Answer], float]) -> dict[str, NDArray[np.float64]]:
    """One value per question, by conversation."""
    values: dict[str, list[float]] = {}
    for each in answers:
        values.setdefault(each.talk, []).append(of(each))
    return {talk: np.array(found) for talk, found in values.items()}


def interval_of(manifest: Manifest) -> str:
    """``wilson`` for our own set, and where there is but one conversation; else ``t``."""
    return "wilson" if manifest.dataset == "own" or len(manifest.talks) < 2 else "t"


def score(run: ArmRun, manifest: Manifest, measured: Measure, category: str = OVERALL) -> Score | None:
    """One row, or none when the category is empty."""
    grouped = by_talk(answered(run, manifest, category), measured.of)
    if not grouped:
        return None
    everything = np.concatenate(list(grouped.values()))
    value, kind = float(everything.mean()), interval_of(manifest)
    bounds: Interval
    if kind == "wilson":
        bounds = wilson(value, len(everything))
    else:
        bounds = t_interval([float(values.mean()) for values in grouped.values()])
    return Score(
        run.arm,
        run.over.value,
        measured.level,
        measured.metric,
        measured.k,
        category,
        len(everything),
        value,
        bounds.low,
        bounds.high,
        kind,
    )


def tidy(run: BenchRun) -> list[Score]:
    """Every row of a run."""
    return [
        row
        for arm in run.arms
        for measured in measures(arm.over, run.manifest.ks)
        for category in (OVERALL, *categories(arm))
        if (row := score(arm, run.manifest, measured, category)) is not None
    ]
