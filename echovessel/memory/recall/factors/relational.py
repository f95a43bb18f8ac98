"""Relational bonus: whether a memory touches the bond between the two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def relational_bonus(tags: NDArray[np.integer]) -> NDArray[np.float64]:
    """1 where a memory carries at least one relational tag, else 0.

    Parameters
    ----------
    tags : array of shape (n,)
        How many tags of the closed list each memory has.

    Returns
    -------
    array of shape (n,), 0 or 1.
    """
    return (np.asarray(tags) > 0).astype(np.float64)
