"""What every embedder does to text before its model, and to vectors after it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import Vectors
from echovessel.errors import InputError
from echovessel.text import clean


def clean_all(texts: Sequence[str], *, max_chars: int) -> list[str]:
    """Texts that any tokenizer can take: no lone surrogates, no NUL, at most `max_chars` characters.

    What lies past `max_chars` is cut, since the cost of a model grows with length while one vector can't
    say more. A bare string is refused: it would be read as a list of letters.

    Raises
    ------
    InputError
        `texts` is a string, or holds something that is not one.
    """
    if isinstance(texts, str):
        raise InputError(
            f"embed takes a list of texts, found one string. Write embed([{texts[:20]!r}], ...)."
        )
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"texts[{i}] must be a string, found {type(text).__name__}.")
    return [clean(text[:max_chars]) for text in texts]


def unit(vectors: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1, float32; shape (n, dim)."""
    rows = np.asarray(vectors, dtype=np.float32)
    norms: Vectors = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)).astype(np.float32)
    return rows / norms[:, None]


def checksum(files: Iterable[Path]) -> str:
    """SHA-256 over the bytes of the files, in the order given; 64 hex digits."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as f:
            while block := f.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
