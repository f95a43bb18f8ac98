"""The recall inspector shows what the real recall gives, and its Python gives the same."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from echovessel.errors import InputError
from echovessel.memory.recall.weights import Weights, preset_names
from echovessel.workbench.app.samples import opened_sample
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.hits import (
    SLIDERS,
    Asked,
    answer,
    ask,
    end_of_day,
    python_for,
    slider_values,
)
from echovessel.workbench.app.words import Words

EN, ZH = Words("en"), Words("zh")


@pytest.fixture(scope="module")
def lin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    opened = opened_sample("lin", tmp_path_factory.mktemp("lin"))
    yield opened
    opened.vessel.close()


def asked(query: str, preset: str = "seed", **changed: Any) -> Asked:
    values = dict(zip(SLIDERS, slider_values(preset), strict=True))
    options = {name: changed.pop(name) for name in ("as_of", "past") if name in changed}
    return Asked(query, preset, tuple((values | changed).values()), **options)


def test_sliders_stand_where_the_preset_says() -> None:
    for preset in preset_names():
        assert Asked("?", preset, slider_values(preset)).weights == Weights.preset(preset)
    assert slider_values("seed") == (0.5, 3.0, 2.0, 1.0, 1.5, 14.0, 0.4, 0.5)


def test_the_sliders_of_relevance_and_impact_move_messages_too() -> None:
    moved = asked("?", "default", relevance=1.5, impact=0.2).weights
    base = Weights.preset("default")

    assert (moved.relevance, moved.message_relevance) == (1.5, base.message_relevance / 2)
    assert (moved.impact, moved.message_impact) == (0.2, base.message_impact * 2)


def test_the_page_shows_the_hits_of_recall_in_their_order(small: Opened) -> None:
    question = asked("Where does Mei work?", min_relevance=0.0)
    direct = small.vessel.recall("Where does Mei work?", weights=question.weights)

    shown = answer(small, EN, ask(small, question))

    assert re.findall(r'class="said">(.*?)</p>', shown) == [
        hit.text.replace("'", "&#x27;") for hit in direct.hits
    ]
    assert re.findall(r'class="score"[^>]*>([\d.]+)<', shown) == [f"{hit.score:.2f}" for hit in direct.hits]


def test_moving_a_weight_moves_the_bars(small: Opened) -> None:
    without = answer(small, EN, ask(small, asked("Kafka the corgi", min_relevance=0.0, entity_anchor=0.0)))
    with_it = answer(small, EN, ask(small, asked("Kafka the corgi", min_relevance=0.0, entity_anchor=5.0)))

    assert "f-entity_anchor" not in without
    assert re.search(r'class="f-entity_anchor"[^>]*width:[\d.]+%', with_it)
    assert "entity anchor <strong>+5.00</strong>" in with_it


def test_badges_say_why_a_hit_is_special(small: Opened) -> None:
    shown = answer(small, EN, ask(small, asked("Is Huang well?", min_relevance=1.0, past=True)))

    for badge in ("anchor", "below the gate", "replaced"):
        assert f">{badge}</span>" in shown
    assert "Named in the question:" in shown
    assert "Scott" in shown


def test_what_was_left_out_stands_with_its_rule_in_words(small: Opened) -> None:
    result = ask(small, asked("Northgate Books", min_relevance=1.0))

    assert [memo.rule for memo in result.dropped if "Northgate" in memo.text] == ["gate"]
    assert "less relevant than the gate, and none of its entities is named" in answer(small, EN, result)
    assert "相关度低于门槛" in answer(small, ZH, result)


def test_nothing_found_says_what_to_do(bare: Opened) -> None:
    assert "Lower the gate" in answer(bare, EN, ask(bare, asked("anything")))


def test_as_of_shows_what_was_known_then(small: Opened) -> None:
    now = ask(small, asked("Where does Mei work?", min_relevance=0.0))
    april = ask(small, asked("Where does Mei work?", min_relevance=0.0, as_of="2026-04-30"))

    assert "Mei works at Lanting Press." not in [hit.text for hit in now.hits]
    assert "Mei works at Lanting Press." in [hit.text for hit in april.hits]


def test_as_of_ends_with_the_day_in_the_zone_of_the_memory() -> None:
    assert str(end_of_day("2026-03-02", "Asia/Shanghai")) == "2026-03-02 15:59:59.999999+00:00"
    assert end_of_day("  ", "UTC") is None
    for odd in ("yesterday", "2026-13-01", "9999-12-31"):
        with pytest.raises(InputError, match="no date"):
            end_of_day(odd, "UTC")


@pytest.mark.parametrize(
    "question",
    [
        Asked("Scott 最近怎么样？", "default", slider_values("default")),
        asked('"quotes", \\ and \n lines', recency=2.5, min_relevance=0.2),
        asked("Kafka 是谁？", "default", relevance=0.7),
        asked("我现在住哪儿？", "default", half_life=90.0, as_of="2026-04-01", past=True),
    ],
)
def test_the_python_gives_the_same_hits(lin: Opened, question: Asked) -> None:
    found: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(python_for(lin, question), found)
    found["v"].close()

    shown = ask(lin, question)
    assert [(hit.text, round(hit.score, 6)) for hit in found["hits"].hits] == [
        (hit.text, round(hit.score, 6)) for hit in shown.hits
    ]
    assert printed.getvalue().strip()


def test_a_sample_comes_with_questions_that_are_answered(lin: Opened, tmp_path: Path) -> None:
    assert len(lin.questions) >= 5
    assert len(ask(lin, Asked(lin.questions[0], "default", slider_values("default"))).hits) > 0
