"""Reciprocal rank: how soon the first piece of evidence comes."""

from __future__ import annotations

from echovessel.workbench.metrics.ranks import Ranks


def reciprocal_rank(ranks: Ranks) -> float:
    r"""One over the rank of the first evidence found; 0 when none is.

    .. math:: RR = 1 / \min_{e \in E} r_e

    Parameters
    ----------
    ranks : array of shape (n,)
        Rank of each piece of evidence, from 1; infinite when missed. Not empty.

    Returns
    -------
    float in [0, 1].

    Notes
    -----
    trec_eval's ``recip_rank``. Its mean over questions is the MRR.
    """
    return float(1.0 / ranks.min())
