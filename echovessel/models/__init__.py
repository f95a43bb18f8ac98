"""Embedders behind one small protocol; each is imported only when it is asked for."""

from echovessel.models.registry import embedder, embedder_names

__all__ = ["embedder", "embedder_names"]
