"""Recall at k: how much of the evidence is among the first k hits."""

from __future__ import annotations

from echovessel.workbench.metrics.ranks import Ranks


def recall_at(ranks: Ranks, k: float) -> float:
    r"""Fraction of the evidence found within k.

    .. math:: R@k = \frac{1}{|E|} \sum_{e \in E} [r_e \le k]

    Parameters
    ----------
    ranks : array of shape (n,)
        Rank of each piece of evidence, from 1; infinite when missed. Not empty.
    k : float
        Cut-off; greater than 0.

    Returns
    -------
    float in [0, 1].

    Notes
    -----
    With one id per hit this is trec_eval's ``recall_k``.
    """
    return float((ranks <= k).mean())
