"""The score: a weighted sum of five factors. The one place where it is computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.weights import Weights


def contributions(factors: NDArray[np.floating], weights: Weights) -> NDArray[np.float64]:
    """What each factor adds to each score.

    Parameters
    ----------
    factors : array of shape (n, 5)
        In the order of `FACTORS`.

    Returns
    -------
    array of shape (n, 5).
    """
    return np.asarray(factors, np.float64) * np.array(
        [getattr(weights, name) for name in FACTORS], np.float64
    )


def score(factors: NDArray[np.floating], weights: Weights) -> NDArray[np.float64]:
    r"""The recall score of each memory.

    .. math:: s = \sum_f w_f x_f

    Parameters
    ----------
    factors : array of shape (n, 5)
        In the order of `FACTORS`.

    Returns
    -------
    array of shape (n,).
    """
    return np.asarray(contributions(factors, weights).sum(axis=1))
