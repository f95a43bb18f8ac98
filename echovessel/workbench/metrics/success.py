"""Success at k: whether any, or all, of the evidence is among the first k hits."""

from __future__ import annotations

from echovessel.workbench.metrics.ranks import Ranks


def any_at(ranks: Ranks, k: float) -> float:
    r"""1 when at least one piece of evidence is found within k, else 0.

    .. math:: [\min_{e \in E} r_e \le k]

    trec_eval calls it ``success_k``; LongMemEval ``recall_any``.
    """
    return float(ranks.min() <= k)


def all_at(ranks: Ranks, k: float) -> float:
    r"""1 when every piece of evidence is found within k, else 0.

    .. math:: [\max_{e \in E} r_e \le k]

    LongMemEval calls it ``recall_all``.
    """
    return float(ranks.max() <= k)
