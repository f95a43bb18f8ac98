"""The score: a weighted sum of five factors. The one place where it is computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.weights import Weights


def contributions(
    factors: NDArray[np.floating], weights: Weights, *, message: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """What each factor adds to each score.

    Parameters
    ----------
    factors : array of shape (n, 5)
        In the order of `FACTORS`.
    message : array of shape (n,)
        Which are raw messages: their relevance has a weight of its own.

    Returns
    -------
    array of shape (n, 5).
    """
    adds = np.asarray(factors, np.float64) * np.array([getattr(weights, name) for name in FACTORS])
    relevance = FACTORS.index("relevance")
    counts_for = np.where(message, weights.message_relevance, weights.relevance)
    adds[:, relevance] = factors[:, relevance] * counts_for
    return np.asarray(adds)


def score(
    factors: NDArray[np.floating], weights: Weights, *, message: NDArray[np.bool_]
) -> NDArray[np.float64]:
    r"""The recall score of each memory.

    .. math:: s = \sum_f w_f x_f

    Parameters
    ----------
    factors : array of shape (n, 5)
        In the order of `FACTORS`.
    message : array of shape (n,)
        Which are raw messages.

    Returns
    -------
    array of shape (n,).
    """
    return np.asarray(contributions(factors, weights, message=message).sum(axis=1))
