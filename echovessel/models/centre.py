"""The common part of an embedder's vectors, and how it is taken off.

All questions lie near each other whatever they ask, and so do all statements: with the raw vectors a question
finds other questions before its answer. So the mean of many questions is taken off a query, and the mean of many
statements off a passage. Both were measured by ``evals/calibrate.py`` on the tuning part of the labelled set.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from echovessel.embedding import TextKind, Vectors
from echovessel.models.hygiene import unit


class Centre:
    """The two means of one embedder; shape (2, dim), queries first.

    Attributes
    ----------
    path : Path
        The file that holds them: stored vectors depend on it, so it is part of the checksum.
    """

    def __init__(self, name: str) -> None:
        self.path = Path(str(files("echovessel.models") / "means" / f"{name}.npy"))
        with self.path.open("rb") as file:
            self._query, self._passage = np.load(file, allow_pickle=False)

    def off(self, vectors: Vectors, kind: TextKind) -> Vectors:
        """Unit vectors without the common part of their kind."""
        return unit(vectors - (self._query if kind == "query" else self._passage))
