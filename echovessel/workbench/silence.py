"""Questions that can't be answered: how often nothing comes back, and what that costs elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import InputError
from echovessel.workbench.metrics import auroc
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
    thresholds = _thresholds(run.ungated)
    found, quiet = _recall(answerable, thresholds), _silent(unanswerable, thresholds)
    full = found[0]
    curve = tuple(map(SilencePoint, thresholds.tolist(), quiet.tolist(), (full - found).tolist()))
    asked = [a for a in run.answers if a.unanswerable]
    as_is = np.array([-math.inf])
    kept = _recall([a for a in run.answers if a.evidence], as_is)[0]
    shipped = SilencePoint(math.nan, float(_silent(asked, as_is)[0]), float(full - kept))
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


def _thresholds(answers: Sequence[Answer]) -> NDArray[np.float64]:
    """From one that drops nothing to one that drops all but what an alias lets pass."""
    finite = np.array([h.confidence for a in answers for h in a.hits if math.isfinite(h.confidence)])
    steps = np.unique(np.quantile(finite, np.linspace(0, 1, POINTS))) if len(finite) else finite
    return np.array([-math.inf, *steps.tolist(), math.inf])


def _silent(answers: Sequence[Answer], thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of answers of which nothing is left, per threshold."""
    best = np.array([_confidence(a) for a in answers])
    # An answer without a hit is silent at every threshold, also at the lowest.
    quiet = (best[:, None] < thresholds) | (best[:, None] == -math.inf)
    return np.asarray(quiet.mean(axis=0), np.float64)


def _recall(answers: Sequence[Answer], thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Recall at 10 of what is left, per threshold.

    A piece of evidence is among the first ten while it is kept itself and fewer than ten above it are: for
    thresholds up to its own confidence, and above the tenth best confidence of the hits before it.
    """
    total = np.zeros(len(thresholds))
    for each in answers:
        place = {hit.id: rank for rank, hit in enumerate(each.hits)}
        confidence = np.array([hit.confidence for hit in each.hits])
        for name in each.evidence:
            if name not in place:
                continue
            before = np.sort(confidence[: place[name]])[::-1]
            crowded = before[K - 1] if len(before) >= K else None
            found = thresholds <= confidence[place[name]]
            total += (found if crowded is None else found & (thresholds > crowded)) / len(each.evidence)
    return total / len(answers)


def _confidence(answer: Answer) -> float:
    return max((hit.confidence for hit in answer.hits), default=-math.inf)
