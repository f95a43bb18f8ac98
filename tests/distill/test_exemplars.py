"""A few exchanges that stand for all that somebody says."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.exemplars import Exchange, exchanges, exemplars
from echovessel.errors import MissingExtra

TOM = frozenset({"Tom"})
KINDS = (
    ["haha yes", "haha no", "haha maybe", "haha sure"],
    ["我去买菜了", "我去买花了", "我去买茶了", "我去买米了"],
    ["Tomorrow at nine, at the harbour?", "Tomorrow at ten, at the harbour?", "Tomorrow at the harbour?"],
)


def answered(*answers: str) -> list[Exchange]:
    return [
        Exchange(Line("And?", f"line {2 * n}", "Mei"), Line(text, f"line {2 * n + 1}", "Tom"))
        for n, text in enumerate(answers)
    ]


def test_an_exchange_is_another_then_the_persona() -> None:
    said = [
        Line("one", "line 1", "Tom"),
        Line("two", "line 2", "Mei"),
        Line("three", "line 3", "Tom"),
        Line("four", "line 4", "Tom"),
        Line("five", "line 5", "Mei", conversation="other"),
        Line("six", "line 6", "Tom"),
        Line("", "line 7", "Mei", attachment="photo"),
        Line("seven", "line 8", "Tom"),
        Line("eight", "line 9", "Mei"),
        Line("nine", "line 10", "Tom", forwarded=True),
    ]

    assert [(e.cue.text, e.answer.text) for e in exchanges(said, TOM)] == [("two", "three")]


def test_one_of_each_kind_is_chosen_and_again_the_same() -> None:
    found = answered(*(text for kind in KINDS for text in kind))

    chosen = exemplars(found, most=3, seed=7)

    texts = [each.answer.text for each in chosen]
    assert [next(i for i, kind in enumerate(KINDS) if text in kind) for text in texts] == [0, 1, 2]
    assert exemplars(found, most=3, seed=7) == chosen


def test_few_are_all_taken_and_equal_answers_count_once() -> None:
    found = answered("yes", "no", "YES")

    assert [each.answer.text for each in exemplars(found, most=8)] == ["yes", "no"]


def test_answers_of_the_same_letters_are_no_fault() -> None:
    found = answered(*("!" * n for n in range(1, 12)))

    assert 1 <= len(exemplars(found, most=4)) <= 4


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)

    with pytest.raises(MissingExtra, match=r"echovessel\[distill\]"):
        exemplars(answered(*"abcdefghijk"), most=2)


def test_a_long_answer_is_no_exemplar() -> None:
    (pair,) = answered("short")
    long = replace(pair.answer, text="x" * 300)

    assert exchanges([pair.cue, long], TOM) == []


def test_what_tells_of_the_other_is_no_exemplar() -> None:
    (fact,), (phone,) = answered("nice"), answered("nice")

    assert exchanges([replace(fact.cue, text="I live in Porto."), fact.answer], TOM) == []
    assert exchanges([phone.cue, replace(phone.answer, text="call 138 0013 8000")], TOM) == []
    assert exchanges([fact.cue, fact.answer], TOM) == [fact]
