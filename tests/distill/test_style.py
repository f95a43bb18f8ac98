"""A voice in numbers, each worked out by hand."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.phrases import distinctive, grams
from echovessel.distill.style import profile

START = datetime(2023, 7, 12, 22, 30, tzinfo=UTC)


def lines(*texts: str, apart: timedelta = timedelta(minutes=1)) -> list[Line]:
    return [Line(text, f"line {n}", "Tom", START + n * apart) for n, text in enumerate(texts)]


def test_marks_ends_and_capitals() -> None:
    found = profile(lines("hi!", "ok then", "Really?", "see you ~"), [])

    assert found.lines == 4
    assert found.language == "en"
    assert (found.marks["!"], found.marks["?"], found.marks["~"], found.marks["."]) == (25, 25, 25, 0)
    assert found.bare_ends == 0.25  # "ok then"
    assert found.lower_case == 0.75  # all but "Really?"


def test_lengths_are_percentiles_of_tokens() -> None:
    found = profile(lines("一", "一二三", "一二三四五"), [])

    assert found.length == pytest.approx((1.4, 3.0, 4.6))  # of 1, 3, 5: linear between neighbours


def test_a_burst_ends_after_two_minutes_of_silence() -> None:
    said = [
        Line("a", "line 1", "Tom", START),
        Line("b", "line 2", "Tom", START + timedelta(minutes=2)),
        Line("c", "line 3", "Tom", START + timedelta(minutes=5)),
    ]

    assert profile(said, []).burst == 1.5  # three lines in two bursts


def test_hours_are_those_of_the_zone() -> None:
    found = profile(lines("a", "b", "c", "d", apart=timedelta(minutes=20)), [], zone="Asia/Shanghai")

    assert (found.hours[6], found.hours[7]) == (0.5, 0.5)  # 22:30, 22:50, 23:10, 23:30 UTC
    assert sum(found.hours) == 1.0


def test_particles_emoji_and_mixing() -> None:
    found = profile(lines("好呀", "走吧！", "哈哈哈", "哈哈哈 OK啦", "吃饭 🍜🍜"), [])

    assert found.particles == (("哈哈哈", 2),)  # the others came once
    assert found.emoji == (("🍜", 2),)
    assert found.emoji_lines == 0.2
    assert found.mixed == 0.2


def test_openings_and_closings_come_back_three_times() -> None:
    found = profile(lines("well yes", "well no", "Well, yes!", "oh, yes"), [])

    assert found.openings == (("well", 3),)
    assert found.closings == (("yes", 3),)


def test_nothing_said_is_no_fault() -> None:
    found = profile([], [])

    assert (found.lines, found.length, found.burst, found.mixed) == (0, (0.0, 0.0, 0.0), 1.0, 0.0)
    assert sum(found.hours) == 0.0


def test_log_odds_by_hand() -> None:
    (phrase,) = distinctive(["crikey"] * 20 + ["tea"] * 10, ["tea"] * 30)

    # y1 = 20 of 30, y2 = 0 of 30; prior a = 0.01 * 20, A = 0.01 * 60.
    delta = math.log(20.2 / (30.6 - 20.2)) - math.log(0.2 / (30.6 - 0.2))
    assert (phrase.text, phrase.mine, phrase.others) == ("crikey", 20, 0)
    assert phrase.z == pytest.approx(delta / math.sqrt(1 / 20.2 + 1 / 0.2))


def test_a_bare_stop_word_sets_nobody_apart() -> None:
    found = distinctive(["the moon and the tide", "我们真的很忙"] * 60, ["moon", "tide", "忙"] * 100)

    texts = {phrase.text for phrase in found}
    assert texts
    assert not texts & {"the", "and"}


def test_noise_sets_nobody_apart() -> None:
    words = [
        "moon",
        "tide",
        "boat",
        "tea",
        "rain",
        "harbour",
        "late",
        "sure",
        "nine",
        "lamp",
        "book",
        "sister",
        "coffee",
        "map",
    ]
    draw = random.Random(5)
    said = [" ".join(draw.choices(words, k=6)) for _ in range(4_000)]

    assert distinctive(said[::2], said[1::2]) == []


def test_grams_stop_at_punctuation() -> None:
    assert grams("Oh well, OK") == ["oh", "well", "oh well", "ok"]
    assert grams("don't go") == ["don't", "go", "don't go"]
    assert grams("你好呀") == ["你好", "好呀", "你好呀"]
