"""Whose fact it is, and whether it is one: right output is filed right, wrong output is caught by its own quotes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echovessel.memory.memory import Memory
from echovessel.memory.records import NodeKind, Subject

Make = Callable[..., dict[str, Any]]


def test_a_fact_about_a_friend_is_the_friends(memory: Memory, talks: Any, event: Make) -> None:
    """Case 5: who says it is not whom it is about."""
    said = "Tom hates swimming, his mother signed him up."
    talks.form(
        f"Mei: {said}",
        events=[
            event("Tom hates swimming", (1, said), subject="other", about="Tom", attribute="dislikes"),
            event("Mei hates swimming", (1, "Tom hates swimming"), attribute="dislikes"),
        ],
        entities=[{"name": "Tom", "who": "a boy"}],
    )

    (node,) = memory.nodes.list()

    assert (node.text, node.subject) == ("Tom hates swimming", Subject.OTHER)
    assert node.about == memory.directory.find("Tom")[0].id
    assert memory.nodes.list(subject=Subject.USER) == []


@pytest.mark.parametrize(
    ("line", "words", "text", "fields"),
    [
        # the persona about itself
        ("Lin: I grew up in Harbin.", "I grew up in Harbin", "Lin grew up in Harbin", {"subject": "persona"}),
        ("Lin: 我从小怕打雷", "我从小怕打雷", "Lin从小怕打雷", {"subject": "persona"}),
        # the user about the persona
        (
            "Mei: You have a lovely voice.",
            "You have a lovely voice",
            "Mei likes Lin's voice",
            {"subject": "persona"},
        ),
        # a joke told as one
        (
            "Mei: I'm moving to Mars! Just kidding.",
            "I'm moving to Mars",
            "Mei joked that she is moving to Mars",
            {},
        ),
        # a wish told as one
        (
            "Mei: I wish I lived by the sea.",
            "I wish I lived by the sea",
            "Mei would like to live by the sea",
            {},
        ),
        # words of somebody else told as theirs
        ("Mei: My boss says I'm lazy.", "My boss says I'm lazy", "Mei's boss says that she is lazy", {}),
        ("Mei: 医生说我贫血", "医生说我贫血", "医生说Mei贫血", {}),
        # a plan that was cancelled, told as that
        (
            "Mei: We called off the trip to Cork.",
            "We called off the trip to Cork",
            "Mei's trip to Cork was cancelled",
            {},
        ),
        # telling by asking
        ("Mei: Did I tell you I got the job?", "I got the job", "Mei got the job", {}),
        ("Mei: 我升职了，你知道吗？", "我升职了", "Mei升职了", {}),
        # no pronoun at all
        ("Mei: 刚吃完午饭", "刚吃完午饭", "Mei吃完了午饭", {}),
        ("Mei: Had dinner with Tom", "Had dinner with Tom", "Mei had dinner with Tom", {"entities": ["Tom"]}),
    ],
)
def test_right_output_is_stored(
    memory: Memory, talks: Any, event: Make, line: str, words: str, text: str, fields: dict[str, Any]
) -> None:
    talks.form(line, events=[event(text, (1, words), **fields)])

    (node,) = memory.nodes.list()

    assert (node.text, node.subject) == (text, fields.get("subject", "user"))
    assert node.sources[0].quote == words


@pytest.mark.parametrize(
    ("lines", "quote", "text", "fields", "why"),
    [
        (["Lin: I grew up in Harbin."], "I grew up in Harbin", "Mei grew up in Harbin", {}, "didn't say it"),
        (
            ["Mei: I grew up in Harbin."],
            "I grew up in Harbin",
            "Lin grew up in Harbin",
            {"subject": "persona"},
            "speak of the speaker",
        ),
        (
            ["Mei: Tom is here. I hate swimming."],
            "I hate swimming",
            "Tom hates swimming",
            {"subject": "other", "about": "Tom"},
            "speak of the speaker",
        ),
        (["Mei: 小明讨厌游泳"], "小明讨厌游泳", "Mei讨厌游泳", {"entities": ["小明"]}, "somebody else"),
        (["Mei: She moved to Cork."], "She moved to Cork", "Mei moved to Cork", {}, "somebody else"),
        (
            ["Mei: You should see Kyoto."],
            "You should see Kyoto",
            "Mei has seen Kyoto",
            {},
            "speak to the persona",
        ),
        (
            ["Mei: I'm moving to Mars! Just kidding."],
            "I'm moving to Mars",
            "Mei is moving to Mars",
            {},
            "joke",
        ),
        (["Mei: 我要结婚了", "Mei: 骗你的"], "我要结婚了", "Mei要结婚了", {}, "joke"),
        (
            ["Mei: If I moved to Paris, I'd paint."],
            "If I moved to Paris",
            "Mei moved to Paris",
            {},
            "supposed",
        ),
        (["Mei: 要是我搬到大理就好了"], "我搬到大理", "Mei搬到了大理", {}, "supposed"),
        (["Mei: I wish I lived by the sea."], "I lived by the sea", "Mei lives by the sea", {}, "supposed"),
        (["Mei: My boss says I'm lazy."], "My boss says I'm lazy", "Mei is lazy", {}, "somebody else says"),
        (["Mei: 他们总说我懒"], "他们总说我懒", "Mei很懒", {}, "somebody else"),
        (
            ["Mei: The trip to Cork was cancelled."],
            "The trip to Cork was cancelled",
            "Mei goes to Cork",
            {},
            "off",
        ),
        (["Mei: 周末的旅行取消了"], "周末的旅行取消了", "Mei周末去旅行", {}, "off"),
        (["Mei: Do I look tired?"], "Do I look tired?", "Mei looks tired", {}, "asked"),
        (["Mei: 我是不是胖了？"], "我是不是胖了", "Mei胖了", {}, "asked"),
        (
            ["Mei: What is Friedrich's phone number?"],
            "Friedrich's phone number",
            "Mei's name is Friedrich",
            {"attribute": "name"},
            "asked",
        ),
        (["Mei: Hi there! How are you?"], "Hi there", "Mei greets Lin", {}, "greeting"),
        (["Mei: 你好呀，早上好"], "你好呀，早上好", "Mei心情很好", {}, "greeting"),
    ],
)
def test_what_contradicts_its_own_quote_is_refused(
    memory: Memory,
    talks: Any,
    event: Make,
    lines: list[str],
    quote: str,
    text: str,
    fields: dict[str, Any],
    why: str,
) -> None:
    found = talks.read(talks.say(*lines), {"events": [event(text, (1, quote), **fields)]})

    assert found.drafts == ()
    assert why in found.dropped[0].rule
    assert found.dropped[0].text == text


@pytest.mark.parametrize("said", ["question", "hypothetical", "joke", "cancelled", "request", "reported"])
def test_what_the_model_itself_calls_no_statement_is_no_fact(talks: Any, event: Make, said: str) -> None:
    messages = talks.say("Mei: I own three boats")

    found = talks.read(
        messages, {"events": [event("Mei owns three boats", (1, "I own three boats"), said=said)]}
    )

    assert found.drafts == ()
    assert len(found.dropped) == 1


def test_what_is_said_of_a_third_party_counts_as_hearsay(memory: Memory, talks: Any, event: Make) -> None:
    talks.form(
        "Mei: Ann says Tom is getting married",
        events=[
            event(
                "Ann says that Tom is getting married",
                (1, "Ann says Tom is getting married"),
                subject="other",
                about="Tom",
                said="reported",
            )
        ],
    )

    assert memory.nodes.list()[0].confidence == 0.6


def test_explaining_leaves_nothing_behind(memory: Memory, talks: Any, event: Make) -> None:
    """Case 6: a question, and an answer at length."""
    advice = "First soak the beans overnight. Then boil them for an hour with a bay leaf."
    found = talks.read(
        talks.say("Mei: How do I cook black beans?", f"Lin: {advice}"),
        {
            "events": [
                event("Mei soaks beans overnight", (2, "soak the beans overnight")),
                event("Mei asked how to cook black beans", (1, "How do I cook black beans")),
                event("Lin boils beans with a bay leaf", (2, "boil them for an hour"), subject="persona"),
                event("Mei cooks black beans", (1, "How do I cook black beans?")),
            ]
        },
    )

    assert found.drafts == ()
    assert len(found.dropped) == 4


def test_asking_for_a_number_changes_no_name(memory: Memory, talks: Any, event: Make) -> None:
    """Case 7."""
    talks.form(
        "Mei: What is Friedrich's phone number?",
        events=[event("Mei is called Friedrich", (1, "Friedrich"), attribute="address")],
        entities=[{"name": "Mei"}, {"name": "Friedrich"}],
    )

    assert memory.nodes.list() == []
    assert memory.personas.audience(memory.context.scope).name == "Mei"
    assert [entity.name for entity in memory.directory.list()] == ["Friedrich"]


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("I live in Oslo", 1),
        ("I live in Bergen", 2),
        ("I", 1),
        ("Bergen ... live", 1),
        ("I live in Bergen", 9),
    ],
)
def test_words_that_were_not_said_there_carry_nothing(
    talks: Any, event: Make, words: str, number: int
) -> None:
    messages = talks.say("Mei: I live in Bergen now", "Mei: It rains a lot")

    found = talks.read(messages, {"events": [event("Mei lives there", (number, words))]})

    assert found.drafts == ()
    assert "doesn't hold the words" in found.dropped[0].rule


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("i live  in bergen", "I live in “Bergen”"),
        ("I live in \"Bergen\" … rains", "I live in “Bergen”,\nwhere it rains"),
        ("I live in Bergen, where it rains", "I live in “Bergen”,\nwhere it rains"),
        ("Ｉ ｌｉｖｅ in Bergen", "I live in “Bergen”"),
    ],
)  # fmt: skip
def test_a_quote_is_kept_to_the_letter_however_the_model_spaced_it(
    talks: Any, event: Make, words: str, kept: str
) -> None:
    messages = talks.say("Mei: I live in “Bergen”,\nwhere it rains.")

    (draft,) = talks.read(messages, {"events": [event("Mei lives in Bergen", (1, words))]}).drafts

    assert draft.node.sources[0].quote == kept


def test_only_the_persona_makes_its_promises(memory: Memory, talks: Any) -> None:
    lines = ["Mei: I'll bring cake on Friday", "Lin: I'll read you the letter tomorrow"]
    talks.form(
        *lines,
        promises=[
            {
                "text": "Lin will bring cake",
                "sources": [{"message": 1, "words": "I'll bring cake on Friday"}],
            },
            {
                "text": "Lin will read Mei the letter",
                "when": "tomorrow",
                "sources": [{"message": 2, "words": "I'll read you the letter tomorrow"}],
            },
        ],
    )

    (promise,) = memory.nodes.list(kinds=[NodeKind.INTENTION])

    assert promise.text == "Lin will read Mei the letter"
    assert str(promise.due_on) == "2026-03-19"
    assert promise.subject is Subject.PERSONA
