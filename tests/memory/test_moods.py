from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.moods import Moods
from echovessel.memory.records import Mood, Scope


def test_without_a_mood_it_is_neutral(context: Context, clock: FixedClock) -> None:
    assert Moods(context).get() == Mood("neutral", 0.5, "", clock.now())


def test_a_mood_lasts_twelve_hours_less_a_moment(context: Context, clock: FixedClock) -> None:
    moods = Moods(context)
    mood = Mood("雀跃", 0.9, "told good news", clock.now())
    moods.set(mood)

    clock.advance(timedelta(hours=12) - timedelta(microseconds=1))
    assert moods.get() == mood
    clock.advance(timedelta(microseconds=1))
    assert moods.get() == Mood("neutral", 0.5, "", mood.updated_at)
    assert moods.get(mood.updated_at) == mood
    assert moods.get(mood.updated_at - timedelta(seconds=1)).mood == "neutral"


def test_a_session_read_late_does_not_bring_an_old_mood_back(context: Context, clock: FixedClock) -> None:
    moods = Moods(context)
    moods.set(Mood("glad", 0.7, "", clock.now()))
    moods.set(Mood("sad", 0.2, "", clock.now() - timedelta(hours=1)))
    assert moods.get().mood == "glad"


def test_each_scope_has_its_own(context: Context, clock: FixedClock) -> None:
    Moods(context).set(Mood("glad", 0.7, "", clock.now()))
    for scope in (Scope.user("tom"), Scope.shared(), Scope.group("mei")):
        assert Moods(context.within(scope)).get().mood == "neutral"


@pytest.mark.parametrize("energy", [-0.1, 1.1, float("nan"), float("inf")])
def test_an_energy_out_of_range_is_refused(context: Context, clock: FixedClock, energy: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        Moods(context).set(Mood("glad", energy, "", clock.now()))


def test_a_mood_without_a_name_or_a_zone_is_refused(context: Context, clock: FixedClock) -> None:
    with pytest.raises(InputError, match="needs a name"):
        Moods(context).set(Mood("  ", 0.5, "", clock.now()))
    with pytest.raises(InputError, match="no time zone"):
        Moods(context).set(Mood("glad", 0.5, "", datetime(2026, 6, 1)))  # noqa: DTZ001
    with pytest.raises(InputError, match="no time zone"):
        Moods(context).get(datetime(2026, 6, 1))  # noqa: DTZ001
