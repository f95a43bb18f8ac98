"""The hot index holds what the file holds, whatever was written, in whatever order, by whichever handle."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.errors import EchoVesselError
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, Scope, Source
from echovessel.memory.targets import Target
from echovessel.models import embedder
from echovessel.runtime.worker import embed_pending

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HASH = embedder("hash")
QUERY = "Did Scott lose the violin in the train? 小提琴"
VECTOR = HASH.embed([QUERY], kind="query")[0]
ALL = Weights.default().with_(min_relevance=0.0, anchored_share=1.0)
TEXTS = (
    "the violin was lost in the train",
    "Scott moved",
    "Al called Scott about a violin?",
    "小提琴丢了",
    "nothing",
    "violin " * 40,
    "the train of 8 May",
)
NAMES = ("Scott", "Al", "小提琴", "violin")


def opened(path: Path) -> Memory:
    return Memory.open(
        path,
        persona="lin",
        scope=Scope.user("mei"),
        embedder=HASH.identity,
        clock=FixedClock(NOON),
        zone="UTC",
    )


def vector(text: str) -> Any:
    return HASH.embed([text], kind="passage")[0]


class Writer:
    """Performs one kind of write on one handle; `a` and `b` choose among what there is."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.nodes: list[str] = []
        self.entities: list[str] = []

    def say(self, memory: Memory, a: int, b: int) -> None:
        message = NewMessage(
            TEXTS[a % len(TEXTS)],
            sender="other" if b % 3 == 0 else "user",  # type: ignore[arg-type]
            sender_name="Violin" if b % 3 == 0 else "",
            sent_at=NOON - timedelta(minutes=b),  # in any order: most come late
            session=("one", "two")[a % 2],
            conversation=("one", "two")[a % 2],
        )
        given = vector(message.text) if b % 2 else None
        self.messages.append(memory.log.add(message, vector=given).id)

    def edit(self, memory: Memory, a: int, b: int) -> None:
        memory.log.edit(self.messages[a % len(self.messages)], TEXTS[b % len(TEXTS)])

    def delete(self, memory: Memory, a: int, _: int) -> None:
        memory.log.delete(self.messages[a % len(self.messages)])

    def note(self, memory: Memory, a: int, b: int) -> None:
        source = (Source(message=self.messages[b % len(self.messages)]),) if self.messages and b % 2 else ()
        new = NewNode(TEXTS[a % len(TEXTS)], attribute="state", impact=b % 11, sources=source)
        self.nodes.append(memory.nodes.add(new, vector=vector(new.text) if a % 2 else None).id)

    def correct(self, memory: Memory, a: int, b: int) -> None:
        memory.nodes.edit(self.nodes[a % len(self.nodes)], text=TEXTS[b % len(TEXTS)])

    def supersede(self, memory: Memory, a: int, b: int) -> None:
        memory.nodes.supersede(self.nodes[a % len(self.nodes)], self.nodes[b % len(self.nodes)])

    def restore(self, memory: Memory, a: int, _: int) -> None:
        memory.nodes.restore(self.nodes[a % len(self.nodes)])

    def mention(self, memory: Memory, a: int, b: int) -> None:
        source = Source(message=self.messages[b % len(self.messages)])
        memory.nodes.mention(self.nodes[a % len(self.nodes)], source)

    def meet(self, memory: Memory, a: int, _: int) -> None:
        self.entities.append(memory.directory.add(NAMES[a % len(NAMES)]).id)

    def call(self, memory: Memory, a: int, b: int) -> None:
        memory.directory.add_alias(self.entities[a % len(self.entities)], NAMES[b % len(NAMES)])

    def uncall(self, memory: Memory, a: int, b: int) -> None:
        memory.directory.remove_alias(self.entities[a % len(self.entities)], NAMES[b % len(NAMES)])

    def merge(self, memory: Memory, a: int, b: int) -> None:
        memory.directory.merge(self.entities[a % len(self.entities)], self.entities[b % len(self.entities)])

    def embed(self, memory: Memory, _: int, __: int) -> None:
        embed_pending(memory.vectors, HASH)

    def move(self, memory: Memory, a: int, _: int) -> None:
        memory.personas.set_zone(("UTC", "Asia/Shanghai")[a % 2])

    def forget_message(self, memory: Memory, a: int, _: int) -> None:
        memory.forget(Target.message(self.messages[a % len(self.messages)]))

    def forget_node(self, memory: Memory, a: int, _: int) -> None:
        memory.forget(Target.node(self.nodes[a % len(self.nodes)]))

    def forget_entity(self, memory: Memory, a: int, _: int) -> None:
        memory.forget(Target.entity(self.entities[a % len(self.entities)]))


OPERATIONS = tuple(name for name in vars(Writer) if not name.startswith("_"))
STEPS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(("say", "note")), st.sampled_from(OPERATIONS)),
        st.integers(0, 1),  # which handle writes
        st.integers(0, 30),
        st.integers(0, 30),
        st.booleans(),  # whether the first handle reads after it
    ),
    min_size=3,
    max_size=20,
)


def asked(memory: Memory, **options: Any) -> Recall:
    return memory.recall(QUERY, vector=VECTOR, k=1_000, **{"weights": ALL} | options)


def shown(result: Recall) -> dict[str, tuple[Any, ...]]:
    """All that a hit says, but for its rank and its numbers."""
    return {
        hit.id: (hit.kind, hit.text, hit.speaker, hit.known_at, hit.happened_at, hit.session, hit.superseded,
                 hit.sources, hit.folded, hit.factors.entity_anchor)
        for hit in result.hits
    }  # fmt: skip


def numbers(result: Recall) -> dict[str, list[float]]:
    return {
        hit.id: [hit.factors.recency, hit.factors.impact, hit.factors.cosine, hit.factors.lexical, hit.score]
        for hit in result.hits
    }


def assert_equal(one: Recall, other: Recall) -> None:
    assert shown(one) == shown(other)
    assert one.dropped_counts == other.dropped_counts
    assert one.considered == other.considered
    assert one.anchors == other.anchors
    found, expected = numbers(one), numbers(other)
    for item, values in expected.items():
        # Lengths are added up in another order: the last bits of a float32 differ.
        assert found[item] == pytest.approx(values, rel=1e-5, abs=1e-6), item


def written(steps: Sequence[tuple[str, int, int, int, bool]], path: Path) -> tuple[Memory, Memory]:
    handles, writer = (opened(path), opened(path)), Writer()
    for name, which, a, b, read in steps:
        # Some are impossible, such as editing what was deleted: then nothing is written.
        with suppress(EchoVesselError, ZeroDivisionError):
            getattr(writer, name)(handles[which], a, b)
        if read:
            asked(handles[0])
    return handles


@settings(max_examples=30)
@given(STEPS)
def test_an_index_kept_in_step_equals_one_made_afresh(
    steps: Sequence[tuple[str, int, int, int, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        kept, other = written(steps, path)
        with kept, other, opened(path) as fresh:
            for options in (
                {},
                {"include_superseded": True},
                {"as_of": NOON - timedelta(minutes=10)},
                {"weights": Weights.default()},
                {"weights": Weights.seed()},
            ):
                assert_equal(asked(kept, **options), asked(fresh, **options))


@settings(max_examples=20)
@given(STEPS)
def test_hot_and_cold_paths_find_the_same_neighbours(
    steps: Sequence[tuple[str, int, int, int, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kept, other = written(steps, Path(folder) / "memory.db")
        with kept, other:
            for as_of in (None, NOON - timedelta(minutes=10)):
                hot = {
                    hit.id: hit.factors.cosine
                    for hit in asked(kept, include_superseded=True, as_of=as_of).hits
                }
                folded = {m for h in asked(kept, include_superseded=True, as_of=as_of).hits for m in h.folded}
                cold = {
                    near.id: near.cosine
                    for near in kept.vectors.nearest(VECTOR, 1_000, include_superseded=True, as_of=as_of)
                    if near.id not in folded
                }
                assert cold.keys() <= hot.keys()
                assert {item: hot[item] for item in cold} == pytest.approx(cold, abs=1e-5)
                # The rest waits for its vector, and stands where an unrelated text would.
                unrelated = HASH.identity.calibration.unrelated
                assert all(hot[item] == pytest.approx(unrelated) for item in hot.keys() - cold.keys())


def test_the_order_by_vectors_alone_is_that_of_the_cold_path(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(300, HASH.identity.dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with opened(tmp_path / "memory.db") as memory:
        with memory.context.store.write():
            for number, each in enumerate(vectors):
                memory.nodes.add(NewNode(f"memory {number}"), vector=each)
        dense = Weights(
            blend=1.0, min_relevance=0.0, recency=0, impact=0, relational_bonus=0, entity_anchor=0
        )

        hot = [hit.id for hit in asked(memory, weights=dense).hits[:50]]
        cold = [near.id for near in memory.vectors.nearest(VECTOR, 50)]

    assert hot == cold


def test_a_write_by_another_handle_is_seen_by_the_next_recall(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as reader, opened(tmp_path / "memory.db") as writer:
        assert not asked(reader).hits
        message = writer.log.add(NewMessage("the violin was found", sent_at=NOON))
        assert [hit.id for hit in asked(reader).hits] == [message.id]
        writer.log.edit(message.id, "the piano was found")
        assert [hit.text for hit in asked(reader).hits] == ["the piano was found"]
        writer.log.delete(message.id)
        assert not asked(reader).hits


def test_an_index_made_anew_after_a_thousand_changes_is_the_same(tmp_path: Path) -> None:
    """Beyond a thousand dead rows the columns are made anew; rows that took new numbers keep all they had."""
    path = tmp_path / "memory.db"
    with opened(path) as memory:
        said = memory.log.add_many(
            NewMessage(f"the violin was lost {n}", sent_at=NOON + timedelta(seconds=n)) for n in range(1_300)
        )
        asked(memory)
        for part in (said[:650], said[650:]):
            with memory.context.store.write():
                for number, message in enumerate(part):
                    memory.log.edit(message.id, f"the train {number}" if number % 2 else "Scott moved")
            asked(memory)

        with opened(path) as fresh:
            assert_equal(asked(memory), asked(fresh))


def test_each_kind_of_write_is_possible_and_seen(tmp_path: Path) -> None:
    """So that the random sequences above are no sequences of refusals."""
    path = tmp_path / "memory.db"
    writer = Writer()
    steps = [
        *(("say", a, b) for a, b in ((0, 3), (2, 2), (2, 9), (3, 1))),
        *(("meet", a, 0) for a in (0, 1, 3)),
        *(("note", a, b) for a, b in ((1, 1), (2, 2), (4, 3), (6, 4))),
        *(("supersede", 0, 1), ("restore", 0, 0), ("mention", 2, 1), ("correct", 3, 0), ("edit", 1, 3)),
        *(("call", 0, 2), ("merge", 0, 1), ("uncall", 0, 2), ("embed", 0, 0), ("move", 1, 0)),
        *(("delete", 3, 0), ("forget_message", 2, 0), ("forget_node", 3, 0), ("forget_entity", 2, 0)),
    ]
    assert {name for name, _, _ in steps} == set(OPERATIONS)
    with opened(path) as kept:
        for name, a, b in steps:
            getattr(writer, name)(kept, a, b)
            with opened(path) as fresh:
                assert_equal(asked(kept, include_superseded=True), asked(fresh, include_superseded=True))
        assert asked(kept).hits


def test_neighbours_close_up_and_make_room_inside_a_session(tmp_path: Path) -> None:
    """Each change is in the middle of a talk that the index holds already: who lends to whom changes there."""
    path = tmp_path / "memory.db"

    def spoken(memory: Memory, minute: int) -> str:
        text = "the violin was lost" if minute % 4 == 0 else f"in the train {minute}"
        return memory.log.add(NewMessage(text, sent_at=NOON + timedelta(minutes=minute), session="one")).id

    with opened(path) as kept:
        said = [spoken(kept, minute) for minute in range(0, 24, 2)]
        changes = (
            lambda: kept.log.delete(said[3]),
            lambda: kept.log.delete(said[4]),
            lambda: kept.log.edit(said[6], "a violin, a violin, and rain all day"),
            lambda: spoken(kept, 7),  # late, between two others
            lambda: spoken(kept, 7),  # at the same moment as another
            lambda: spoken(kept, -1),
            lambda: kept.log.delete(said[0]),
            lambda: kept.log.delete(said[-1]),
        )
        before = numbers(asked(kept))
        for number, change in enumerate(changes):
            change()
            with opened(path) as fresh:
                assert_equal(asked(kept), asked(fresh))
            assert numbers(asked(kept)) != before, number
            before = numbers(asked(kept))
