"""Impact: how much a memory weighs for the one who lived it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ESTIMATE_CAP = 0.3
_FULL_LENGTH = 20  # content words after which a longer message says no more
_QUESTION = 0.5  # a question asks more than it tells


def impact(value: NDArray[np.floating]) -> NDArray[np.float64]:
    """Strength of an event, good or bad: ``abs(impact) / 10``.

    Parameters
    ----------
    value : array of shape (n,), in [-10, 10]

    Returns
    -------
    array of shape (n,), in [0, 1].
    """
    return np.abs(np.asarray(value, np.float64)) / 10.0


def estimated_impact(
    content_words: NDArray[np.integer], is_question: NDArray[np.bool_]
) -> NDArray[np.float64]:
    r"""A stand-in for messages, which no model has rated: how much a message says.

    .. math:: e = 0.3 \cdot \min\left(1, \frac{\log(1 + n)}{\log(1 + 20)}\right) \cdot
              \begin{cases} 1/2 & \text{a question} \\ 1 & \text{else} \end{cases}

    Parameters
    ----------
    content_words : array of shape (n,)
        Terms left after stop words.
    is_question : array of shape (n,)

    Returns
    -------
    array of shape (n,), in [0, 0.3].
    """
    says = np.minimum(np.log1p(np.asarray(content_words, np.float64)) / np.log1p(_FULL_LENGTH), 1.0)
    return np.asarray(ESTIMATE_CAP * says * np.where(is_question, _QUESTION, 1.0))
