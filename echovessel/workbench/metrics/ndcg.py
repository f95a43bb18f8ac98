"""Normalised discounted cumulative gain at k."""

from __future__ import annotations

import numpy as np

from echovessel.workbench.metrics.ranks import Ranks


def ndcg(ranks: Ranks, k: int = 10) -> float:
    r"""Discounted gain of the evidence within k, against the best order possible.

    .. math:: \frac{\sum_{e: r_e \le k} 1 / \log_2(1 + r_e)}{\sum_{i=1}^{\min(|E|, k)} 1 / \log_2(1 + i)}

    Parameters
    ----------
    ranks : array of shape (n,)
        Rank of each piece of evidence, from 1; infinite when missed. Not empty.
    k : int
        Cut-off; at least 1.

    Returns
    -------
    float in [0, 1].

    Notes
    -----
    Binary gains (Järvelin and Kekäläinen, 2002). With one id per hit this is trec_eval's ``ndcg_cut_k``.
    A memory that rests on several pieces of evidence gains for each, and the quotient is held to 1.
    """
    found = ranks[ranks <= k]
    best = np.arange(1, min(len(ranks), k) + 1)
    return min(1.0, float((1 / np.log2(1 + found)).sum() / (1 / np.log2(1 + best)).sum()))
