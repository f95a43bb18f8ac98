"""Metrics of a ranking, one per file, as plain functions on ranks or scores."""

from echovessel.workbench.metrics.auroc import auroc
from echovessel.workbench.metrics.mrr import reciprocal_rank
from echovessel.workbench.metrics.ndcg import ndcg
from echovessel.workbench.metrics.ranks import MISSED, Ranks, evidence_ranks
from echovessel.workbench.metrics.recall import recall_at
from echovessel.workbench.metrics.success import all_at, any_at

__all__ = [
    "MISSED",
    "Ranks",
    "all_at",
    "any_at",
    "auroc",
    "evidence_ranks",
    "ndcg",
    "recall_at",
    "reciprocal_rank",
]
