"""Recall: which memories bear on a query, and why."""

from echovessel.memory.recall.recall import Recaller
from echovessel.memory.recall.result import Dropped, Factors, Hit, Recall
from echovessel.memory.recall.weights import Weights

__all__ = ["Dropped", "Factors", "Hit", "Recall", "Recaller", "Weights"]
