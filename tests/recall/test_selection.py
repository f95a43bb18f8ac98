"""Which memories take the k places, and the rule that each of the others fell under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, Source

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED, DEFAULT = Weights.seed(), Weights.default()
Cosine = Callable[[float], Vectors]


def texts(result: Recall) -> list[str]:
    return [hit.text for hit in result.hits]


def rules(result: Recall) -> dict[str, str]:
    return {memo.text: memo.rule for memo in result.dropped}


# The gate


def test_the_gate_comes_before_scoring(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """A memory that everything but its relevance speaks for is out, whatever it would have scored."""
    memory.add_event("weak but fitting", vector=cosine(0.45), known_at=NOON - timedelta(days=400))
    memory.add_event("strong and unfitting", vector=cosine(0.2), impact=10, tags=("turning-point",))

    result = memory.recall("question", vector=ask, weights=SEED, now=NOON)

    assert texts(result) == ["weak but fitting"]  # sigmoid(-2 + 4*0.45) = 0.45; of 0.2: 0.23
    (dropped,) = result.dropped
    assert (dropped.text, dropped.rule) == ("strong and unfitting", "gate")
    assert dropped.score > result.hits[0].score
    assert result.dropped_counts == {"gate": 1}
    assert result.considered == 2


def test_the_gate_is_the_weights_to_move(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("half fitting", vector=cosine(0.5))  # relevance 0.5

    def found(gate: float) -> int:
        return len(memory.recall("question", vector=ask, weights=SEED.with_(min_relevance=gate)))

    assert [found(gate) for gate in (0.0, 0.49, 0.51, 1.0)] == [1, 1, 0, 0]


def test_an_anchored_memory_passes_the_gate_and_says_so(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("something far away", entities=["Scott"], vector=cosine(-0.9))
    memory.add_event("just as far away", vector=cosine(-0.9))

    result = memory.recall("Scott?", vector=ask, weights=SEED)

    assert texts(result) == ["something far away"]
    assert result.hits[0].below_gate
    assert result.hits[0].factors.entity_anchor == 1.0
    assert rules(result) == {"just as far away": "gate"}


# The anchored share


def anchored_talk(
    memory: Memory, cosine: Cosine, *, anchored: Sequence[float], others: Sequence[float]
) -> None:
    for number, value in enumerate(anchored):
        memory.add_event(f"named {number}", entities=["Scott"], vector=cosine(value), impact=10)
    for number, value in enumerate(others):
        memory.add_event(f"other {number}", vector=cosine(value))


def test_anchored_hits_take_at_most_half_of_k_under_seed(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.6, 0.55, 0.5])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["named 0", "named 1", "other 0", "other 1"]
    assert rules(result)["named 2"] == rules(result)["named 3"] == "anchored"
    assert result.dropped_counts == {"anchored": 2, "rank": 1}


@pytest.mark.parametrize(("k", "share"), [(1, 1), (2, 1), (3, 1), (5, 2), (6, 3)])
def test_half_of_k_is_rounded_down_but_at_least_one(
    memory: Memory, ask: Vectors, cosine: Cosine, k: int, share: int
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9] * 8, others=[0.5] * 8)

    hits = memory.recall("Scott?", vector=ask, weights=SEED, k=k).hits

    assert sum(hit.factors.entity_anchor for hit in hits) == share
    assert len(hits) == k


def test_among_anchored_hits_relevance_decides_and_not_the_score(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.add_event("named, strong", entities=["Scott"], vector=cosine(0.3), impact=10)
    memory.add_event("named, fitting", entities=["Scott"], vector=cosine(0.6))
    memory.add_event("other", vector=cosine(0.5))

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=2)

    assert texts(result) == ["named, fitting", "other"]
    assert rules(result) == {"named, strong": "anchored"}
    assert result.dropped[0].score > result.hits[0].score


def test_unless_nothing_else_passes(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """One other passes, so that the named ones take the three places that are left."""
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.5, 0.0, -0.2])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["named 0", "named 1", "named 2", "other 0"]
    assert result.dropped_counts == {"anchored": 1, "gate": 2}


def test_all_places_where_only_named_ones_pass(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.0])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=3)

    assert texts(result) == ["named 0", "named 1", "named 2"]
    assert result.dropped_counts == {"rank": 1, "gate": 1}


def test_the_default_holds_back_only_what_is_there_for_its_name_alone(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.9, 0.9, -0.5, -0.5, -0.5], others=[0.6, 0.55, 0.5])
    weights = DEFAULT.with_(entity_anchor=3.0, min_relevance=0.4)  # the name alone outweighs what fits

    result = memory.recall("Scott?", vector=ask, weights=weights, k=6)

    named = [hit for hit in result.hits if hit.factors.entity_anchor]
    assert sum(not hit.below_gate for hit in named) == 3  # all that fit
    assert sum(hit.below_gate for hit in named) <= 3  # the share
    assert len(result.hits) == 6

    relevant = memory.recall("Scott?", vector=ask, weights=weights.with_(anchored_share=0.2), k=6)
    named = [hit for hit in relevant.hits if hit.factors.entity_anchor]
    assert (sum(not hit.below_gate for hit in named), sum(hit.below_gate for hit in named)) == (3, 1)
    assert sorted(texts(relevant))[-2:] == ["other 0", "other 1"]


def test_a_popular_name_fills_no_more_places_however_many_know_it(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """600 memories of Scott score higher than any other: more than recall looks at one by one."""
    with memory.context.store.write():
        for number in range(300):
            memory.add_event(f"strong {number}", entities=["Scott"], vector=cosine(0.5), impact=10)
            memory.add_event(f"fitting {number}", entities=["Scott"], vector=cosine(0.9))
        for number in range(3):
            memory.add_event(f"other {number}", vector=cosine(0.6))

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["fitting 0", "fitting 1", "other 0", "other 1"]
    # All of Scott's but the two hits score above the last hit; one other is below it.
    assert result.dropped_counts == {"anchored": 598, "rank": 1}


# Folding


def test_a_message_folds_under_the_higher_memory_that_rests_on_it_and_frees_its_place(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = memory.log.add(NewMessage("I moved", sent_at=NOON), vector=cosine(0.9))
    memory.log.add(NewMessage("quite another thing", sent_at=NOON, session="b"), vector=cosine(0.6))
    memory.add_event("Mei moved", sources=(Source(message=said.id),), vector=cosine(0.95), impact=5)

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=2)

    assert texts(result) == ["Mei moved", "quite another thing"]
    assert result.hits[0].folded == (said.id,)
    assert rules(result) == {"I moved": "folded"}
    assert result.dropped_counts == {"folded": 1}


def test_a_message_above_the_memory_that_rests_on_it_keeps_its_place(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = memory.log.add(NewMessage("I moved", sent_at=NOON), vector=cosine(0.99))
    memory.add_event("Mei moved", sources=(Source(message=said.id),), vector=cosine(0.5))

    result = memory.recall("question", vector=ask, weights=DEFAULT.with_(message_relevance=3.0), k=5)

    assert texts(result) == ["I moved", "Mei moved"]
    assert result.dropped_counts == {}


def test_a_place_freed_by_folding_may_bring_in_a_memory_that_folds_more(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """By score: event a, its message, event b, its message. With k = 3 the last comes in only by a fold."""
    said = {}
    for name, value in (("a", 0.99), ("b", 0.7)):
        message = NewMessage(f"message of {name}", sent_at=NOON, session=name)
        said[name] = memory.log.add(message, vector=cosine(value - 0.02)).id
        memory.add_event(f"event {name}", sources=(Source(message=said[name]),), vector=cosine(value))

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=3)

    assert texts(result) == ["event a", "event b"]
    assert [hit.folded for hit in result.hits] == [(said["a"],), (said["b"],)]
    assert result.dropped_counts == {"folded": 2}


def test_a_memory_of_a_whole_talk_folds_it_and_frees_all_its_places(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = [
        memory.log.add(NewMessage(f"line {n}", sent_at=NOON, session="a"), vector=cosine(0.9)).id
        for n in range(200)
    ]
    for number in range(3):
        memory.log.add(NewMessage(f"other {number}", sent_at=NOON, session="b"), vector=cosine(0.7))
    memory.add_event("what it came to", vector=cosine(0.95), sources=tuple(Source(message=m) for m in said))

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=3)

    assert texts(result)[0] == "what it came to"
    assert [text.split()[0] for text in texts(result)[1:]] == ["other", "other"]
    assert sorted(result.hits[0].folded) == sorted(said)
    assert result.dropped_counts == {"folded": 200, "rank": 1}


# What is in the prompt already


def test_what_is_in_the_prompt_leaves_its_place_to_others(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    nodes = [memory.add_event(f"event {n}", vector=cosine(0.9 - n / 100)) for n in range(30)]
    burst = {node.id for node in nodes[:20]}

    result = memory.recall("question", vector=ask, weights=SEED, k=10, exclude=burst)

    assert texts(result) == [f"event {n}" for n in range(20, 30)]
    assert result.dropped_counts == {"in_prompt": 20}
    assert {memo.rule for memo in result.dropped} == {"in_prompt"}


def test_an_unknown_id_excludes_nothing(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("event", vector=cosine(0.9))

    assert texts(memory.recall("question", vector=ask, exclude={"no such id", ""})) == ["event"]


def test_what_the_gate_drops_is_not_counted_as_in_the_prompt(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    far = memory.add_event("far", vector=cosine(-0.5))

    result = memory.recall("question", vector=ask, weights=SEED, exclude={far.id})

    assert result.dropped_counts == {"gate": 1}
