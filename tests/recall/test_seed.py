"""`Weights.seed()`: the formula of the design, term by term, and who competes under it."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.records import NewMessage, NewNode, NodeKind, RelationalTag, Source, Subject

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED = Weights.seed()
Cosine = Callable[[float], Vectors]


def at(day: str) -> datetime:
    """The beginning of a day in UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


@pytest.mark.parametrize("weights", [Weights.seed(), Weights.default()], ids=["seed", "default"])
def test_an_alias_brings_back_a_memory_that_shares_no_word(memory: Memory, weights: Weights) -> None:
    """'Scott' and 黄逸扬 are one person; no embedding knows that."""
    event = memory.add_event("黄逸扬升职了", entities=["黄逸扬"], occurred="2026-03-02")
    memory.add_alias("黄逸扬", "Scott")

    hit = memory.recall("How is Scott doing?", now=at("2026-03-16"), weights=weights).hits[0]

    assert hit.id == event.id
    assert hit.factors.entity_anchor == 1.0
    assert hit.factors.recency == 0.5  # 14 days from midnight to midnight: one half-life
    assert hit.factors.lexical == 0.0


def test_the_score_is_the_formula_over_the_raw_inputs(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """Every input is known here: days, cosines, impact, tags and the name; none is read back from the result."""
    raw = {
        # text: (days ago, cosine, impact, tags, about Scott); no word of it stands in the question
        "a quiet walk": (0, 0.9, 0.0, (), False),
        "a great loss": (7, 0.6, -9.0, (RelationalTag.TURNING_POINT,), False),
        "new job": (14, 0.5, 4.0, (RelationalTag.COMMITMENT, RelationalTag.IDENTITY), True),
        "old flat": (365, 0.45, 2.5, (), False),
    }
    scott = memory.directory.add("Scott").id
    for text, (days, cos, strength, tags, named) in raw.items():
        memory.nodes.add(
            NewNode(
                text,
                impact=strength,
                tags=tags,
                entities=(scott,) if named else (),
                known_at=NOON - timedelta(days=days),
            ),
            vector=cosine(cos),
        )

    hits = memory.recall("Scott?", vector=ask, weights=SEED, now=NOON).hits

    expected = {}
    for text, (days, cos, strength, tags, named) in raw.items():
        relevance = 1 / (1 + math.exp(2 - 4 * cos))  # the toy embedder's constants
        expected[text] = (
            0.5 * 0.5 ** (days / 14)
            + 3.0 * relevance
            + 2.0 * abs(strength) / 10
            + 1.0 * bool(tags)
            + 1.5 * named
        )
    assert {hit.text: hit.score for hit in hits} == pytest.approx(expected, abs=1e-6)
    assert [hit.text for hit in hits] == sorted(expected, key=lambda text: -expected[text])
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]


def test_contributions_are_weight_times_factor_and_sum_to_the_score(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.nodes.add(
        NewNode("a promise kept", impact=-3, tags=(RelationalTag.COMMITMENT,)), vector=cosine(0.8)
    )
    memory.add_event("something else", entities=["Scott"], vector=cosine(0.7), impact=6)

    for hit in memory.recall("about Scott", vector=ask, weights=SEED, now=NOON).hits:
        factors = hit.factors
        assert hit.contributions == pytest.approx(
            {
                "recency": 0.5 * factors.recency,
                "relevance": 3.0 * factors.relevance,
                "impact": 2.0 * factors.impact,
                "relational_bonus": 1.0 * factors.relational_bonus,
                "entity_anchor": 1.5 * factors.entity_anchor,
            }
        )
        assert hit.score == pytest.approx(sum(hit.contributions.values()))


def test_all_four_kinds_of_nodes_compete_and_messages_do_not(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.log.add(NewMessage("the nearest of all", sent_at=NOON), vector=cosine(1.0))
    for kind in NodeKind:
        memory.nodes.add(NewNode(f"one {kind}", kind=kind, subject=Subject.PERSONA), vector=cosine(0.8))

    hits = memory.recall("question", vector=ask, weights=SEED).hits

    assert {hit.kind for hit in hits} == {"event", "thought", "intention", "expectation"}


def test_messages_step_in_alone_where_no_node_exists(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    said = memory.log.add(NewMessage("the only thing known", sent_at=NOON), vector=cosine(0.9))

    assert [hit.id for hit in memory.recall("question", vector=ask, weights=SEED).hits] == [said.id]

    node = memory.nodes.add(NewNode("a memory"), vector=cosine(0.7))
    assert [hit.id for hit in memory.recall("question", vector=ask, weights=SEED).hits] == [node.id]


def test_messages_step_in_where_no_node_was_known_yet(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    said = memory.log.add(NewMessage("early", sent_at=at("2026-03-01")), vector=cosine(0.9))
    memory.nodes.add(NewNode("late", known_at=at("2026-05-01")), vector=cosine(0.9))

    hits = memory.recall("question", vector=ask, weights=SEED, as_of=at("2026-04-01")).hits

    assert [hit.id for hit in hits] == [said.id]


def test_a_hit_shows_its_source_and_the_talk_around_it(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    said = [memory.log.add(NewMessage(f"line {n}", sent_at=NOON + timedelta(minutes=n))).id for n in range(7)]
    memory.nodes.add(NewNode("what it comes to", sources=(Source(message=said[3]),)), vector=cosine(0.9))

    result = memory.recall("question", vector=ask, weights=SEED)

    assert result.hits[0].sources == (said[3],)
    assert [message.id for message in result.context(result.hits[0])] == said[1:6]
    assert [message.id for message in result.context(result.hits[0], before=0, after=1)] == said[3:5]


def test_impact_of_a_message_is_estimated_and_halved_for_a_question(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """Three words that are no stop words: 0.3 * ln(4) / ln(21)."""
    memory.log.add(NewMessage("violin lessons began", sent_at=NOON), vector=cosine(0.9))
    memory.log.add(NewMessage("violin lessons began?", sent_at=NOON), vector=cosine(0.9))

    told, asked = memory.recall("question", vector=ask, weights=SEED).hits

    assert told.factors.impact == pytest.approx(0.3 * np.log(4) / np.log(21))
    assert asked.factors.impact == pytest.approx(0.15 * np.log(4) / np.log(21))


def test_age_counts_from_the_day_it_happened_in_the_persona_s_zone(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """2 March begins in Shanghai 8 hours before it does in UTC."""
    memory.personas.set_zone("Asia/Shanghai")
    event = NewNode("moved house", occurred_from=date(2026, 3, 2), occurred_to=date(2026, 3, 2))
    memory.nodes.add(event, vector=cosine(0.9))

    hit = memory.recall("question", vector=ask, now=datetime(2026, 3, 15, 16, tzinfo=UTC)).hits[0]

    assert hit.factors.recency == 0.5
    assert hit.happened_at == datetime(2026, 3, 1, 16, tzinfo=UTC)


def test_an_expectation_for_next_year_has_recency_one(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    new = NewNode("the wedding", kind=NodeKind.EXPECTATION, occurred_from=date(2027, 6, 1))
    memory.nodes.add(new, vector=cosine(0.9))

    assert memory.recall("question", vector=ask, weights=SEED, now=NOON).hits[0].factors.recency == 1.0
