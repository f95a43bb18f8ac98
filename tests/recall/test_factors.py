"""The five factors: ranges, directions, and values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.embedding import Logit
from echovessel.errors import WeightError
from echovessel.memory.recall.factors import (
    FACTORS,
    entity_anchor,
    estimated_impact,
    impact,
    recency,
    relational_bonus,
    relevance,
)

AGES = st.floats(-40_000, 40_000)
COSINES = st.floats(-1, 1)
SHARES = st.floats(0, 1)
LOGITS = st.builds(Logit, st.floats(-5, 5), st.floats(0, 30), st.floats(0, 60))


def one(values: object) -> float:
    """The only number of an array."""
    return float(np.asarray(values).item())


def test_the_factors_stand_in_the_order_of_the_formula() -> None:
    assert FACTORS == ("recency", "relevance", "impact", "relational_bonus", "entity_anchor")


# Recency


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (14, 0.5), (28, 0.25), (42, 0.125), (140, 2.0**-10)]
)
def test_recency_halves_every_fourteen_days(days: float, expected: float) -> None:
    assert one(recency(np.array([days]))) == expected


def test_another_half_life_halves_there() -> None:
    assert one(recency(np.array([3.0]), half_life=3.0)) == 0.5


@given(AGES, AGES)
def test_recency_never_grows_with_age(one_age: float, other: float) -> None:
    young, old = sorted((one_age, other))
    fresh, stale = recency(np.array([young, old]))
    assert fresh >= stale


@given(st.floats(0, 5_000), st.floats(0.01, 5_000))
def test_recency_orders_ages_strictly(age: float, more: float) -> None:
    fresh, stale = recency(np.array([age, age + more]))
    assert fresh > stale


@given(st.floats(allow_nan=False), st.floats(0.001, 1_000))
def test_recency_lies_in_its_range_at_any_age(age: float, half_life: float) -> None:
    assert 0.0 < one(recency(np.array([age]), half_life=half_life)) <= 1.0


@given(st.floats(max_value=0, allow_nan=False))
def test_the_future_counts_as_age_zero(age: float) -> None:
    assert one(recency(np.array([age]))) == 1.0


@given(st.lists(AGES, min_size=1, max_size=20), AGES)
def test_recency_of_one_does_not_depend_on_the_others(ages: list[float], outlier: float) -> None:
    assert recency(np.array([*ages, outlier]))[:-1].tolist() == recency(np.array(ages)).tolist()


@pytest.mark.parametrize("half_life", [0.0, -1.0, float("nan"), float("inf")])
def test_a_half_life_that_is_no_time_is_refused(half_life: float) -> None:
    with pytest.raises(WeightError, match="half_life must be greater than 0"):
        recency(np.array([1.0]), half_life=half_life)


# Relevance


def test_relevance_is_the_sigmoid_of_the_formula() -> None:
    logit = Logit(-1.0, 2.0, 4.0)

    # -1 + 2*0.5 + 4*0 = 0; -1 + 2*0.5 + 4*0.25 = 1.
    at_zero, at_one = relevance(np.array([0.5, 0.5]), np.array([0.0, 0.25]), logit=logit)

    assert at_zero == 0.5
    assert at_one == pytest.approx(1 / (1 + np.e**-1))


def test_blend_moves_the_weight_from_words_to_vectors() -> None:
    logit = Logit(0.0, 1.0, 1.0)
    sides = np.array([0.5]), np.array([0.25])

    words, both, dense = (one(relevance(*sides, logit=logit, blend=blend)) for blend in (0.0, 0.5, 1.0))

    assert words == pytest.approx(1 / (1 + np.exp(-2 * 0.25)))
    assert both == pytest.approx(1 / (1 + np.exp(-0.75)))
    assert dense == pytest.approx(1 / (1 + np.exp(-2 * 0.5)))


@given(COSINES, COSINES, SHARES, LOGITS, SHARES)
def test_relevance_never_falls_as_the_cosine_grows(
    a: float, b: float, words: float, logit: Logit, blend: float
) -> None:
    low, high = sorted((a, b))
    less, more = relevance(np.array([low, high]), np.array([words, words]), logit=logit, blend=blend)
    assert less <= more


@given(SHARES, SHARES, COSINES, LOGITS, SHARES)
def test_relevance_never_falls_as_the_words_agree_more(
    a: float, b: float, dense: float, logit: Logit, blend: float
) -> None:
    low, high = sorted((a, b))
    less, more = relevance(np.array([dense, dense]), np.array([low, high]), logit=logit, blend=blend)
    assert less <= more


@given(COSINES, SHARES, LOGITS, SHARES)
def test_relevance_lies_in_its_range(dense: float, words: float, logit: Logit, blend: float) -> None:
    assert 0.0 <= one(relevance(np.array([dense]), np.array([words]), logit=logit, blend=blend)) <= 1.0


def test_extreme_constants_do_not_overflow() -> None:
    ends = relevance(np.array([-1.0, 1.0]), np.array([0.0, 1.0]), logit=Logit(0.0, 1e6, 1e6))
    assert ends.tolist() == pytest.approx([0.0, 1.0])


# Impact


@pytest.mark.parametrize(("value", "expected"), [(0, 0.0), (-10, 1.0), (10, 1.0), (-5, 0.5), (2.5, 0.25)])
def test_impact_is_the_strength_whatever_its_sign(value: float, expected: float) -> None:
    assert one(impact(np.array([value]))) == expected


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_impact_is_in_range_and_monotone_in_strength(a: float, b: float) -> None:
    weak, strong = sorted((a, b), key=abs)
    less, more = impact(np.array([weak, strong]))
    assert 0.0 <= less <= more <= 1.0


@pytest.mark.parametrize(
    ("words", "question", "expected"),
    # 0.3 * ln(1 + n) / ln(21): n = 0 -> 0, n = 20 -> 0.3; half for a question; ln(4)/ln(21) = 0.45534.
    [(0, False, 0.0), (20, False, 0.3), (20, True, 0.15), (500, False, 0.3), (3, False, 0.3 * 0.45534)],
)
def test_a_message_is_estimated_by_how_much_it_says(words: int, question: bool, expected: float) -> None:
    assert one(estimated_impact(np.array([words]), np.array([question]))) == pytest.approx(expected, abs=1e-5)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_the_estimate_is_monotone_and_capped_at_three_tenths(a: int, b: int, question: bool) -> None:
    few, many = sorted((a, b))
    less, more = estimated_impact(np.array([few, many]), np.array([question, question]))
    assert 0.0 <= less <= more <= 0.3


# Relational bonus and anchor


@given(st.lists(st.integers(0, 6), max_size=20))
def test_the_bonus_is_one_for_any_tag_and_no_more_for_many(tags: list[int]) -> None:
    assert relational_bonus(np.array(tags, np.int8)).tolist() == [float(count > 0) for count in tags]


@given(st.integers(1, 30), st.data())
def test_the_anchor_is_one_exactly_where_a_named_entity_is_linked(size: int, data: st.DataObject) -> None:
    rows = st.lists(st.integers(0, size - 1), max_size=10)
    linked = data.draw(st.lists(rows, max_size=4))

    found = entity_anchor(size, [np.array(each, np.intp) for each in linked])

    named = {row for each in linked for row in each}
    assert found.tolist() == [float(row in named) for row in range(size)]
