"""Who and what is hidden, and what only looks like it."""

from __future__ import annotations

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.pseudonyms import Pseudonyms


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("write to ana.b+x@mail.example.org now", "write to [e-mail] now"),
        ("我的手机是13812345678，打给我", "我的手机是[phone]，打给我"),
        ("call +49 170 1234567 or (415) 555-2671", "call [phone] or [phone]"),
        ("座机 010-62345678", "座机 [phone]"),
        ("身份证 11010519491231002X", "身份证 [id]"),
        ("card 4111 1111 1111 1111 please", "card [card] please"),
        ("加我微信号：tiger_2008", "加我[account]"),
    ],
)
def test_what_could_be_recognised_is_hidden(text: str, hidden: str) -> None:
    assert Pseudonyms([]).text(text) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "in 2023 we were 1500 people",
        "order 110105194912310021",  # the last digit doesn't check
        "4111 1111 1111 1112",
        "at 10:30, 3.14159265358979",
        "版本 1.2.3",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert Pseudonyms([]).text(text) == text


def test_names_are_hidden_as_words_and_always_alike() -> None:
    hide = Pseudonyms(["Al", "阿杰", "Mei", "Al Green"], keep=["Mei"])

    line = hide.hide(Line("Also, AL met Al Green and 阿杰来了, Mei.", "line 1", "Al"))

    assert line.text == "Also, Person A met Person C and Person B来了, Mei."
    assert line.speaker == "Person A"
    assert hide.report == {"name": 4}
