"""What people say plainly of themselves is found with its quote; what only looks like it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.facts import facts, latest


def found(text: str) -> list[tuple[str, str]]:
    return [(fact.attribute, fact.value) for fact in facts([Line(text, "line 1", "Tom")])]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Hi, my name is Tom Baker.", ("name", "Tom Baker")),
        ("call me Tommy", ("name", "Tommy")),
        ("I'm a primary school teacher, by the way", ("work", "primary school teacher")),
        ("I work at the harbour library.", ("work", "the harbour library")),
        ("I've started at Northgate Books", ("work", "Northgate Books")),
        ("i live in Leeds", ("home", "Leeds")),
        ("I'm from Porto.", ("origin", "Porto")),
        ("I grew up in Lower Saxony", ("origin", "Lower Saxony")),
        ("I'm 34 years old", ("age", "34")),
        ("My sister Anna rang.", ("family", "sister Anna")),
        ("my dog is called Biscuit", ("family", "dog is called Biscuit")),
        ("I really love old maps!", ("likes", "old maps")),
        ("I can't stand coriander.", ("dislikes", "coriander")),
        ("I always walk to work", ("habit", "walk to work")),
        ("I usually need two coffees", ("habit", "need two coffees")),
        ("I'm allergic to cats.", ("trait", "allergic to cats")),
        ("我叫林小满。", ("name", "林小满")),
        ("叫我小林就行", ("name", "小林")),
        ("我是一名录音师。", ("work", "录音师")),
        ("我在青山医院上班", ("work", "青山医院")),
        ("我现在住在杭州。", ("home", "杭州")),
        ("我是四川人。", ("origin", "四川")),
        ("我从小在海边长大", ("origin", "海边")),
        ("我今年三十岁了", ("age", "三十")),
        ("我妹妹叫小雨。", ("family", "妹妹叫小雨")),
        ("我最喜欢下雨天。", ("likes", "下雨天")),
        ("我讨厌香菜", ("dislikes", "香菜")),
        ("我每天跑五公里", ("habit", "跑五公里")),
        ("我有点怕黑。", ("trait", "怕黑")),
    ],
)
def test_a_plain_statement_is_a_fact(text: str, fact: tuple[str, str]) -> None:
    assert found(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "my dad turns sixty tomorrow",
        "I saw my brother Monday",
        "My mum is German",
        "I never had a dog",
        "I always wanted a boat",
        "I never been there",
        "call me later",
        "Call me Monday",
        "Don't call me Shirley",
        "I'm a terrible cook",
        "I work for hours on end",
        "I work at night",
        "I work for a living",
        "I moved to the next room",
        "I got a letter from Porto",
        "I feel like I'm 80 years old",
        "I'm 20 years older than him",
        "I'm 30 next week",
        "I love it when you call",
        "I like, totally forgot",
        "I'd love a coffee",
        "If I live in Leeds, I pay less",
        "Do you think I live in Leeds?",
        'She said "I love old maps"',
        "I'm lazy today",
        "我三十岁那年",
        "我五岁就会游泳",
        "我快三十岁了",
        "我叫外卖了",
        "别叫我小林吧",
        "我住院了",
        "我是好人。",
        "我是过来人。",
        "我迷路了",
        "我不吃了",
        "我怕来不及",
        "我懒得去",
        "我妈喜欢下雨天",
        "如果我住在杭州，就好了",
        "他说我喜欢香菜",
        "我喜欢你",
        "我在家工作",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert found(text) == []


def test_the_quote_is_the_sentence_to_the_letter() -> None:
    line = Line("Well.  I'm from Porto! And you?", "line 7", "Tom")

    (fact,) = facts([line])

    assert fact.quote == "I'm from Porto!"
    assert fact.quote in line.text
    assert fact.line is line


def test_forwarded_words_are_somebody_elses() -> None:
    assert facts([replace(Line("I'm from Porto.", "line 1", "Tom"), forwarded=True)]) == []


def test_a_new_home_replaces_the_old_and_likes_stand_beside_each_other() -> None:
    said = ("I live in Leeds.", "I love tea.", "I moved to York.", "I love Tea.", "I love rain.")

    grouped = latest(facts([Line(text, f"line {n}", "Tom") for n, text in enumerate(said)]))

    assert {key: len(group) for key, group in grouped.items()} == {
        ("home", "york"): 1,
        ("likes", "tea"): 2,
        ("likes", "rain"): 1,
    }
