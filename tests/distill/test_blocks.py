"""Core blocks say only what quotes bear out, in the archive's language, and never more than fits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.distill.archive import Line
from echovessel.distill.blocks import blocks
from echovessel.distill.claims import Claim, Quote, of_exchanges, of_facts, of_style, wording
from echovessel.distill.exemplars import Exchange
from echovessel.distill.facts import facts
from echovessel.distill.style import profile
from echovessel.memory.records import CoreLabel

START = datetime(2023, 7, 12, 20, tzinfo=UTC)


def lines(*texts: str) -> list[Line]:
    return [Line(text, f"line {n}", "Tom", START + n * timedelta(hours=1)) for n, text in enumerate(texts, 1)]


def test_facts_go_to_the_block_they_belong_to_with_all_their_quotes() -> None:
    claims = of_facts(
        facts(lines("I live in Leeds.", "I love tea!", "I really love tea", "I'm 34 years old")),
        language="en",
    )

    assert [(c.label, c.text) for c in claims] == [
        (CoreLabel.PERSONA, "Lives in: Leeds"),
        (CoreLabel.PERSONA, "Age, as said on 2023-07-13: 34"),
        (CoreLabel.SELF, "Likes: tea"),
    ]
    assert [(q.text, q.place) for q in claims[2].quotes] == [
        ("I love tea!", "line 2"),
        ("I really love tea", "line 3"),
    ]


def test_every_quote_of_a_claim_stands_in_its_line_and_shows_it() -> None:
    said = lines(*["哈哈哈好呀", "走吧", "OK 明天见", "🍜"] * 6)
    claims = of_style(profile(said, lines(*["行", "可以"] * 12)), said, language="zh")

    by_kind = {claim.kind: claim for claim in claims}
    assert {"length", "bare", "emoji", "particles", "mixed"} <= by_kind.keys()
    assert by_kind["emoji"].text == "一百条里有25条带表情：🍜"
    assert by_kind["mixed"].text == "一百条里有25条中英文混着写。"
    for claim in claims:
        assert claim.quotes
        assert all(quote.text in quote.line.text for quote in claim.quotes)
    assert all("🍜" in quote.text for quote in by_kind["emoji"].quotes)


def test_a_few_lines_make_no_voice() -> None:
    said = lines("ok", "ok")

    assert of_style(profile(said, []), said, language="en") == []


def test_a_block_holds_what_was_accepted_and_examples_last() -> None:
    cue, answer = lines("Are you\ncoming?", "on my way")
    (example,) = of_exchanges([Exchange(cue, answer)], language="en")
    style = Claim(CoreLabel.STYLE, "lower", "Mostly writes without capital letters.", (Quote("on", answer),))
    refused = replace(style, text="Never", accepted=False)
    bare = replace(style, text="Nobody said so", quotes=())

    texts = blocks([example, refused, bare, style], language="en")

    assert texts == {
        CoreLabel.STYLE: "Mostly writes without capital letters.\n\nThis is how you answer:\n"
        "Them: Are you / coming?\nYou: on my way"
    }


def test_a_claim_that_does_not_fit_is_left_out_whole() -> None:
    (line,) = lines("x")
    claims = [
        Claim(CoreLabel.SELF, "likes", letter * size, (Quote("x", line),))
        for letter, size in (("a", 4_000), ("b", 1_500), ("c", 900))
    ]

    text = blocks(claims, language="en")[CoreLabel.SELF]

    assert text == "a" * 4_000 + "\n" + "c" * 900


def test_both_languages_have_the_same_sentences_and_fields() -> None:
    assert wording("en").keys() == wording("zh").keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_braces_in_what_was_said_are_only_text(language: str) -> None:
    (cue, answer) = lines("{value}", "{0} {name}")

    (claim,) = of_exchanges([Exchange(cue, answer)], language=language)  # type: ignore[arg-type]

    assert "{0} {name}" in claim.text
