"""Intervals around a mean: over conversations, and over single yes-or-no answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from echovessel.errors import InputError, MissingExtra


class Interval(NamedTuple):
    """A 95% interval, or NaN on both sides where there is too little to say."""

    low: float
    high: float


UNKNOWN = Interval(math.nan, math.nan)


def t_interval(
    means: Sequence[float], *, level: float = 0.95, within: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    r"""Student's t interval of the mean over conversations.

    .. math:: \bar m \pm t_{C-1} \cdot s / \sqrt{C}

    Parameters
    ----------
    means : sequence of float
        One mean per conversation. Questions of one conversation hang together, so conversations are the
        sample.
    level : float
        Share of intervals that hold the true mean; in (0, 1).
    within : pair of float
        What a mean can be: (-1, 1) for differences of shares.

    Returns
    -------
    Interval
        Held to `within`; unknown for fewer than 2 conversations.
    """
    if len(means) < 2:
        return UNKNOWN
    try:
        from scipy.stats import t as student
    except ImportError as error:
        raise MissingExtra("A t interval", "bench") from error
    values = np.asarray(means, dtype=np.float64)
    half = float(student.ppf((1 + level) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values)))
    centre = float(values.mean())
    return Interval(max(within[0], centre - half), min(within[1], centre + half))


def wilson(mean: float, n: int, *, z: float = 1.959963984540054) -> Interval:
    r"""Wilson's score interval of a proportion.

    .. math:: \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    Parameters
    ----------
    mean : float
        Share of successes, in [0, 1]. For a mean of fractions (evidence found) the interval is too wide
        rather than too narrow, since nothing in [0, 1] varies more than a yes-or-no of the same mean.
    n : int
        Questions; unknown for 0.
    z : float
        Normal quantile: 1.96 for 95%.

    Notes
    -----
    Wilson (1927). Takes the questions as independent.
    """
    if not -1e-9 <= mean <= 1 + 1e-9:
        raise InputError(f"a share must lie in 0..1, found {mean}.")
    if n == 0:
        return UNKNOWN
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(max(0.0, mean * (1 - mean)) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 and 1 the exact bound is the share itself; rounding must not push it off.
    return Interval(min(mean, max(0.0, centre - half)), max(mean, min(1.0, centre + half)))
