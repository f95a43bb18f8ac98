"""Area under the ROC curve: how well a confidence tells answerable questions from others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import InputError


def auroc(positive: NDArray[np.float64], negative: NDArray[np.float64]) -> float:
    r"""Chance that a positive scores above a negative; ties count half.

    .. math:: \frac{1}{nm} \sum_{i,j} [p_i > q_j] + \tfrac12 [p_i = q_j]

    Parameters
    ----------
    positive, negative : arrays of shape (n,) and (m,)
        Confidences; may be infinite, not NaN. Neither may be empty.

    Returns
    -------
    float in [0, 1]; 0.5 is chance.

    Notes
    -----
    The Mann-Whitney statistic (Hanley and McNeil, 1982).
    """
    if not len(positive) or not len(negative):
        raise InputError(
            "auroc needs at least one positive and one negative. Give a set with both kinds of question."
        )
    ordered = np.sort(negative)
    below, upto = (np.searchsorted(ordered, positive, side=side) for side in ("left", "right"))
    return float((below + upto).sum() / (2 * len(positive) * len(negative)))
