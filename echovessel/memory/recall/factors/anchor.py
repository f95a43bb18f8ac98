"""Entity anchor: whether the query names somebody the memory is about."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def entity_anchor(
    size: int,
    linked: Iterable[NDArray[np.integer]],
    said: NDArray[np.integer] | None = None,
    *,
    speaker: float = 0.0,
) -> NDArray[np.float64]:
    """1 where a memory is linked to an entity that the query names by any alias, else 0.

    A message that was only said by whom the query names has `speaker`.

    Parameters
    ----------
    size : int
        Number of memories.
    linked : iterable of arrays
        For each named entity, the positions of the memories linked to it.
    said : array of int, optional
        Positions of the messages of the one who talks and is named.
    speaker : float, in [0, 1)

    Returns
    -------
    array of shape (size,), in [0, 1]. Only 1 lets a memory pass the gate.
    """
    anchor = np.zeros(size, np.float64)
    if said is not None:
        anchor[said] = speaker
    for positions in linked:
        anchor[positions] = 1.0
    return anchor
