"""Questions that can't be answered: how often nothing comes back, and what that costs elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from echovessel.errors import InputError
from echovessel.workbench.metrics import auroc, evidence_ranks, recall_at
from echovessel.workbench.results import Answer, ArmRun, BenchRun

K = 10
POINTS = 200


@dataclass(frozen=True, slots=True)
class SilencePoint:
    """What dropping every hit below a confidence brings.

    Attributes
    ----------
    threshold : float
        In the arm's own units.
    silent : float
        Share of unanswerable questions for which nothing comes back.
    lost : float
        Recall at 10 lost on answerable ones, against dropping nothing.
    """

    threshold: float
    silent: float
    lost: float


@dataclass(frozen=True, slots=True)
class Silence:
    """One arm's silence.

    Attributes
    ----------
    shipped : SilencePoint
        The arm as it is; its threshold is NaN, being its own affair.
    curve : tuple of SilencePoint
        From dropping nothing to dropping everything, by growing threshold.
    by_kind : dict
        At the shipped point, silent and asked, per kind of unanswerable question.
    auroc : float
        Chance that an answerable question's best confidence is above an unanswerable one's.
    """

    arm: str
    shipped: SilencePoint
    curve: tuple[SilencePoint, ...]
    by_kind: dict[str, tuple[int, int]]
    auroc: float

    def bought_at(self, lost: float) -> float:
        """The greatest share silent that loses no more than `lost`."""
        return max((point.silent for point in self.curve if point.lost <= lost + 1e-12), default=0.0)


def silence_of(run: ArmRun) -> Silence:
    """How an arm does where there is nothing to find.

    The curve is drawn from answers with nothing dropped: a hit stays when its confidence is at least the
    threshold; one that an alias lets pass always stays.

    Raises
    ------
    InputError
        The run has no unanswerable question, or no other.
    """
    answerable = [a for a in run.ungated if a.evidence]
    unanswerable = [a for a in run.ungated if a.unanswerable]
    if not answerable or not unanswerable:
        raise InputError(
            "silence is measured on a set with answerable and unanswerable questions. Use --dataset own."
        )
    full = _recall(answerable, -math.inf)
    curve = tuple(
        SilencePoint(threshold, _silent(unanswerable, threshold), full - _recall(answerable, threshold))
        for threshold in _thresholds(run.ungated)
    )
    asked = [a for a in run.answers if a.unanswerable]
    shipped = SilencePoint(
        math.nan,
        _silent(asked, -math.inf),
        full - _recall([a for a in run.answers if a.evidence], -math.inf),
    )
    kinds = sorted({a.category for a in asked})
    by_kind = {
        kind: (sum(not a.hits for a in asked if a.category == kind), sum(a.category == kind for a in asked))
        for kind in kinds
    }
    area = auroc(*(np.array([_confidence(a) for a in group]) for group in (answerable, unanswerable)))
    return Silence(run.arm, shipped, curve, by_kind, area)


def silences(run: BenchRun) -> list[tuple[ArmRun, Silence]]:
    """Of every arm that was asked unanswerable questions."""
    return [(arm, silence_of(arm)) for arm in run.arms if any(a.evidence for a in arm.ungated)]


def _thresholds(answers: Sequence[Answer]) -> list[float]:
    finite = np.array([h.confidence for a in answers for h in a.hits if math.isfinite(h.confidence)])
    if not len(finite):
        return [-math.inf, math.inf]
    steps = np.unique(np.quantile(finite, np.linspace(0, 1, POINTS)))
    return [*steps.tolist(), math.inf]


def _kept(answer: Answer, threshold: float) -> list[str]:
    return [hit.id for hit in answer.hits if hit.confidence >= threshold]


def _silent(answers: Sequence[Answer], threshold: float) -> float:
    return sum(not _kept(a, threshold) for a in answers) / len(answers)


def _recall(answers: Sequence[Answer], threshold: float) -> float:
    found = [evidence_ranks(a.evidence, [(name,) for name in _kept(a, threshold)]) for a in answers]
    return float(np.mean([recall_at(ranks, K) for ranks in found]))


def _confidence(answer: Answer) -> float:
    return max((hit.confidence for hit in answer.hits), default=-math.inf)
