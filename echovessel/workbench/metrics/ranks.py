"""Where each piece of evidence was found: what every ranking metric here is computed from."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.float64]
MISSED = np.inf


def evidence_ranks(evidence: Sequence[str], hits: Sequence[Collection[str]]) -> Ranks:
    """Rank of the first hit that holds each piece of evidence.

    Parameters
    ----------
    evidence : sequence of str
        Ids of the pieces.
    hits : sequence of collections of str
        For each hit, best first, the ids it stands for: one for a turn; for a memory, the turns it rests on.

    Returns
    -------
    array of shape (len(evidence),)
        Ranks from 1; infinite where no hit holds the piece.
    """
    first: dict[str, int] = {}
    for rank, held in enumerate(hits, start=1):
        for name in held:
            first.setdefault(name, rank)
    return np.array([first.get(name, MISSED) for name in evidence], dtype=np.float64)
