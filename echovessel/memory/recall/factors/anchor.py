"""Entity anchor: whether the query names somebody the memory is about."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def entity_anchor(size: int, linked: Iterable[NDArray[np.integer]]) -> NDArray[np.float64]:
    """1 where a memory is linked to an entity that the query names by any alias, else 0.

    Parameters
    ----------
    size : int
        Number of memories.
    linked : iterable of arrays
        For each named entity, the positions of the memories linked to it.

    Returns
    -------
    array of shape (size,), 0 or 1.
    """
    anchor = np.zeros(size, np.float64)
    for positions in linked:
        anchor[positions] = 1.0
    return anchor
