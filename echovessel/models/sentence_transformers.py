"""st: any sentence-transformers model, by hub name or path."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from echovessel.embedding import EmbedderIdentity, TextKind, Vectors
from echovessel.errors import ConfigError, MissingExtra
from echovessel.models.calibration import calibration
from echovessel.models.hygiene import clean_all, unit

MAX_CHARS = 32_000

# Families that want a prefix and often don't declare it in their files: (part of the name, query, passage).
# First match wins. bge-m3 wants none.
PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("bge-m3", "", ""),
    ("bge-large-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-base-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-", "Represent this sentence for searching relevant passages: ", ""),
    ("e5-", "query: ", "passage: "),
)


class SentenceTransformerEmbedder:
    """A sentence-transformers model behind the `Embedder` protocol.

    Parameters
    ----------
    model : str
        A hub name such as ``"BAAI/bge-m3"``, or the path of a folder.
    device : str, optional
        ``"cpu"``, ``"cuda"``, ``"mps"``; the library's own choice if None.
    batch_size : int
        Texts per forward pass.

    Raises
    ------
    MissingExtra
        sentence-transformers is not installed.
    ConfigError
        The model is neither on this machine nor to be had from the hub.

    Notes
    -----
    Prompts that the model declares for queries and documents are used; else the prefixes of its family
    (`PREFIXES`). The identity's checksum covers the loaded weights, so a new revision under an old name is
    another embedder, while a model that was only moved or a newer library is not: a folder goes by its last
    part alone.
    """

    def __init__(self, model: str, *, device: str | None = None, batch_size: int = 32) -> None:
        # Read by huggingface_hub at its import.
        os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as e:
            raise MissingExtra(f"The embedder st:{model}", "st") from e
        path = Path(model).expanduser()
        local = path.is_dir()
        if not local and _looks_like_path(model):
            raise ConfigError(
                f"There is no folder {path}. Name one that holds a sentence-transformers model."
            )
        try:
            with _quiet():
                self._model: Any = SentenceTransformer(str(path) if local else model, device=device)
        except (OSError, ValueError) as e:
            raise ConfigError(_why(model, local=local)) from e
        self._name = f"st:{path.resolve().name if local else model}"
        self._batch_size = batch_size
        self._prompts = _prompts(self._name, getattr(self._model, "prompts", None) or {})
        self._lock = threading.Lock()

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors. The first call hashes the weights in memory: about 1 s per GB."""
        import torch

        digest = hashlib.sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        for kind in sorted(self._prompts):
            digest.update(self._prompts[kind].encode())
        return EmbedderIdentity(
            name=self._name,
            version="1",  # of the steps in this file; the library's own releases don't change vectors
            dim=int(self._model.get_embedding_dimension()),
            checksum=digest.hexdigest(),
            calibration=calibration(self._name),
        )

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), identity.dim), by the model's prompt for `kind`."""
        cleaned = clean_all(texts, max_chars=MAX_CHARS)
        if not cleaned:
            return np.empty((0, self.identity.dim), dtype=np.float32)
        with self._lock:
            rows = self._model.encode(
                cleaned,
                prompt=self._prompts[kind],
                batch_size=self._batch_size,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return unit(rows)


def _prompts(name: str, declared: dict[str, str]) -> dict[TextKind, str]:
    query = declared.get("query", "")
    passage = declared.get("passage") or declared.get("document") or ""
    if not query and not passage:
        short = name.casefold()
        query, passage = next(((q, p) for part, q, p in PREFIXES if part in short), ("", ""))
    return {"query": query, "passage": passage}


def _looks_like_path(model: str) -> bool:
    return (
        model.startswith(("/", "./", "../", "~", "\\")) or model.count("/") > 1 or Path(model).is_absolute()
    )


def _why(model: str, *, local: bool) -> str:
    if local:
        return f"The folder {model} holds no sentence-transformers model that can be loaded."
    return (
        f"The model {model!r} is not on this machine and could not be fetched from the hub; "
        f"check its name and the connection, or give the path of a folder: st:/path/to/model."
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's advice about missing files out of the user's log; the error says it."""
    logger = logging.getLogger("sentence_transformers")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
