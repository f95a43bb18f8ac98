from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import apsw
import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import TextKind, Vectors
from echovessel.errors import ConfigError, EmbedderMismatch, InputError, ModelError, NotFoundError
from echovessel.memory.records import NewNode, Scope
from echovessel.models.hash import HashEmbedder
from echovessel.runtime.vessel import QUERY_CHARACTERS, Vessel


@pytest.fixture
def clock() -> FixedClock:
    """Half past ten in the evening of 1 June 2026 in UTC: half past six on the 2nd in Shanghai."""
    return FixedClock(datetime(2026, 6, 1, 22, 30, tzinfo=UTC))


def eventually(true: Callable[[], bool]) -> bool:
    for _ in range(500):
        if true():
            return True
        time.sleep(0.01)
    return False


def test_a_new_vessel_remembers_and_recalls(tmp_path: Path) -> None:
    with Vessel.open(tmp_path / "new", embedder="hash") as vessel:
        vessel.remember("Scott moved to Berlin")
        assert eventually(lambda: vessel.memory.vectors.pending_count() == 0)

        hit = vessel.recall("Where is Scott?").hits[0]

    assert hit.text == "Scott moved to Berlin"
    assert hit.factors.cosine > 0.2  # one word of four and three in common


def test_an_unknown_persona_is_refused_with_those_there_are(tmp_path: Path) -> None:
    Vessel.open(tmp_path, persona="lin", embedder="hash").close()

    with pytest.raises(NotFoundError, match=r"No persona 'lni'.*Known: lin"):
        Vessel.open(tmp_path, persona="lni", embedder="hash", create=False)


def test_where_there_is_no_file_none_is_made_unasked(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=f"echovessel init {tmp_path}"):
        Vessel.open(tmp_path, embedder="hash", create=False)

    assert list(tmp_path.iterdir()) == []


def test_another_embedder_is_refused_with_the_command_that_converts(tmp_path: Path) -> None:
    Vessel.open(tmp_path, embedder="hash").close()
    other = HashEmbedder()
    other.identity = replace(other.identity, version="2")

    with pytest.raises(EmbedderMismatch, match=f"Run `echovessel reembed {tmp_path}/memory.db`"):
        Vessel.open(tmp_path, embedder=other)


def test_an_unknown_embedder_or_sample_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no embedder 'e6'"):
        Vessel.open(tmp_path, embedder="e6")
    with pytest.raises(NotFoundError, match=r"no sample 'lni'\. There are: lin, mara"):
        Vessel.sample("lni", embedder="hash")


def test_the_configured_zone_counts_where_nobody_has_another(tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "config.toml").write_text('zone = "Asia/Shanghai"')
    with Vessel.open(tmp_path, embedder="hash", clock=clock) as vessel:
        zones = vessel.memory.personas

        assert zones.zone_of(Scope.user("owner")) == "Asia/Shanghai"
        assert vessel.remember("早").zone == "Asia/Shanghai"
        assert vessel.for_user("mei").remember("早").zone == "Asia/Shanghai"
        zones.set_zone("Europe/Berlin", scope=Scope.user("mei"))
        assert vessel.for_user("mei").remember("Moin").zone == "Europe/Berlin"


def test_users_and_groups_have_memories_of_their_own(tmp_path: Path) -> None:
    with Vessel.open(tmp_path, embedder="hash") as vessel:
        vessel.remember("my cat is called Tofu")
        vessel.for_group("club").remember("the club meets on Monday", sender="other", sender_name="Ann")

        assert [hit.text for hit in vessel.recall("cat Tofu").hits] == ["my cat is called Tofu"]
        assert vessel.for_user("mei").recall("cat Tofu").hits == ()
        assert vessel.for_group("club").recall("club Monday").hits[0].speaker == "Ann"
        assert vessel.recall("club Monday").hits == ()


def test_a_node_gets_its_vector_in_the_same_breath(tmp_path: Path) -> None:
    with Vessel.open(tmp_path, embedder="hash") as vessel:
        node = vessel.add(NewNode("Scott got a dog", occurred_from=date(2026, 5, 1), impact=6))

        assert vessel.memory.vectors.pending_count() == 0
        hit = vessel.recall("Scott dog").hits[0]

    assert (hit.id, hit.factors.impact) == (node.id, 0.6)


def test_a_long_query_costs_the_embedder_no_more_than_its_window(tmp_path: Path) -> None:
    class Watched(HashEmbedder):
        longest = 0

        def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
            Watched.longest = max(Watched.longest, *map(len, texts))
            return super().embed(texts, kind=kind)

    with Vessel.open(tmp_path, embedder=Watched()) as vessel:
        vessel.recall("长 text " * 20_000)

    assert Watched.longest == QUERY_CHARACTERS


@pytest.mark.parametrize("sender", ["ghost", "", None])
def test_an_odd_sender_is_refused(tmp_path: Path, sender: str) -> None:
    with Vessel.open(tmp_path, embedder="hash") as vessel, pytest.raises(InputError, match="no sender"):
        vessel.remember("hi", sender=sender)


@pytest.mark.parametrize("name", ["lin", "mara"])
def test_a_sample_is_whole_and_tells_its_own_time(name: str) -> None:
    with Vessel.sample(name, embedder="hash") as vessel:
        memory = vessel.memory
        last = memory.log.last(1)[0]

        assert memory.vectors.pending_count() == 0
        assert 0 < (vessel.memory.context.clock.now() - last.sent_at).total_seconds() <= 3600
        assert all(frame.height for frame in (memory.events(), memory.entities(), memory.thoughts()))


@pytest.mark.parametrize(
    ("name", "query", "said"),
    [
        ("mara", "What is the dog called?", "Baozi"),
        ("mara", "Where does Mara work?", "the Claddagh"),
        ("lin", "工作室搬到哪里了？", "滨江"),
    ],
)
def test_a_sample_answers(name: str, query: str, said: str) -> None:
    with Vessel.sample(name, embedder="hash") as vessel:
        assert any(said in hit.text for hit in vessel.recall(query, k=5).hits)


def test_what_was_just_said_is_found_by_its_words_until_its_vector_is_there(tmp_path: Path) -> None:
    held = threading.Event()

    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
            if kind == "passage":
                held.wait(30)
            return super().embed(texts, kind=kind)

    with Vessel.open(tmp_path, embedder=Slow()) as vessel:
        vessel.remember("Scott moved to Berlin")
        early = vessel.recall("Berlin").hits
        held.set()
        assert eventually(lambda: vessel.memory.vectors.pending_count() == 0)
        late = vessel.recall("Berlin").hits

    assert [hit.text for hit in early] == [hit.text for hit in late] == ["Scott moved to Berlin"]
    assert late[0].factors.cosine > early[0].factors.cosine


def test_closing_stops_the_worker_and_may_be_done_twice(tmp_path: Path) -> None:
    vessel = Vessel.open(tmp_path, embedder="hash")
    vessel.remember("one")

    vessel.close()
    vessel.close()

    assert "echovessel-embedding" not in [thread.name for thread in threading.enumerate()]


class Failing(HashEmbedder):
    """Fails on passages until told otherwise."""

    error: Exception | None = ModelError("no luck")

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        if self.error and kind == "passage":
            raise self.error
        return super().embed(texts, kind=kind)


def test_an_embedder_that_fails_leaves_the_queue_for_the_next_message(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Failing()
    with Vessel.open(tmp_path, embedder=failing) as vessel, caplog.at_level(logging.WARNING):
        vessel.remember("one")
        assert eventually(lambda: "no luck" in caplog.text)
        assert vessel.memory.vectors.pending_count() == 1
        failing.error = None

        vessel.remember("two")

        assert eventually(lambda: vessel.memory.vectors.pending_count() == 0)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_died_of_a_fault_starts_again(tmp_path: Path) -> None:
    failing = Failing()
    failing.error = RuntimeError("a fault of the embedder's own")
    with Vessel.open(tmp_path, embedder=failing) as vessel:
        vessel.remember("one")
        names = lambda: [thread.name for thread in threading.enumerate()]  # noqa: E731
        assert eventually(lambda: "echovessel-embedding" not in names())
        failing.error = None

        vessel.remember("two")

        assert eventually(lambda: vessel.memory.vectors.pending_count() == 0)


def test_what_waits_when_the_vessel_closes_is_made_the_next_time(tmp_path: Path) -> None:
    failing = Failing()
    with Vessel.open(tmp_path, embedder=failing) as vessel:
        vessel.remember("one")

    with Vessel.open(tmp_path, embedder="hash") as vessel:
        assert vessel.embed_pending() == 1
        assert vessel.embed_pending() == 0


def test_opening_and_asking_need_no_right_to_write(tmp_path: Path) -> None:
    with Vessel.open(tmp_path, embedder="hash") as vessel:
        vessel.remember("I like tea")
    other = apsw.Connection(str(tmp_path / "memory.db"))
    other.execute("BEGIN IMMEDIATE")  # no other process can write from here on
    try:
        with Vessel.open(tmp_path, embedder="hash") as vessel:
            assert [hit.text for hit in vessel.recall("tea").hits] == ["I like tea"]
    finally:
        other.close()
