"""Days in words, in both languages, worked out by hand against Wednesday 15 April 2026."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.timewords import day_in_words, days_in_words

TODAY = date(2026, 4, 15)


@pytest.mark.parametrize(
    ("day", "en", "zh"),
    [
        ("2026-04-15", "today", "今天"),
        ("2026-04-14", "yesterday", "昨天"),
        ("2026-04-16", "tomorrow", "明天"),
        ("2026-04-13", "2 days ago", "前天"),
        ("2026-04-17", "in 2 days", "后天"),
        ("2026-04-12", "3 days ago", "三天前"),
        ("2026-04-21", "in 6 days", "六天后"),
        ("2026-04-06", "last week", "上周"),
        ("2026-04-08", "last week", "上周"),
        ("2026-04-05", "2 weeks ago", "两周前"),
        ("2026-04-22", "next week", "下周"),
        ("2026-04-26", "next week", "下周"),
        ("2026-04-27", "in 2 weeks", "两周后"),
        ("2026-03-16", "4 weeks ago", "四周前"),
        ("2026-03-15", "a month ago", "一个月前"),
        ("2025-06-15", "10 months ago", "十个月前"),
        ("2025-05-01", "11 months ago", "十一个月前"),
        ("2025-04-15", "a year ago", "一年前"),
        ("2024-04-16", "a year ago", "一年前"),
        ("2024-04-15", "2 years ago", "两年前"),
        ("2000-04-15", "26 years ago", "二十六年前"),
        ("1890-01-01", "136 years ago", "136年前"),
        ("2026-10-15", "in 6 months", "六个月后"),
    ],
)
def test_a_day_is_named_as_a_person_would(day: str, en: str, zh: str) -> None:
    assert day_in_words(date.fromisoformat(day), TODAY, "en") == en
    assert day_in_words(date.fromisoformat(day), TODAY, "zh") == zh


def test_a_day_of_the_coming_week_that_is_near_is_counted() -> None:
    friday = date(2026, 4, 17)

    assert day_in_words(date(2026, 4, 20), friday, "en") == "in 3 days"


@pytest.mark.parametrize(
    ("first", "last", "en", "zh"),
    [
        (None, None, "", ""),
        ("2026-04-12", "2026-04-12", "3 days ago", "三天前"),
        ("2026-04-12", None, "for 3 days", "三天前起"),
        ("2026-03-25", None, "for 3 weeks", "三周前起"),
        ("2025-03-25", None, "for a year", "一年前起"),
        ("2026-04-14", None, "since yesterday", "昨天起"),
        ("2026-04-15", None, "since today", "今天起"),
        ("2026-04-07", None, "since last week", "上周起"),
        ("2026-04-16", None, "from tomorrow on", "明天起"),
        ("2026-04-22", None, "from next week on", "下周起"),
        ("2026-04-18", None, "starting in 3 days", "三天后起"),
        (None, "2026-03-25", "until 3 weeks ago", "到三周前为止"),
        (None, "2026-04-18", "until 3 days from now", "到三天后为止"),
        ("2026-03-25", "2026-04-18", "3 weeks ago to 3 days from now", "三周前到三天后"),
        (None, "2026-04-22", "until next week", "到下周为止"),
        ("2026-04-01", "2026-04-05", "2 weeks ago", "两周前"),
        ("2026-04-22", "2026-04-28", "next week", "下周"),
        ("2026-04-14", "2026-04-16", "yesterday to tomorrow", "昨天到明天"),
        ("2026-01-15", "2026-03-15", "3 months ago to a month ago", "三个月前到一个月前"),
    ],
)
def test_a_stretch_of_days(first: str | None, last: str | None, en: str, zh: str) -> None:
    ends = [None if day is None else date.fromisoformat(day) for day in (first, last)]

    assert days_in_words(*ends, TODAY, "en") == en
    assert days_in_words(*ends, TODAY, "zh") == zh


@given(st.dates(date(1800, 1, 1), date(2200, 1, 1)), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_past_and_future_are_never_mixed_up(day: date, today: date) -> None:
    for language, past in (("en", ("ago", "yesterday", "last week")), ("zh", ("前", "昨天", "上周"))):
        said = day_in_words(day, today, language)

        assert any(word in said for word in past) is (day < today)
