"""Colours that can be told apart: on white, on a dark screen, and with the common colour vision deficiencies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.weights import KINDS
from echovessel.plots.style import FACTOR_COLOURS, KIND_COLOURS, shown, wrapped

WHITE, DARK = "#ffffff", "#0f131a"
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb: np.ndarray) -> np.ndarray:
    lms = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]) @ rgb
    return np.array(
        [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    ) @ np.cbrt(lms)


@pytest.mark.parametrize("ground", [WHITE, DARK])
@pytest.mark.parametrize("colour", sorted({*FACTOR_COLOURS.values(), *KIND_COLOURS.values()}))
def test_every_colour_stands_out_from_the_ground(colour: str, ground: str) -> None:
    assert contrast(colour, ground) >= 3.0


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_factors_are_told_apart(eyes: str) -> None:
    seen = {
        name: oklab(np.clip(SEEN_BY[eyes] @ linear(colour), 0, 1)) for name, colour in FACTOR_COLOURS.items()
    }
    nearest = min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))

    assert nearest[0] >= 0.05, nearest


def test_every_factor_and_kind_has_a_colour() -> None:
    assert tuple(FACTOR_COLOURS) == FACTORS
    assert set(KIND_COLOURS) == set(KINDS)


def test_text_is_escaped_and_cut() -> None:
    assert shown("<b>a</b>\nb") == "&lt;b&gt;a&lt;/b&gt; b"
    assert shown("123456", width=4) == "123…"


def test_long_text_is_broken_between_words_and_between_han() -> None:
    assert wrapped("one two three", width=8) == "one two<br>three"
    assert wrapped("外婆摔了一跤", width=6) == "外婆摔<br>了一跤"
    assert wrapped("a <i> b") == "a &lt;i&gt; b"
