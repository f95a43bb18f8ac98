"""Weights: what is refused, how a mistake is named, and the numbers of the seed."""

from __future__ import annotations

from typing import Any

import pytest

from echovessel.errors import NotFoundError, WeightError
from echovessel.memory.recall import Weights
from echovessel.memory.recall.weights import KINDS, NODE_KINDS, preset_names

NUMBERS = (
    "recency",
    "relevance",
    "impact",
    "relational_bonus",
    "entity_anchor",
    "message_relevance",
    "message_impact",
    "speaker_anchor",
    "when_asked",
    "half_life",
    "min_relevance",
    "blend",
    "anchored_share",
)


def test_the_seed_is_the_formula_to_the_letter() -> None:
    seed = Weights.seed()

    assert (seed.recency, seed.relevance, seed.impact, seed.relational_bonus, seed.entity_anchor) == (
        0.5,
        3.0,
        2.0,
        1.0,
        1.5,
    )
    assert (seed.half_life, seed.min_relevance, seed.blend) == (14.0, 0.4, 0.5)
    assert (seed.anchored_share, seed.share_spares_relevant) == (0.5, False)
    assert (seed.message_relevance, seed.message_impact) == (seed.relevance, seed.impact)
    assert (seed.speaker_anchor, seed.when_asked) == (0.0, 0.0)
    assert seed.kinds == ("event", "thought", "intention", "expectation")


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), True, "1", None])
def test_what_is_no_number_of_at_least_zero_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(WeightError, match=f"weight {name} must be a number of at least 0, found"):
        Weights(**{name: value})


@pytest.mark.parametrize("name", ["min_relevance", "blend", "anchored_share"])
def test_a_share_above_one_is_refused(name: str) -> None:
    with pytest.raises(WeightError, match=f"{name} must be between 0 and 1, found 1.5"):
        Weights(**{name: 1.5})


def test_a_half_life_of_zero_is_refused() -> None:
    with pytest.raises(WeightError, match="half_life must be greater than 0 days"):
        Weights(half_life=0)


@pytest.mark.parametrize(
    ("kinds", "named"), [((), "none"), (("event", "dream"), "dream"), (("mesage",), "mesage")]
)
def test_kinds_name_what_may_compete(kinds: tuple[str, ...], named: str) -> None:
    with pytest.raises(WeightError, match=f"kinds must name some of .*message, found {named}"):
        Weights(kinds=kinds)


@pytest.mark.parametrize(
    ("key", "near"), [("relevence", "relevance"), ("half_live", "half_life"), ("impakt", "impact")]
)
def test_an_unknown_key_is_answered_with_the_nearest_name(key: str, near: str) -> None:
    with pytest.raises(WeightError, match=f"unknown weight '{key}'. Did you mean '{near}'"):
        Weights.from_dict({key: 1.0})


def test_a_key_like_none_that_there_is_gets_no_guess() -> None:
    with pytest.raises(WeightError, match=r"unknown weight 'zzz'\.$"):
        Weights.from_dict({"zzz": 1.0})


def test_an_unknown_preset_names_the_known_ones() -> None:
    with pytest.raises(
        NotFoundError, match=r"no preset 'seeds'\. Known: default, .*seed.*Did you mean 'seed'"
    ):
        Weights.preset("seeds")


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads_says_its_source_and_survives_a_round_trip(name: str) -> None:
    preset = Weights.preset(name)

    assert preset.source
    assert Weights.from_dict(preset.to_dict()) == preset


def test_the_default_lets_messages_compete() -> None:
    assert Weights.default().kinds == KINDS
    assert (*NODE_KINDS, "message") == KINDS


def test_weights_change_only_as_a_copy() -> None:
    seed = Weights.seed()

    assert seed.with_(impact=0.0).impact == 0.0
    assert seed.impact == 2.0
    with pytest.raises(WeightError):
        seed.with_(impact=-1.0)
    with pytest.raises(AttributeError):
        seed.impact = 0.0  # type: ignore[misc]
