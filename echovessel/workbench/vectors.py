"""Vectors computed once per embedder and text, kept beside the user's caches."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from echovessel.embedding import Embedder, EmbedderIdentity, TextKind, Vectors


def cache_folder() -> Path:
    """Where vectors of benchmarks are kept when nothing else is said."""
    return user_cache_path("echovessel", appauthor=False) / "bench"


class CachedEmbedder:
    """An embedder that remembers; the file holds hashes of texts and their vectors, never a text.

    Parameters
    ----------
    embedder : Embedder
        Makes what is not there yet.
    digest : str
        Of the data set: each set has a file of its own.
    folder : Path, optional
        Where the file lies; the user's cache when left out.
    """

    def __init__(self, embedder: Embedder, *, digest: str, folder: Path | None = None) -> None:
        self._embedder = embedder
        identity = embedder.identity
        maker = hashlib.sha256(
            f"{identity.name} {identity.version} {identity.dim} {identity.checksum}".encode()
        )
        self.path = (folder or cache_folder()) / f"{digest[:16]}-{maker.hexdigest()[:16]}.npz"
        self._known = self._read()
        self._fresh = False

    @property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors."""
        return self._embedder.identity

    @property
    def plain(self) -> Embedder:
        """The embedder itself, for measuring how long it takes."""
        return self._embedder

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), identity.dim)."""
        keys = [_key(text, kind) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            made = self._embedder.embed(list(missing.values()), kind=kind)
            self._known.update(zip(missing, made, strict=True))
            self._fresh = True
        if not keys:
            return np.empty((0, self.identity.dim), dtype=np.float32)
        return np.stack([self._known[key] for key in keys])

    def save(self) -> None:
        """Write what is new; atomically, so that a run broken off leaves the old file."""
        if not self._fresh:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".npz")
        with os.fdopen(handle, "wb") as file:
            np.savez(file, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        Path(name).replace(self.path)
        self._fresh = False

    def _read(self) -> dict[str, Vectors]:
        try:
            with self.path.open("rb") as file, np.load(file) as stored:
                vectors = stored["vectors"].astype(np.float32)
                if vectors.ndim != 2 or vectors.shape[1] != self._embedder.identity.dim:
                    return {}
                return dict(zip(stored["keys"].tolist(), vectors, strict=True))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}  # absent or damaged: made again


def _key(text: str, kind: TextKind) -> str:
    return hashlib.blake2b(f"{kind}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
