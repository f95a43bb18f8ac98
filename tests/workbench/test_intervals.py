from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.errors import InputError
from echovessel.workbench.intervals import t_interval, wilson
from echovessel.workbench.permutation import paired_permutation


def test_t_interval_by_hand() -> None:
    # mean .5, s = .1, t(2) = 4.3027: half = 4.3027 * .1 / sqrt(3)
    low, high = t_interval([0.4, 0.5, 0.6])
    assert (low, high) == (pytest.approx(0.2516, abs=1e-4), pytest.approx(0.7484, abs=1e-4))


def test_one_conversation_tells_nothing_about_others() -> None:
    assert all(math.isnan(bound) for bound in t_interval([0.5]))


def test_wilson_by_hand() -> None:
    # Wilson (1927) for 8 of 10
    assert wilson(0.8, 10) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert wilson(1.0, 60).low == pytest.approx(0.9398, abs=1e-4)
    assert wilson(1.0, 60).high == 1.0


@given(st.integers(1, 500), st.data())
def test_wilson_holds_the_share_and_narrows_with_n(n: int, data: st.DataObject) -> None:
    share = data.draw(st.integers(0, n)) / n
    low, high = wilson(share, n)
    assert 0 <= low <= share <= high <= 1
    wide, narrow = wilson(share, n), wilson(share, 4 * n)
    assert narrow.high - narrow.low < wide.high - wide.low


def test_wilson_refuses_what_is_no_share() -> None:
    with pytest.raises(InputError, match=r"0\.\.1"):
        wilson(1.2, 10)


def test_permutation_tries_every_pattern_when_there_are_few() -> None:
    first = [np.array([1.0, 1.0, 1.0]), np.array([1.0, 0.5])]
    second = [np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0])]

    paired = paired_permutation(first, second)

    gaps = [1, 1, 1, -0.5]
    sums = [
        sum(s * g for s, g in zip(signs, gaps, strict=True)) for signs in itertools.product((-1, 1), repeat=4)
    ]
    assert paired.exact
    assert paired.p == sum(abs(total) >= 2.5 for total in sums) / 16
    assert paired.difference == pytest.approx(2.5 / 5)
    assert (paired.wins, paired.losses, paired.ties) == (2, 0, 0)
    # The gaps 1, 1, 0, 1, -0.5 have mean 0.5 and a standard deviation of 0.7071.
    assert paired.effect == pytest.approx(0.7071, abs=1e-4)
    assert paired.interval == (-1.0, 1.0)  # two conversations: t(1) = 12.7 makes it as wide as can be


def test_the_interval_of_a_difference_is_over_conversations() -> None:
    # Conversation means .1, .2, .3: s = .1, t(2) = 4.3027.
    gaps = [np.array([0.0, 0.2]), np.array([0.2]), np.array([0.3, 0.3, 0.3])]
    paired = paired_permutation(gaps, [np.zeros(2), np.zeros(1), np.zeros(3)])
    assert paired.interval == (pytest.approx(0.2 - 0.2484, abs=1e-4), pytest.approx(0.2 + 0.2484, abs=1e-4))


def test_the_effect_of_a_constant_difference_has_no_size() -> None:
    same = paired_permutation([np.ones(3)], [np.ones(3)])
    assert same.effect == 0.0
    assert math.isnan(paired_permutation([np.ones(3)], [np.zeros(3)]).effect)


def test_below_six_conversations_nothing_is_claimed() -> None:
    def won(conversations: int):
        return paired_permutation([np.ones(30)] * conversations, [np.zeros(30)] * conversations)

    assert won(5).p < 0.001
    assert not won(5).may_claim
    assert won(6).may_claim
    assert "(these conversations only)" in won(5).in_words()
    assert "better in 5 of 5 conversations" in won(5).in_words()


def test_equal_arms_have_probability_one() -> None:
    assert paired_permutation([np.array([0.2, 0.4])], [np.array([0.2, 0.4])]).p == 1.0


@given(st.integers(0, 5))
def test_resampling_repeats_itself_and_is_symmetric(seed: int) -> None:
    draw = np.random.default_rng(seed)
    a, b = [draw.random(40)], [draw.random(40)]
    once, again, turned = (paired_permutation(*pair, seed=seed) for pair in ((a, b), (a, b), (b, a)))
    assert once == again
    assert not once.exact
    assert turned.p == pytest.approx(once.p, abs=0.02)
    assert turned.difference == pytest.approx(-once.difference)


def test_unequal_questions_are_refused() -> None:
    with pytest.raises(InputError, match="same questions on both sides"):
        paired_permutation([np.ones(3)], [np.ones(2)])
