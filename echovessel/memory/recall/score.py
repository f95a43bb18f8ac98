"""The score: a weighted sum of five factors. The one place where it is computed."""

from __future__ import annotations

from collections.abc import Iterator

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
        Which are raw messages: their relevance and their impact have weights of their own.

    Returns
    -------
    array of shape (n, 5).
    """
    return np.column_stack(list(_added(factors, weights, message)))


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
    total = np.zeros(len(factors), np.float64)
    for adds in _added(factors, weights, message):
        total += adds
    return total


def _added(
    factors: NDArray[np.floating], weights: Weights, message: NDArray[np.bool_]
) -> Iterator[NDArray[np.float64]]:
    """What each factor adds, one after another: most of a large memory is scored, and only a few are explained."""
    for place, name in enumerate(FACTORS):
        weight = getattr(weights, name)
        own = getattr(weights, f"message_{name}", weight)
        if own != weight:
            weight = np.where(message, own, weight)
        yield np.multiply(factors[:, place], weight, dtype=np.float64)
