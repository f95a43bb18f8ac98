"""Relevance: how likely it is that a memory bears on the query."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import Logit


def logits(
    cosine: NDArray[np.floating], lexical: NDArray[np.floating], *, logit: Logit, blend: float = 0.5
) -> NDArray[np.float64]:
    """The log-odds behind `relevance`: monotone in it, and cheap enough for every memory there is."""
    dense = 2 * blend * logit.cosine
    words = 2 * (1 - blend) * logit.lexical
    found: NDArray[np.float64] = np.multiply(cosine, dense, dtype=np.float64)
    found += logit.intercept
    # Most memories share no word with the query.
    some = np.flatnonzero(np.not_equal(lexical, 0))  # found much faster among bools
    found[some] += words * np.asarray(lexical, np.float64)[some]
    return found


def log_odds(probability: float) -> float:
    """The log-odds of a probability; minus and plus infinity for 0 and 1."""
    if probability in (0, 1):
        return -math.inf if probability == 0 else math.inf
    return math.log(probability / (1 - probability))


def sigmoid(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """The probability of log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -500, 500))), np.float64)


def relevance(
    cosine: NDArray[np.floating], lexical: NDArray[np.floating], *, logit: Logit, blend: float = 0.5
) -> NDArray[np.float64]:
    r"""Calibrated probability that query and memory belong together.

    .. math:: r = \sigma(a + 2\beta \, b \, \cos + 2(1 - \beta) \, c \, \mathrm{lex})

    Parameters
    ----------
    cosine : array of shape (n,), in [-1, 1]
        Of query and memory.
    lexical : array of shape (n,), in [0, 1]
        BM25 over the best score the query could reach.
    logit : Logit
        The constants a, b, c of the embedder, measured by ``evals/calibrate.py`` with logistic regression on
        pairs of question and evidence against random pairs (Platt, 1999).
    blend : float, in [0, 1]
        0 is lexical alone, 0.5 as calibrated, 1 dense alone.

    Returns
    -------
    array of shape (n,), in (0, 1).
    """
    return sigmoid(logits(cosine, lexical, logit=logit, blend=blend))
