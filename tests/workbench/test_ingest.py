from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from echovessel.errors import FormatError
from echovessel.memory.records import NewNode, NodeKind, Origin, Scope, Sender, Subject
from echovessel.models.hash import HashEmbedder
from echovessel.samples.store import in_order
from echovessel.workbench.arms import arms_named
from echovessel.workbench.bench import run_bench
from echovessel.workbench.ingest import Stored, scope_of, store
from echovessel.workbench.labelled import (
    LabelledEntity,
    LabelledMemory,
    LabelledSet,
    Question,
    Talk,
    TalkSession,
    Turn,
    read_labelled,
)
from echovessel.workbench.pool import Over
from tests.workbench.conftest import Write, locomo_record

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def turn(name: str, day: int, text: str, role: Sender = Sender.USER, caption: str = "") -> Turn:
    speaker = {Sender.USER: "Ada", Sender.PERSONA: "Lin"}[role]
    return Turn(name, speaker, role, START + timedelta(days=day), text, caption)


def memory(name: str, text: str, *sources: tuple[str, str], **more) -> LabelledMemory:
    kept = {key: more.pop(key) for key in ("entities", "supersedes", "shared") if key in more}
    origin = Origin.PERSON if kept.get("shared") else Origin.EXTRACTION
    return LabelledMemory(name, NewNode(text, origin=origin, **more), sources, **kept)


TALK = Talk(
    "small-talk",
    "Asia/Shanghai",
    "solo",
    (
        TalkSession("s1", (turn("t1", 0, "I work at Lanting Press"), turn("t2", 0, "Nice", Sender.PERSONA))),
        TalkSession("s2", (turn("t3", 30, "I started at Northgate Books", caption="a tall house"),)),
        TalkSession("s3", (turn("t4", 31, "黄逸扬升职了"),)),
    ),
    (
        Question(
            "q1",
            "updated",
            "Where do I work?",
            "en",
            ("t3",),
            START + timedelta(days=40),
            memories=("m2",),
            stale=("m1",),
        ),
        Question(
            "q2",
            "alias_cross",
            "How is Scott doing?",
            "en",
            ("t4",),
            START + timedelta(days=40),
            memories=("m3",),
        ),
        Question("q3", "off_topic", "zebra", "en", (), START + timedelta(days=40)),
    ),
    (
        # The newer one comes first in the file, as files may have it.
        memory(
            "m2",
            "Ada works at Northgate Books.",
            ("t3", "started at Northgate"),
            attribute="employer",
            supersedes=("m1",),
        ),
        memory("m1", "Ada works at Lanting Press.", ("t1", "work at Lanting Press"), attribute="employer"),
        memory(
            "m3",
            "黄逸扬升职了。",
            ("t4", "升职了"),
            entities=("e1",),
            subject=Subject.OTHER,
            occurred_from=date(2026, 4, 1),
        ),
        memory("m4", "Lin grew up by the sea.", subject=Subject.PERSONA, shared=True),
    ),
    (LabelledEntity("e1", "黄逸扬", "person", ("Scott",)),),
)
SET = LabelledSet("own", "d" * 64, (TALK,), apart=frozenset({"off_topic", "near_miss"}))


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Stored]:
    one = store(TALK, tmp_path / "m.db", over=Over.MEMORY, embedder=HashEmbedder())
    yield one
    one.close()


def test_turns_keep_speaker_role_time_zone_session_and_picture(stored: Stored) -> None:
    log = stored.memory.log.last(10)

    assert [(m.sender, m.sender_name) for m in log] == [
        (Sender.USER, "Ada"),
        (Sender.PERSONA, "Lin"),
        (Sender.USER, "Ada"),
        (Sender.USER, "Ada"),
    ]
    assert log[2].text == "I started at Northgate Books [shares a picture: a tall house]"
    assert (log[2].sent_at, log[2].zone) == (START + timedelta(days=30), "Asia/Shanghai")
    assert log[0].session == log[1].session != log[2].session
    assert [stored.item_of[m.id] for m in log] == ["t1", "t2", "t3", "t4"]


def test_gold_memories_keep_sources_dates_entities_and_what_they_replace(stored: Stored) -> None:
    nodes = {stored.item_of[node.id]: node for node in stored.memory.nodes.list(include_superseded=True)}

    assert set(nodes) == {"m1", "m2", "m3", "m4"}
    assert nodes["m1"].superseded_by == nodes["m2"].id
    assert [stored.item_of[s.message] for s in nodes["m2"].sources if s.message] == ["t3"]
    assert nodes["m2"].sources[0].quote == "started at Northgate"
    assert (nodes["m3"].kind, nodes["m3"].occurred_from) == (NodeKind.EVENT, date(2026, 4, 1))
    (scott,) = stored.memory.directory.find("scott")
    assert nodes["m3"].entities == (scott.id,)


def test_the_personas_own_life_is_shared_and_was_known_before_the_talk(stored: Stored) -> None:
    (own,) = [node for node in stored.memory.nodes.list() if stored.item_of[node.id] == "m4"]
    assert own.scope == Scope.shared()
    assert own.known_at == START


def test_every_row_has_its_vector(stored: Stored) -> None:
    assert stored.memory.vectors.pending_count() == 0


def test_over_messages_nothing_but_messages_is_stored(tmp_path: Path) -> None:
    one = store(TALK, tmp_path / "m.db", over=Over.MESSAGES, embedder=None)
    assert one.memory.nodes.list() == []
    assert one.memory.directory.list() == []
    one.close()


def test_a_talk_of_several_is_a_groups(write: Write) -> None:
    talk = read_labelled(write("locomo.json", [locomo_record("conv 1/a")])).talks[0]
    assert scope_of(talk) == Scope.group("conv-1-a")
    assert scope_of(TALK).kind == "user"


def test_memories_that_replace_each_other_are_refused() -> None:
    with pytest.raises(FormatError, match="supersedes itself"):
        in_order([memory("a", "x", supersedes=("b",)), memory("b", "y", supersedes=("a",))])


def test_recall_runs_as_an_arm_over_messages_and_over_memory(tmp_path: Path) -> None:
    run = run_bench(
        SET,
        arms_named(["seed", "default"]),
        overs=(Over.MESSAGES, Over.MEMORY),
        embedder=HashEmbedder(),
        cache_folder=tmp_path,
    )

    for name in ("seed", "default"):
        over_memory = {a.question: a for a in run.arm(name, Over.MEMORY).answers}
        assert over_memory["q2"].hits[0].id == "m3"  # named by an alias that shares no word with it
        assert over_memory["q2"].hits[0].confidence == float("inf")
        assert "m1" not in {hit.id for hit in over_memory["q1"].hits}  # replaced
        assert {hit.id for a in over_memory.values() for hit in a.hits} <= {"m1", "m2", "m3", "m4"}
        over_messages = run.arm(name, Over.MESSAGES).answers
        assert {hit.id for a in over_messages for hit in a.hits} <= {"t1", "t2", "t3", "t4"}
        # The unanswerable one was asked a second time with the gate open.
        assert len(run.arm(name, Over.MEMORY).ungated) == 3
        assert {"total", "score"} <= run.arm(name, Over.MEMORY).timings.keys()
    assert run.manifest.weights.keys() == {"seed", "default"}
