"""A result as a table, as frames, as JSON, as a figure and as HTML."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from echovessel.embedding import Vectors
from echovessel.errors import MissingExtra
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.result import RULES
from echovessel.memory.records import NewMessage

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOSTILE = "[b]x[/b]\x1b[31m<script>alert(1)</script>"
Cosine = Callable[[float], Vectors]


@pytest.fixture
def result(memory: Memory, ask: Vectors, cosine: Cosine) -> Recall:
    """Two hits, best first: an event about Scott and a message; one memory below the gate."""
    memory.add_event("he moved to 里斯本", entities=["Scott"], vector=cosine(0.9), impact=-5, known_at=NOON)
    memory.log.add(
        NewMessage("he likes it there", sender="other", sender_name="Ann", sent_at=NOON),  # type: ignore[arg-type]
        vector=cosine(0.7),
    )
    memory.add_event("far away", vector=cosine(-0.9))
    return memory.recall("And Scott?", vector=ask, weights=Weights.default(), now=NOON + timedelta(days=14))


@pytest.fixture
def hostile(memory: Memory, ask: Vectors, cosine: Cosine) -> Recall:
    memory.log.add(
        NewMessage(HOSTILE, sender="other", sender_name="<b>Ann</b>", sent_at=NOON),  # type: ignore[arg-type]
        vector=cosine(0.9),
    )
    return memory.recall(f"what of {HOSTILE}?", vector=ask)


def test_explain_shows_each_hit_with_what_each_factor_adds_and_what_was_dropped(result: Recall) -> None:
    lines = result.explain().splitlines()

    assert lines[0].split() == [
        "#",
        "score",
        "recency",
        "relevance",
        "impact",
        "bonus",
        "anchor",
        "when",
        "memory",
    ]
    first = lines[1].split()
    event = result.hits[0]
    assert first[:2] == ["1", f"{event.score:.2f}"]
    # Default weights: recency 0.05 * 0.5, relevance 3 * sigmoid(1.6), impact 0.1 * 0.5, no tag, anchor 1.0.
    assert first[2:7] == ["+0.03", "+2.50", "+0.05", ".", "+1.00"]
    assert first[7] == "2026-06-01"
    assert "[event] he moved to 里斯本" in lines[1]
    assert "Ann: he likes it there" in lines[2]
    assert "dropped (gate, relevance 0.00): [event] far away" in lines[3]
    assert lines[4].startswith("2 of 3 memories in ")


def test_what_people_wrote_stays_text_in_the_terminal(hostile: Recall) -> None:
    shown = hostile.explain()

    assert "[b]x[/b]" in shown
    assert "\x1b" not in shown


def test_html_holds_nothing_that_people_wrote_as_markup(hostile: Recall) -> None:
    html = hostile._repr_html_()

    assert "<script" not in html
    assert "<b>Ann" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;Ann&lt;/b&gt;" in html


def test_polars_has_one_row_a_hit_with_every_factor_and_contribution(result: Recall) -> None:
    frame = result.to_polars()

    assert frame["id"].to_list() == [hit.id for hit in result.hits]
    assert frame["rank"].to_list() == [1, 2]
    assert frame["speaker"].to_list() == ["", "Ann"]
    for name in FACTORS:
        assert frame[name].to_list() == [getattr(hit.factors, name) for hit in result.hits]
        assert frame[f"{name}_adds"].to_list() == [hit.contributions[name] for hit in result.hits]
    total = frame.select(pl.sum_horizontal(f"{name}_adds" for name in FACTORS)).to_series()
    assert total.to_list() == pytest.approx(frame["score"].to_list())
    assert frame.schema["known_at"] == pl.Datetime("us", "UTC")


def test_a_frame_without_hits_has_the_same_columns_and_types(
    result: Recall, memory: Memory, ask: Vectors
) -> None:
    empty = memory.recall("?", vector=ask, as_of=NOON - timedelta(days=999))
    assert not empty.hits

    assert empty.to_polars().schema == result.to_polars().schema
    assert list(empty.to_pandas().columns) == list(result.to_pandas().columns)


def test_pandas_holds_what_polars_holds(result: Recall) -> None:
    assert result.to_pandas().to_dict("records") == result.to_polars().to_dicts()


def test_without_pandas_the_extra_is_named(result: Recall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(MissingExtra, match=r"echovessel\[lab\]"):
        result.to_pandas()


def test_json_holds_all_of_it_and_no_number_that_json_has_not(result: Recall) -> None:
    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    text = result.to_json()
    read = json.loads(text, parse_constant=refuse)

    assert "里斯本" in text
    assert read["query"] == "And Scott?"
    assert [hit["id"] for hit in read["hits"]] == [hit.id for hit in result.hits]
    assert read["hits"][0]["factors"]["recency"] == 0.5
    assert read["hits"][0]["known_at"] == "2026-06-01T12:00:00+00:00"
    assert [memo["rule"] for memo in read["dropped"]] == ["gate"]
    assert Weights.from_dict(read["weights"]) == result.weights
    assert read["dropped_counts"] == {"gate": 1}
    assert not any(name.startswith("_") for name in read)


def test_the_figure_stacks_what_each_factor_adds(result: Recall) -> None:
    drawn = {bar.name: list(bar.x) for bar in result.plot().data}

    adds = [[hit.contributions[name] for hit in result.hits] for name in FACTORS]
    assert list(drawn.values()) == adds


def test_the_figure_shows_tags_as_text(hostile: Recall) -> None:
    assert "<script" not in hostile.plot().to_json()


def test_every_rule_is_said_in_words_and_every_stage_is_timed(result: Recall) -> None:
    assert {memo.rule for memo in result.dropped} <= set(RULES)
    assert set(result.timings) == {"names", "index", "lexical", "dense", "score", "select", "explain"}
    assert all(0 <= ms < 60_000 for ms in result.timings.values())


def test_a_result_does_not_change(result: Recall) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.hits = ()  # type: ignore[misc]
    assert len(result) == 2
