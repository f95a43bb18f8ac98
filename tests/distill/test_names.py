"""Third parties found in the text: those introduced, those called, those that keep coming up; and nobody else."""

from __future__ import annotations

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.names import HELD, Mentioned, Names


def names(*texts: str, known: tuple[str, ...] = ("Tom", "Mei Lin")) -> list[Mentioned]:
    counted = Names(known)
    for number, text in enumerate(texts):
        counted.take(Line(text, f"line {number}", "Tom"))
    return counted.found()


def test_somebody_introduced_is_known_after_the_second_time() -> None:
    assert names("my sister Ana called", "well, Ana is fine") == [Mentioned("Ana", "person", (), 2)]
    assert names("my sister Ana called") == []


def test_a_given_name_is_an_alias_of_the_full_one() -> None:
    (found,) = names(*["today Ana Lopes came"] * 5, *["today Ana came"] * 5)

    assert (found.name, found.aliases, found.count) == ("Ana Lopes", ("Ana",), 10)


def test_a_given_name_of_two_is_nobodys_alias() -> None:
    found = names(*["so Ana Lopes came"] * 5, *["so Ana Reis came"] * 5, *["so Ana came"] * 5)

    assert {each.name: each.aliases for each in found} == {"Ana Lopes": (), "Ana Reis": (), "Ana": ()}


def test_a_place_is_told_by_what_stands_before_it() -> None:
    assert [(each.name, each.kind) for each in names(*["I went to Porto again"] * 5)] == [("Porto", "place")]


@pytest.mark.parametrize(
    "text",
    [
        "see you on Monday then",  # a day
        "Really nice",  # the head of a sentence
        "so Tom said",  # who talks
        "so Mei said",  # a part of who talks
        "WE ARE SO LATE",  # shouted
    ],
)
def test_what_names_nobody(text: str) -> None:
    assert names(*[text] * 20) == []


def test_a_word_that_is_mostly_written_small_is_no_name() -> None:
    assert names(*["I like Cake"] * 5, *["some cake please"] * 9) == []


def test_chinese_names_that_were_introduced_are_counted_from_then_on() -> None:
    (found,) = names("我女儿叫小雨。", "小雨今天上学", "小雨和小雨的同学")

    assert (found.name, found.count) == ("小雨", 4)


def test_whoever_is_called_by_at() -> None:
    assert [each.name for each in names(*["@老王 来吗"] * 3)] == ["老王"]


def test_forwarded_words_count_for_nobody() -> None:
    counted = Names(())
    for _ in range(9):
        counted.take(Line("my sister Ana called", "1", forwarded=True))
    assert counted.found() == []


def test_a_flood_of_names_is_held_in_bounds() -> None:
    counted = Names(())
    for number in range(HELD + 5_000):
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        counted.take(Line(f"so X{letters} came and Zoe came", "1"))
    assert len(counted._capitalised) <= HELD
    assert counted.found()[0].name == "Zoe"
