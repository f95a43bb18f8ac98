"""The five factors of the recall score, one per file; each is absolute, so that no memory moves another's."""

from echovessel.memory.recall.factors.anchor import entity_anchor
from echovessel.memory.recall.factors.impact import estimated_impact, impact
from echovessel.memory.recall.factors.recency import recency
from echovessel.memory.recall.factors.relational import relational_bonus
from echovessel.memory.recall.factors.relevance import relevance

FACTORS = ("recency", "relevance", "impact", "relational_bonus", "entity_anchor")

__all__ = [
    "FACTORS",
    "entity_anchor",
    "estimated_impact",
    "impact",
    "recency",
    "relational_bonus",
    "relevance",
]
