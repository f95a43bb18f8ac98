"""Recency: how fresh a memory is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import WeightError

HALF_LIFE_DAYS = 14.0


def recency(age_days: NDArray[np.floating], *, half_life: float = HALF_LIFE_DAYS) -> NDArray[np.float64]:
    r"""Exponential decay of a memory's age.

    .. math:: r = 2^{-\max(a, 0) / h}

    Parameters
    ----------
    age_days : array of shape (n,)
        Days since it happened. Negative ages (the future) count as 0.
    half_life : float
        Days after which the factor has halved; greater than 0.

    Returns
    -------
    array of shape (n,), in (0, 1].

    Raises
    ------
    WeightError
        `half_life` is not a finite number greater than 0.

    Notes
    -----
    Absolute, so that adding a memory never changes another's score. Park et al. (2023) rank by
    access order and normalise per query instead.
    """
    if not (math.isfinite(half_life) and half_life > 0):
        raise WeightError(f"half_life must be greater than 0 days, found {half_life}.")
    # A memory of many lives still has a trace: the smallest normal double instead of an underflow to 0.
    oldest = 1022.0 * half_life
    return np.exp2(-np.clip(np.asarray(age_days, np.float64), 0.0, oldest) / half_life)
