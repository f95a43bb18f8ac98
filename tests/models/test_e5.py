"""e5: prefixes, and the common part taken off."""

from __future__ import annotations

import os

import numpy as np
import pytest

from echovessel.models.e5 import E5Embedder
from tests.models.conftest import load

pytestmark = pytest.mark.e5

UNRELATED = [
    "Rates rose in autumn.",
    "我家的猫很胖",
    "She plays the cello",
    "公交车又没来",
    "Boil it for an hour",
]


@pytest.fixture
def e5() -> E5Embedder:
    model = load("e5")
    assert isinstance(model, E5Embedder)
    return model


def test_queries_and_passages_get_different_vectors(e5: E5Embedder) -> None:
    query, passage = (e5.embed(["Where does Mei live?"], kind=kind)[0] for kind in ("query", "passage"))

    assert 0.3 < query @ passage < 0.999


def test_unrelated_texts_are_near_zero_where_the_raw_model_has_them_near_one(e5: E5Embedder) -> None:
    off_diagonal = ~np.eye(len(UNRELATED), dtype=bool)
    raw, centred = (f(UNRELATED, kind="passage") @ f(UNRELATED, kind="passage").T for f in (e5.raw, e5.embed))

    assert raw[off_diagonal].mean() > 0.7
    assert abs(centred[off_diagonal].mean()) < 0.15


def test_loading_leaves_the_environment_alone(e5: E5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    E5Embedder(threads=1)
    assert os.environ["OMP_NUM_THREADS"] == "7"

    monkeypatch.delenv("OMP_NUM_THREADS")
    E5Embedder(threads=1)
    assert "OMP_NUM_THREADS" not in os.environ
