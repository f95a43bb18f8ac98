"""Whatever is asked, recall answers or says in one sentence what is wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.embedding import Vectors
from echovessel.errors import InputError, NotFoundError, WeightError
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.records import NewMessage, Scope
from echovessel.models import embedder
from echovessel.runtime.vessel import Vessel

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NAIVE = datetime(2026, 6, 1, 12)  # noqa: DTZ001
Cosine = Callable[[float], Vectors]
Open = Callable[..., Memory]


@pytest.mark.parametrize("query", ["", " ", "\n\t ", "\u3000", "\x00", "\x00 \x00", None, 7, b"violin"])
def test_a_query_that_says_nothing_is_refused(memory: Memory, query: Any) -> None:
    with pytest.raises(InputError, match="the query is empty"):
        memory.recall(query)


@pytest.mark.parametrize("query", ["", "  \n"])
def test_the_vessel_refuses_it_too(tmp_path: Path, query: str) -> None:
    with (
        Vessel.open(tmp_path, persona="lin", embedder=embedder("hash")) as vessel,
        pytest.raises(InputError, match="the query is empty"),
    ):
        vessel.recall(query)


@pytest.mark.parametrize("k", [0, -1, True, False, 1.5, 3.0, "3", None, float("nan")])
def test_k_is_a_whole_number_of_at_least_one(memory: Memory, k: Any) -> None:
    with pytest.raises(InputError, match="k must be a whole number of at least 1, found"):
        memory.recall("violin", k=k)


@pytest.mark.parametrize("k", [1, 10**9])
def test_any_larger_k_gives_what_there_is(memory: Memory, ask: Vectors, cosine: Cosine, k: int) -> None:
    memory.add_event("violin", vector=cosine(0.9))

    assert len(memory.recall("violin", vector=ask, k=k)) == 1


@pytest.mark.parametrize("name", ["now", "as_of", "recorded_as_of"])
def test_a_time_without_a_zone_is_refused_by_name(memory: Memory, name: str) -> None:
    with pytest.raises(InputError, match=f"{name} has no time zone: 2026-06-01T12:00:00"):
        memory.recall("violin", **{name: NAIVE})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["now", "as_of", "recorded_as_of"])
@pytest.mark.parametrize("value", ["2026-06-01", date(2026, 6, 1), 0])
def test_what_is_no_time_is_refused_by_name(memory: Memory, name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"{name} must be a datetime with a time zone"):
        memory.recall("violin", **{name: value})


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0, 0.0, 0.0], r"shape \(2,\), found \(3,\)"),
        ([[1.0, 0.0]], r"shape \(2,\), found \(1, 2\)"),
        ([], r"shape \(2,\), found \(0,\)"),
        ([np.nan, 0.0], "length 1, found nan"),
        ([np.inf, 0.0], "length 1, found inf"),
        ([0.0, 0.0], "length 1, found 0"),
        ([2.0, 0.0], "length 1, found 2"),
    ],
)
def test_a_vector_that_is_not_the_embedders_is_refused(memory: Memory, vector: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        memory.recall("violin", vector=np.array(vector, np.float32))


def test_weights_out_of_range_never_reach_recall(memory: Memory) -> None:
    with pytest.raises(WeightError):
        memory.recall("violin", weights=Weights.default().with_(recency=-1.0))
    with pytest.raises(WeightError):
        memory.recall("violin", weights=Weights.default().with_(relevance=float("nan")))


def test_an_unknown_persona_is_not_made_by_asking(tmp_path: Path, open_memory: Open) -> None:
    open_memory()

    with pytest.raises(NotFoundError, match="No persona 'nobody'"):
        Memory.open(tmp_path / "memory.db", persona="nobody", create=False)


@pytest.mark.parametrize("user", [{"$ne": ""}, "", " ", None, "a\x00b", "*' OR 1=1 --\n"])
def test_an_odd_user_is_refused_or_sees_nothing_of_others(
    memory: Memory, ask: Vectors, cosine: Cosine, user: Any
) -> None:
    memory.add_event("violin", vector=cosine(0.9))

    try:
        scope = Scope.user(user)
    except InputError:
        return
    assert not memory.within(scope).recall("violin", vector=ask).hits


@pytest.mark.parametrize(
    "query",
    [
        '" OR *',
        "NEAR(",
        "%",
        "_",
        "NEAR(violin, 2)",
        "'; DROP TABLE nodes; --",
        "{}",
        "\\",
        "[violin",
        "(?i)(",
    ],
)
def test_case_17_search_syntax_is_only_text(memory: Memory, cosine: Cosine, query: str) -> None:
    said = [memory.log.add(NewMessage(text, sent_at=NOON)) for text in ("a violin", "a train")]

    hits = memory.recall(query).hits

    assert {hit.text for hit in hits} <= {"a violin"}  # only where the query holds that word
    assert memory.log.count() == len(said)


@pytest.mark.parametrize("query", ["🎻", "🎻🎻 😀", "😀\ufe0f\u200d", "…", "？！", "\u200b"])
def test_only_signs_answer_without_words(memory: Memory, ask: Vectors, cosine: Cosine, query: str) -> None:
    near = memory.add_event("near", vector=cosine(0.9))
    memory.add_event("far", vector=cosine(-0.9))

    result = memory.recall(query, vector=ask)

    assert [hit.id for hit in result.hits] == [near.id]
    assert result.hits[0].factors.lexical == 0.0


@pytest.mark.parametrize("query", ["violin\ud800", "\udfffviolin", "vio\x00lin", "\x00violin\x00"])
def test_lone_surrogates_and_nul_do_not_stand_in_the_way(
    memory: Memory, ask: Vectors, cosine: Cosine, query: str
) -> None:
    memory.add_event("the violin", vector=cosine(0.9))

    result = memory.recall(query, vector=ask)

    assert [hit.text for hit in result.hits] == ["the violin"]
    result.explain()
    result.to_json()
    result._repr_html_()


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=80), st.text(max_size=80))
def test_any_text_is_asked_of_any_memory(query: str, text: str) -> None:
    with Memory.open(":memory:", persona="lin", zone="UTC") as memory:
        memory.log.add(NewMessage(text, sent_at=NOON))
        if not query.replace("\x00", "").strip():
            with pytest.raises(InputError):
                memory.recall(query)
            return
        result = memory.recall(query, weights=Weights.default().with_(min_relevance=0.0))

    assert len(result.hits) == 1
    assert 0.0 <= result.hits[0].factors.lexical <= 1.0


def test_a_query_of_100_kb_is_answered_in_seconds(memory: Memory, ask: Vectors) -> None:
    """Every word of a long paste may be another: 14,000 terms over a memory that knows most of them."""
    seeded = random.Random(5)
    words = ["".join(seeded.choices("bcdfghklmnprst", k=6)) for _ in range(14_300)]
    memory.log.add_many(
        NewMessage(" ".join(words[n : n + 40]), sent_at=NOON - timedelta(days=n), session=f"{n % 50}")
        for n in range(0, 14_300, 10)
    )
    query = " ".join(words)
    assert len(query) > 100_000
    memory.recall("warm up", vector=ask)

    start = time.perf_counter()
    result = memory.recall(query, vector=ask)
    took = time.perf_counter() - start

    assert took < 10  # a fraction of a second on an idle machine
    assert result.considered == 1_430
    assert max(memo.factors.lexical for memo in (*result.hits, *result.dropped)) > 0


def test_a_single_word_of_100_kb_is_answered(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("近", vector=cosine(0.9))

    for query in ("x" * 100_000, "琴" * 100_000, "a\n" * 50_000, "😀" * 25_000):
        assert len(memory.recall(query, vector=ask).hits) == 1


def test_an_empty_memory_answers_that_nothing_bears_on_it(memory: Memory, ask: Vectors) -> None:
    result = memory.recall("violin", vector=ask)

    assert (result.hits, result.dropped, result.dropped_counts, result.considered) == ((), (), {}, 0)
    assert "Nothing in memory bears on this." in result.explain()
