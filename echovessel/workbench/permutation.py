"""Whether one arm is better than another on the same questions of the same conversations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import InputError
from echovessel.workbench.intervals import Interval, t_interval

EXACT_UP_TO = 16  # 65,536 sign patterns
RESAMPLES = 10_000
# With 5 conversations even 5 wins out of 5 have a two-sided sign probability of .0625.
CONVERSATIONS_FOR_A_CLAIM = 6
THESE_ONLY = "these conversations only"


@dataclass(frozen=True, slots=True)
class Paired:
    """Two arms on the same questions.

    Attributes
    ----------
    difference : float
        Mean of first minus second, over questions.
    p : float
        Two-sided permutation probability. It speaks about these conversations, not about others.
    exact : bool
        Whether every pattern of signs was tried.
    wins, losses, ties : int
        Conversations in which the first arm's mean is above, below, or equal.
    interval : Interval
        95% of the mean difference, by Student's t over conversations; unknown for fewer than 2 of them.
    effect : float
        Cohen's d of paired values: mean difference over the standard deviation of the differences, over questions.
        0 when none differs, NaN when all differ by the same.
    """

    difference: float
    p: float
    exact: bool
    wins: int
    losses: int
    ties: int
    interval: Interval
    effect: float

    @property
    def conversations(self) -> int:
        """How many there are."""
        return self.wins + self.losses + self.ties

    @property
    def may_claim(self) -> bool:
        """Whether there are enough conversations to speak of significance at all."""
        return self.conversations >= CONVERSATIONS_FOR_A_CLAIM

    def in_words(self) -> str:
        """One line: the difference, wins out of n, the probability and what it is about."""
        wins = f"better in {self.wins} of {self.conversations} conversations"
        if self.ties:
            wins += f", equal in {self.ties}"
        return f"{self.difference:+.3f}; {wins}; p = {self.p:.4f} ({THESE_ONLY})"


def paired_permutation(
    first: Sequence[NDArray[np.float64]], second: Sequence[NDArray[np.float64]], *, seed: int = 0
) -> Paired:
    """Swap the two arms' values at random inside each conversation, question by question.

    Parameters
    ----------
    first, second : sequences of arrays
        For each conversation, one value per question; the same questions in the same order.
    seed : int
        For the resamples, when there are too many questions to try every pattern.

    Notes
    -----
    Under the hypothesis that the arms are exchangeable on these questions, each difference is as likely with
    either sign. Exact for up to 16 questions that differ; else 10,000 resamples with (b + 1) / (m + 1).
    """
    if len(first) != len(second) or any(len(a) != len(b) for a, b in zip(first, second, strict=False)):
        raise InputError(
            "a paired test needs the same questions on both sides. Run both arms on the same set."
        )
    gaps = [
        np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
        for a, b in zip(first, second, strict=True)
    ]
    gaps = [gap for gap in gaps if len(gap)]
    if not gaps:
        raise InputError("a paired test needs at least one question. Choose a category that has any.")
    everything = np.concatenate(gaps)
    means = np.array([gap.mean() for gap in gaps])
    p, exact = _two_sided(everything[everything != 0.0], seed)
    return Paired(
        float(everything.mean()),
        p,
        exact,
        int((means > 0).sum()),
        int((means < 0).sum()),
        int((means == 0).sum()),
        t_interval(means.tolist(), within=(-1.0, 1.0)),
        _effect(everything),
    )


def _effect(gaps: NDArray[np.float64]) -> float:
    spread = float(gaps.std(ddof=1)) if len(gaps) > 1 else 0.0
    if spread > 1e-12:
        return float(gaps.mean()) / spread
    return 0.0 if not gaps.any() else math.nan


def _two_sided(gaps: NDArray[np.float64], seed: int) -> tuple[float, bool]:
    n = len(gaps)
    if n == 0:
        return 1.0, True
    seen = abs(gaps.sum()) - 1e-12 * np.abs(gaps).sum()  # sums of the same gaps may differ in the last bit
    if n <= EXACT_UP_TO:
        patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        sums = (patterns * 2.0 - 1.0) @ gaps
        return float((np.abs(sums) >= seen).mean()), True
    draw = np.random.default_rng(seed)
    reached = 0
    for _ in range(RESAMPLES // 500):
        sums = draw.choice([-1.0, 1.0], size=(500, n)) @ gaps
        reached += int((np.abs(sums) >= seen).sum())
    return (reached + 1) / (RESAMPLES + 1), False
