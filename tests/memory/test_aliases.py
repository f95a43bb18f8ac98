from __future__ import annotations

import random
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.errors import InputError
from echovessel.memory.aliases import AliasMatcher, Mention, alias_key, normal
from echovessel.memory.titles import is_short, split_title


def names_in(text: str, *aliases: str) -> list[str]:
    return [mention.alias for mention in AliasMatcher((alias_key(a), a) for a in aliases).match(text)]


@pytest.mark.parametrize(
    ("alias", "text", "found"),
    [
        ("Ann", "our annual review", False),
        ("Ann", "I met Ann.", True),
        ("Ann", "ANN!", True),
        ("Al", "Also, not him", False),
        ("Al", "Al, too", True),
        ("Scott", "Scott's new job", True),
        ("Scott", "Scott’s new job", True),
        ("Scott", "the Scotts' house", True),
        ("Scott", "two Scotts met", False),
        ("Scott", "Scotts'x", False),
        ("James", "James' bike", True),
        ("Scott", "Ｓｃｏｔｔ来了", True),
        ("Scott", "我问了Scott一下", True),
        ("Scott", "scott_2", False),
        ("Scott", "great-scott", True),
        ("Mary Ann", "MARY  \n ANN called", True),
        ("Mary Ann", "Mary Annual", False),
        ("黄逸扬", "昨天黃逸揚升職了", True),
        ("黄逸扬", "黄逸", False),
        ("王小明", "我和王小明去", True),
        ("阿May", "叫阿May来", True),
        ("阿May", "阿Mayor", False),
        ("React", "用React写", True),
        ("弗里德里希·尼采", "弗里德里希•尼采", True),
        ("スコット", "スコットさん", True),
        ("アン", "アンナ", False),
        ("민수", "민수가 왔다", True),
        ("Łukasz", "ŁUKASZ", True),
        ("José", "Jose\u0301 is here", True),
        ("राम", "रामायण", False),
        ("🐟", "今天🐟来了", True),
        ("Ann", "A\u200bnn", True),
        ("O'Neil", "O’Neil’s", True),
    ],
)
def test_where_a_name_is_a_name(alias: str, text: str, found: bool) -> None:
    assert names_in(text, alias) == ([alias_key(alias)] if found else [])


@pytest.mark.parametrize(
    "text", ["林最近怎么样", "我和林去了", "告诉林一声", "林", "Lin（林）", "问问林吧", "昨天跟林聊天"]
)
def test_a_name_of_one_han_character_is_found(text: str) -> None:
    assert names_in(text, "林") == ["林"]


@pytest.mark.parametrize("text", ["树林里有鸟", "森林", "园林设计", "林子", "林荫道", "他住在竹林边"])
def test_but_not_inside_an_ordinary_word(text: str) -> None:
    assert names_in(text, "林") == []


def test_a_longer_alias_covers_a_shorter_one_inside_it() -> None:
    assert names_in("王小明和小明", "小明", "王小明", "明") == ["王小明", "小明"]
    assert names_in("Mary Ann Lee", "Ann", "Mary Ann", "Ann Lee") == ["mary ann", "ann lee"]
    # A longer one that is no name there covers nothing.
    assert names_in("Mary Annual, Mary", "Mary", "Mary Ann") == ["mary", "mary"]


def test_an_alias_of_two_entities_gives_both() -> None:
    matcher = AliasMatcher([("sam", "e2"), ("sam", "e1"), ("tom", "e3")])
    assert matcher.match("Sam!") == [Mention("sam", ("e1", "e2"), 0, 3)]
    assert matcher.entities("Sam and Tom") == {"e1", "e2", "e3"}


def test_offsets_count_the_normal_form() -> None:
    text = "，ＳＣＯＴＴ  Lee"
    (mention,) = AliasMatcher([("scott lee", "e")]).match(text)
    assert normal(text)[mention.start : mention.end] == "scott lee"


@pytest.mark.parametrize(
    "text", ["", " ", "a", "Ｚ", "é", "7", "42", "...", "\u200b", "ア", "\x00", "x" * 101]
)
def test_a_name_found_everywhere_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        alias_key(text)


def test_an_empty_matcher_and_an_empty_text_find_nothing() -> None:
    assert AliasMatcher([]).match("anything") == []
    assert AliasMatcher([("ann", "e")]).match("") == []


# A second opinion, written without the automaton: every alias tried at every place.

ALPHABET = "abA sS'’_林王小明阿里アン·.7é"
NAMES = st.lists(st.text("abs 王小明阿アé'", min_size=2, max_size=4), min_size=1, max_size=6)


def oracle(aliases: set[str], text: str) -> list[tuple[str, int, int]]:
    def kind(character: str) -> str:
        if "ァ" <= character <= "ヿ" and character != "·":
            return "katakana"
        if "\u4e00" <= character <= "\u9fff":
            return "han"
        return "letter" if character == "_" or unicodedata.category(character)[0] in "LNM" else "other"

    def joined(left: str, right: str) -> bool:
        return kind(left) == kind(right) and kind(left) in ("letter", "katakana")

    spans = []
    for alias in aliases:
        for start in range(len(text) - len(alias) + 1):
            end = start + len(alias)
            if text[start:end] != alias or (start and joined(text[start - 1], text[start])):
                continue
            plural = text[end : end + 2] == "s'" and (end + 2 == len(text) or kind(text[end + 2]) != "letter")
            if end == len(text) or not joined(text[end - 1], text[end]) or plural:
                spans.append((alias, start, end))
    return sorted(
        (a for a in spans if not any(b != a and b[1] <= a[1] and a[2] <= b[2] for b in spans)),
        key=lambda s: s[1:],
    )


@given(NAMES, st.text(ALPHABET, max_size=40))
def test_matching_agrees_with_trying_every_alias_at_every_place(names: list[str], text: str) -> None:
    aliases = {key for name in names if len(key := normal(name).strip()) > 1}
    matcher = AliasMatcher((alias, alias) for alias in aliases)

    found = [(m.alias, m.start, m.end) for m in matcher.match(text)]

    assert found == oracle(aliases, normal(text))


@given(NAMES, st.text(ALPHABET, max_size=40))
def test_no_mention_lies_inside_another_and_each_is_its_alias(names: list[str], text: str) -> None:
    mentions = AliasMatcher((normal(name).strip() or "x1", name) for name in names).match(text)
    for left, right in pairwise(mentions):
        assert left.start < right.start
        assert left.end < right.end
    assert all(normal(text)[m.start : m.end] == m.alias for m in mentions)


@given(st.text(max_size=60))
def test_any_text_can_be_searched(text: str) -> None:
    AliasMatcher([("ann", "1"), ("林", "2"), ("阿may", "3")]).match(text)


def test_ten_thousand_aliases_cost_well_under_a_millisecond() -> None:
    pick = random.Random(7)
    latin = ["".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=pick.randint(3, 9))) for _ in range(5_000)]
    han = [
        "".join(chr(pick.randint(0x4E00, 0x9FA0)) for _ in range(pick.randint(2, 4))) for _ in range(5_000)
    ]
    matcher = AliasMatcher((alias_key(name), name) for name in latin + han)
    query = "你知道黄逸扬的 Scott project 最近怎么样了吗谢谢"

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(100):
            matcher.match(query)
        return (time.perf_counter() - start) / 100

    assert len(query) >= 30
    assert min(seconds() for _ in range(5)) < 0.0005


@pytest.mark.parametrize(
    ("name", "bare", "title"),
    [
        ("dr. scott", "scott", "dr"),
        ("doctor scott", "scott", "dr"),
        ("mr jane", "jane", "mr"),
        ("黄逸扬老师", "黄逸扬", "老师"),
        ("王小明 先生", "王小明", "先生"),
        ("scott老师", "scott", "老师"),
        ("王老师", "王老师", ""),
        ("王总", "王总", ""),
        ("欧阳老师", "欧阳老师", ""),
        ("张伟总经理", "张伟", "总经理"),
        ("老师", "老师", ""),
        ("miss", "miss", ""),
        ("drake", "drake", ""),
    ],
)
def test_titles_come_off_but_for_a_surname_alone(name: str, bare: str, title: str) -> None:
    assert (split_title(name).bare, split_title(name).title) == (bare, title)


@pytest.mark.parametrize("name", ["al", "may", "阿明", "小明", "王老师", "dr. wu", "阿b"])
def test_short_names(name: str) -> None:
    assert is_short(name)


@pytest.mark.parametrize("name", ["scott", "黄逸扬", "mary ann", "王小明老师", "阿may"])
def test_long_names(name: str) -> None:
    assert not is_short(name)
