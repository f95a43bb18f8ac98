"""What a recall says of the memories that are no hits, the order of equals, and the talk around a hit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, Scope, Source

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED, DEFAULT = Weights.seed(), Weights.default()
Cosine = Callable[[float], Vectors]


def texts(result: Recall) -> list[str]:
    return [hit.text for hit in result.hits]


# What was left out


def test_every_memory_considered_is_a_hit_or_counted_under_one_rule(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    for number, value in enumerate((0.9, 0.8, 0.7, -0.8)):
        memory.add_event(f"named {number}", entities=["Scott"], vector=cosine(value), impact=10)
    for number, value in enumerate((0.6, 0.6, 0.5, 0.0, -0.9)):
        said = memory.log.add(NewMessage(f"said {number}", sent_at=NOON), vector=cosine(value))
        memory.add_event(f"other {number}", vector=cosine(value), sources=(Source(message=said.id),))
    for value in (0.8, -0.8):  # what has been replaced, on either side of the gate
        old = memory.add_event("old", vector=cosine(value), attribute=str(value))
        memory.add_event("new", vector=cosine(value), attribute=str(value), supersedes=(old.id,))
    skipped = memory.add_event("in the prompt", vector=cosine(0.9))

    for k in (1, 2, 3, 5, 50):
        for weights in (SEED, DEFAULT):
            result = memory.recall("Scott?", vector=ask, weights=weights, k=k, exclude={skipped.id})

            assert len(result.hits) + sum(result.dropped_counts.values()) == result.considered
            assert len(result.hits) <= k
            shown = [memo.rule for memo in result.dropped]
            assert {rule: shown.count(rule) for rule in shown} == result.dropped_counts


def test_the_dropped_come_best_first_and_no_more_than_twenty(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    for number in range(60):
        memory.add_event(f"event {number}", vector=cosine(0.9 - number / 100))

    result = memory.recall("question", vector=ask, weights=SEED, k=10)

    assert [memo.text for memo in result.dropped] == [f"event {n}" for n in range(10, 30)]
    assert {memo.rule for memo in result.dropped} == {"rank"}
    # sigmoid(-2 + 4c) >= 0.4 where c >= 0.3986: the first 51 pass.
    assert result.dropped_counts == {"rank": 41, "gate": 9}


def test_equal_scores_are_settled_by_id_so_that_the_order_never_changes(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    nodes = [memory.add_event("the same", vector=cosine(0.8)) for _ in range(12)]

    for _ in range(3):
        result = memory.recall("question", vector=ask, weights=SEED, k=5)
        assert [hit.id for hit in result.hits] == sorted(node.id for node in nodes)[:5]


def test_equal_scores_are_settled_by_id_among_hundreds_too(memory: Memory) -> None:
    with memory.context.store.write():
        ids = [memory.add_event("the same", known_at=NOON).id for _ in range(500)]

    result = memory.recall("question", weights=SEED.with_(min_relevance=0.0), k=3)

    assert [hit.id for hit in result.hits] == sorted(ids)[:3]


# The talk around a hit


def test_the_talk_around_a_hit_never_crosses_a_session_or_scope(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    tom = memory.within(Scope.user("tom"))
    said = {}
    for minute in range(12):
        session, handle = (
            ("one", memory) if minute % 3 == 0 else ("two", memory) if minute % 3 == 1 else ("t", tom)
        )
        message = NewMessage(
            f"{session} {minute}",
            sent_at=NOON + timedelta(minutes=minute),
            session=session,
            conversation=session,
        )
        said[minute] = handle.log.add(message, vector=cosine(0.9 if minute == 3 else -0.9))

    result = memory.recall("question", vector=ask, weights=DEFAULT)

    assert texts(result) == ["one 3"]
    around = result.context(result.hits[0], before=5, after=5)
    assert [message.text for message in around] == ["one 0", "one 3", "one 6", "one 9"]


def test_the_talk_around_several_sources_comes_once_and_in_order(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = [memory.log.add(NewMessage(f"{n}", sent_at=NOON + timedelta(minutes=n))) for n in range(8)]
    memory.nodes.add(
        NewNode("both", sources=(Source(message=said[4].id), Source(message=said[2].id))), vector=cosine(0.9)
    )

    result = memory.recall("question", vector=ask, weights=SEED)

    around = result.context(result.hits[0], before=1, after=1)
    assert [message.text for message in around] == ["1", "2", "3", "4", "5"]
