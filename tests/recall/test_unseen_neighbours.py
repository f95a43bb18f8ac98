"""Neighbours that a talk may not see never stand in the way of what it may."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, Scope
from echovessel.memory.targets import Target

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED, DEFAULT = Weights.seed(), Weights.default()
Cosine = Callable[[float], Vectors]
Open = Callable[..., Memory]


def texts(result: Recall) -> list[str]:
    return [hit.text for hit in result.hits]


def hidden_by(how: str, memory: Memory, open_memory: Open, cosine: Cosine, number: int) -> None:
    """One neighbour nearer than the answer, that this talk must not be shown."""
    text, vector = f"nearest neighbour {number}", cosine(0.99)
    if how == "deleted":
        memory.log.delete(memory.log.add(NewMessage(text, sent_at=NOON), vector=vector).id)
    elif how == "forgotten":
        memory.forget(Target.node(memory.add_event(text, vector=vector).id))
    elif how == "superseded":
        old = memory.add_event(text, vector=vector, known_at=NOON - timedelta(days=2), attribute=text)
        memory.add_event("newer", vector=cosine(-0.9), attribute=text, supersedes=(old.id,))
    elif how == "other user":
        memory.within(Scope.user("tom")).add_event(text, vector=vector)
    elif how == "group":
        memory.within(Scope.group("club")).add_event(text, vector=vector)
    elif how == "other persona":
        open_memory(persona="mara").add_event(text, vector=vector)
    else:
        memory.log.add(NewMessage(text, sent_at=NOON), vector=vector)  # another kind


@pytest.mark.parametrize(
    ("how", "count"),
    [
        ("deleted", 200),
        ("forgotten", 20),  # each cleans the whole file
        ("superseded", 200),
        ("other user", 200),
        ("group", 200),
        ("other persona", 10),  # each opens a handle
        ("other kind", 200),
    ],
)
def test_neighbours_that_may_not_be_seen_never_hide_the_live_answer(
    memory: Memory, open_memory: Open, ask: Vectors, cosine: Cosine, how: str, count: int
) -> None:
    answers = [memory.add_event(f"live answer {n}", vector=cosine(0.6)) for n in range(3)]
    separately = how in ("forgotten", "other persona")  # the rest in one transaction, which is faster
    with nullcontext() if separately else memory.context.store.write():
        for number in range(count):
            hidden_by(how, memory, open_memory, cosine, number)

    for weights in (SEED, DEFAULT.with_(kinds=SEED.kinds)):
        result = memory.recall("nearest neighbour", vector=ask, weights=weights, k=3)

        assert {hit.id for hit in result.hits} == {node.id for node in answers}


def test_k_live_results_after_an_edit_and_a_deletion(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """Case 15: an edited and a deleted message, each searched with k = 1."""
    edited = memory.log.add(NewMessage("the code is Apple123", sent_at=NOON), vector=cosine(0.9))
    deleted = memory.log.add(NewMessage("the key is Pear789", sent_at=NOON), vector=cosine(0.9))
    memory.log.add(NewMessage("the code hangs by the key", sent_at=NOON), vector=cosine(0.5))
    memory.log.edit(edited.id, "the code is Apple456")
    memory.log.delete(deleted.id)

    for query in ("Apple123", "Pear789", "code", "key"):
        (hit,) = memory.recall(query, vector=ask, weights=DEFAULT.with_(min_relevance=0.0), k=1).hits
        assert "Apple123" not in hit.text
        assert "Pear789" not in hit.text
    assert texts(memory.recall("Apple456", weights=DEFAULT.with_(min_relevance=0.0), k=1)) == [
        "the code is Apple456"
    ]
