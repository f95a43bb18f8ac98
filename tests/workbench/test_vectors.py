from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from echovessel.models.hash import HashEmbedder
from echovessel.workbench.vectors import CachedEmbedder


class Counting(HashEmbedder):
    """Counts the texts it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, kind):
        self.asked += texts
        return super().embed(texts, kind=kind)


def test_a_text_is_embedded_once_also_by_the_next_run(tmp_path: Path) -> None:
    first = Counting()
    cached = CachedEmbedder(first, digest="d" * 64, folder=tmp_path)
    one = cached.embed(["a cat", "a dog", "a cat"], kind="passage")
    cached.save()

    second = Counting()
    again = CachedEmbedder(second, digest="d" * 64, folder=tmp_path)
    two = again.embed(["a cat", "a dog", "a cat"], kind="passage")

    assert first.asked == ["a cat", "a dog"]
    assert second.asked == []
    assert np.array_equal(one, two)
    assert np.array_equal(one, Counting().embed(["a cat", "a dog", "a cat"], kind="passage"))


def test_queries_and_passages_and_data_sets_are_kept_apart(tmp_path: Path) -> None:
    embedder = Counting()
    cached = CachedEmbedder(embedder, digest="d" * 64, folder=tmp_path)
    cached.embed(["a cat"], kind="passage")
    cached.embed(["a cat"], kind="query")
    assert embedder.asked == ["a cat", "a cat"]
    assert CachedEmbedder(embedder, digest="e" * 64, folder=tmp_path).path != cached.path


def test_a_damaged_file_is_made_again_and_holds_no_text(tmp_path: Path) -> None:
    cached = CachedEmbedder(Counting(), digest="d" * 64, folder=tmp_path)
    cached.path.write_bytes(b"PK\x03\x04 broken")
    cached = CachedEmbedder(Counting(), digest="d" * 64, folder=tmp_path)
    cached.embed(["a secret word"], kind="passage")
    cached.save()
    assert b"secret" not in cached.path.read_bytes()
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_in_nothing_out(tmp_path: Path) -> None:
    cached = CachedEmbedder(Counting(), digest="d" * 64, folder=tmp_path)
    assert cached.embed([], kind="query").shape == (0, cached.identity.dim)
