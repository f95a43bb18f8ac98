"""What never changes: not by another memory, not by another user, not by reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.memory.context import Context
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, RelationalTag, Scope
from echovessel.models import embedder

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HASH = embedder("hash")
QUERY = "Did Scott lose the violin? 黄逸扬的小提琴"
VECTOR = HASH.embed([QUERY], kind="query")[0]
WORDS = ("violin", "lost", "Scott", "train", "moved", "the", "小提琴", "黄逸扬", "火车", "may")
# Everything competes and nothing is cut, so that each memory's factors can be seen.
ALL = Weights.default().with_(min_relevance=0.0, anchored_share=1.0)


@dataclass(frozen=True)
class Item:
    """A memory to be written."""

    words: tuple[str, ...]
    is_message: bool
    days: int
    impact: float
    tagged: bool
    session: str
    speaker: str
    with_vector: bool

    def write(self, memory: Memory) -> str:
        text = " ".join(self.words)
        vector = HASH.embed([text], kind="passage")[0] if self.with_vector else None
        moment = NOON - timedelta(days=self.days)
        if self.is_message:
            message = NewMessage(
                text,
                sender="other" if self.speaker else "user",  # type: ignore[arg-type]
                sender_name=self.speaker,
                sent_at=moment,
                session=self.session,
                conversation=self.session,
            )
            return memory.log.add(message, vector=vector).id
        tags = (RelationalTag.COMMITMENT,) if self.tagged else ()
        return memory.nodes.add(
            NewNode(text, impact=self.impact, tags=tags, known_at=moment), vector=vector
        ).id


ITEMS = st.builds(
    Item,
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(tuple),
    is_message=st.booleans(),
    days=st.integers(-5, 400),
    impact=st.integers(-10, 10).map(float),
    tagged=st.booleans(),
    session=st.sampled_from(["one", "two"]),
    speaker=st.sampled_from(["", "Violin"]),
    with_vector=st.booleans(),
)


def fresh() -> Memory:
    memory = Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("mei"),
        embedder=HASH.identity,
        clock=FixedClock(NOON),
        zone="UTC",
    )
    memory.directory.add("Scott", aliases=["黄逸扬"])
    return memory


def ask(memory: Memory, weights: Weights = ALL, k: int = 1_000) -> Recall:
    return memory.recall(QUERY, vector=VECTOR, weights=weights, k=k)


def seen(result: Recall) -> dict[str, Any]:
    """All of a result but how long it took."""
    return {
        name: getattr(result, name) for name in ("hits", "dropped", "dropped_counts", "anchors", "considered")
    }


@settings(max_examples=25)
@given(st.lists(ITEMS, min_size=1, max_size=8), ITEMS)
def test_a_memory_added_changes_no_factor_but_the_words(items: Sequence[Item], added: Item) -> None:
    with fresh() as memory:
        for item in items:
            item.write(memory)
        before = {hit.id: hit for hit in ask(memory).hits}
        added.write(memory)
        after = {hit.id: hit for hit in ask(memory).hits}

    assert len(after) == len(before) + 1
    for item_id, hit in before.items():
        was, now = hit.factors, after[item_id].factors
        for name in ("recency", "impact", "relational_bonus", "entity_anchor"):
            assert getattr(was, name) == getattr(now, name), name
        # BLAS adds up the last few rows of a matrix in another order, which shows in the last bit.
        assert now.cosine == pytest.approx(was.cosine, abs=1e-6)


@settings(max_examples=25)
@given(st.lists(ITEMS, min_size=1, max_size=8), ITEMS)
def test_words_are_weighed_within_messages_and_within_memories(items: Sequence[Item], added: Item) -> None:
    """A message moves the lexical part of no node, and a node of no message, by not one bit."""
    with fresh() as memory:
        for item in items:
            item.write(memory)
        before = {hit.id: hit for hit in ask(memory).hits}
        added.write(memory)
        after = {hit.id: hit for hit in ask(memory).hits}

    added_to = "message" if added.is_message else "node"
    for item_id, hit in before.items():
        if hit.layer != added_to:
            assert hit.factors.lexical == after[item_id].factors.lexical


def elsewhere(place: str, memory: Memory) -> Memory:
    if place == "group":
        return memory.within(Scope.group("club"))
    if place == "persona":
        inside = memory.context
        other = Context(inside.store, "mara", inside.scope, inside.clock, inside.ids, zone="UTC")
        found = Memory(other)
        found.personas.require()
        return found
    return memory.within(Scope.user("tom"))


@pytest.mark.parametrize("place", ["user", "group", "persona"])
@pytest.mark.parametrize("weights", [Weights.seed(), Weights.default(), ALL], ids=["seed", "default", "all"])
@settings(max_examples=6)
@given(items=st.lists(ITEMS, min_size=1, max_size=6), others=st.lists(ITEMS, min_size=1, max_size=6))
def test_what_is_added_for_another_changes_nothing_bit_for_bit(
    place: str, weights: Weights, items: Sequence[Item], others: Sequence[Item]
) -> None:
    with fresh() as memory:
        for item in items:
            item.write(memory)
        before = seen(ask(memory, weights, k=3))

        other = elsewhere(place, memory)
        other.directory.add("Violin", aliases=["小提琴", "lost"])
        for item in others:
            item.write(other)
        ask(other)

        assert seen(ask(memory, weights, k=3)) == before
        # Also for an index that is made only now.
        assert seen(ask(Memory(memory.context), weights, k=3)) == before


def recalled(memory: Memory, result: Recall) -> None:
    ask(memory, Weights.seed(), k=1)


def counted(memory: Memory, result: Recall) -> None:
    memory.access.record([hit.id for hit in result.hits] * 50)


def looked_around(memory: Memory, result: Recall) -> None:
    for hit in result.hits:
        result.context(hit)


def searched(memory: Memory, result: Recall) -> None:
    memory.search.messages("violin")
    memory.nodes.list()


@pytest.mark.parametrize("read", [recalled, counted, looked_around, searched])
@settings(max_examples=6)
@given(items=st.lists(ITEMS, min_size=1, max_size=8))
def test_reading_never_changes_the_ranking(
    read: Callable[[Memory, Recall], None], items: Sequence[Item]
) -> None:
    with fresh() as memory:
        for item in items:
            item.write(memory)
        first = ask(memory, Weights.default(), k=5)
        for _ in range(3):
            read(memory, first)

        assert seen(ask(memory, Weights.default(), k=5)) == seen(first)


def said(memory: Memory, days: int, text: str, name: str = "") -> str:
    words = tuple(text.split())
    item = Item(words, is_message=True, days=days, impact=0.0, tagged=False, session="one", speaker=name,
                with_vector=True)  # fmt: skip
    return item.write(memory)


@pytest.mark.parametrize(
    ("later", "name"),
    [("moved " * 8, ""), ("violin", ""), ("train", "Violin")],
    ids=["longer", "the query's words", "a new speaker"],
)
def test_a_turn_said_later_in_the_same_session_moves_nothing_of_the_past(later: str, name: str) -> None:
    """It lends its words and its length to earlier turns, and who talks counts too: only from then on."""
    moment = NOON - timedelta(days=50)
    with fresh() as memory:
        said(memory, 100, "violin lost")
        said(memory, 99, "train")

        def past() -> dict[str, float]:
            result = memory.recall(QUERY, vector=VECTOR, weights=ALL, k=100, as_of=moment)
            return {hit.id: hit.factors.lexical for hit in result.hits}

        before = past()
        said(memory, 10, later, name)

        assert past() == pytest.approx(before, rel=1e-6)
        assert all(before.values())


@settings(max_examples=25)
@given(st.lists(ITEMS, min_size=1, max_size=8), st.data())
def test_what_was_said_later_moves_nothing_of_the_past(items: Sequence[Item], data: st.DataObject) -> None:
    """Also in the middle of a session, and for a speaker who had not said a word yet."""
    moment = NOON - timedelta(days=data.draw(st.integers(0, 300)), hours=1)
    with fresh() as memory:
        for item in items:
            item.write(memory)

        def past() -> dict[str, Any]:
            result = memory.recall(QUERY, vector=VECTOR, weights=ALL, k=1_000, as_of=moment)
            return {hit.id: hit.factors for hit in result.hits}

        before = past()
        later = data.draw(
            st.lists(ITEMS.filter(lambda i: NOON - timedelta(days=i.days) > moment), max_size=4)
        )
        for item in later:
            item.write(memory)
        after = past()

    assert after.keys() == before.keys()
    for item_id, factors in before.items():
        assert after[item_id].lexical == pytest.approx(factors.lexical, rel=1e-5)
        assert after[item_id].cosine == pytest.approx(factors.cosine, abs=1e-6)
