"""Faults that people reported of memory systems, as far as the store of L3 to L5 answers for them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, NewNode, Origin, Scope, Source, Subject


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 7, 1, 12, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Memory:
    return Memory.open(tmp_path / "memory.db", persona="lin", scope=Scope.user("mei"), clock=clock)


def said(memory: Memory, text: str, at: datetime) -> str:
    message = memory.log.add(NewMessage(text, sent_at=at))
    assert message is not None
    return message.id


def learned(memory: Memory, text: str, message: str, quote: str, *, replaces: bool = False) -> str:
    """A fact about where the user works, as an extraction would store it."""
    new = NewNode(
        text,
        attribute="workplace",
        origin=Origin.EXTRACTION,
        sources=(Source(message=message, quote=quote),),
    )
    old = tuple(node.id for node in memory.nodes.conflicting(new)) if replaces else ()
    return memory.nodes.add(
        NewNode(text, attribute="workplace", origin=new.origin, sources=new.sources, supersedes=old)
    ).id


def test_case_2_northgate_today_and_lanting_for_april(memory: Memory) -> None:
    march, june = datetime(2026, 3, 5, tzinfo=UTC), datetime(2026, 6, 20, tzinfo=UTC)
    lanting = learned(
        memory, "Mei works at Lanting Press", said(memory, "I work at Lanting Press", march), "Lanting"
    )
    northgate = learned(
        *(memory, "Mei works at Northgate Books", said(memory, "I've started at Northgate Books", june)),
        "Northgate Books",
        replaces=True,
    )

    assert [node.id for node in memory.nodes.list(attribute="workplace")] == [northgate]
    april = memory.nodes.list(attribute="workplace", as_of=datetime(2026, 4, 15, tzinfo=UTC))
    assert [node.id for node in april] == [lanting]


def test_case_2_restated_in_may_it_still_was_known_in_april(memory: Memory) -> None:
    march, may = datetime(2026, 3, 5, tzinfo=UTC), datetime(2026, 5, 5, tzinfo=UTC)
    lanting = learned(
        memory, "Mei works at Lanting Press", said(memory, "I work at Lanting Press", march), "Lanting"
    )
    memory.nodes.mention(lanting, Source(message=said(memory, "busy at Lanting", may), quote="Lanting"))

    april = memory.nodes.list(attribute="workplace", as_of=datetime(2026, 4, 15, tzinfo=UTC))
    assert [node.id for node in april] == [lanting]


def test_case_3_facts_end_only_by_a_conflict_on_the_same_attribute(memory: Memory, clock: FixedClock) -> None:
    for number in range(50):
        clock.advance(timedelta(hours=1))
        new = NewNode(f"fact {number}", attribute=f"attribute {number}")
        assert memory.nodes.conflicting(new) == []
        memory.nodes.add(new)
    assert len(memory.nodes.list()) == 50

    clock.advance(timedelta(hours=1))
    other = NewNode("another value", attribute="attribute 7")
    (ended,) = memory.nodes.conflicting(other)
    memory.nodes.add(NewNode(other.text, attribute=other.attribute, supersedes=(ended.id,)))

    gone = [node for node in memory.nodes.list(include_superseded=True) if node.superseded_at is not None]
    assert [node.text for node in gone] == ["fact 7"]


def test_case_4_a_state_gives_way_to_the_newer_state(memory: Memory, clock: FixedClock) -> None:
    broken = memory.nodes.add(NewNode("Mei's camera is broken", attribute="camera state"))
    clock.advance(timedelta(days=9))
    works = NewNode("Mei's camera works", attribute="camera state", supersedes=(broken.id,))
    assert memory.nodes.conflicting(works) == [broken]
    current = memory.nodes.add(works)
    assert memory.nodes.list() == [current]


def test_case_5_what_tom_dislikes_is_not_meis(memory: Memory) -> None:
    tom = memory.directory.add("Tom")
    message = said(memory, "Tom hates swimming, his mother signed him up.", datetime(2026, 6, 1, tzinfo=UTC))
    source = (Source(message=message, quote="Tom hates swimming"),)
    hates = memory.nodes.add(
        NewNode(
            "Tom hates swimming", subject=Subject.OTHER, about=tom.id, attribute="dislikes", sources=source
        )
    )
    assert memory.nodes.list(subject=Subject.USER, attribute="dislikes") == []
    assert memory.nodes.list(subject=Subject.OTHER) == [hates]
    assert memory.nodes.conflicting(NewNode("Mei hates running", attribute="dislikes")) == []


def test_case_7_a_question_about_friedrich_leaves_the_users_name_alone(memory: Memory) -> None:
    memory.core.set("user", "The user's name is Mei.", actor="manual")
    memory.personas.set_name("Mei", scope=Scope.user("mei"))
    friedrich = memory.directory.add("Friedrich")

    message = said(memory, "What is Friedrich's phone number?", datetime(2026, 6, 1, tzinfo=UTC))
    memory.nodes.add(
        NewNode(
            "Mei asked for Friedrich's phone number",
            origin=Origin.EXTRACTION,
            sources=(Source(message=message, quote="Friedrich's phone number"),),
        )
    )

    block = memory.core.get("user")
    assert block is not None
    assert block.text == "The user's name is Mei."
    assert len(memory.core.history("user")) == 1
    assert memory.personas.audience(Scope.user("mei")).name == "Mei"
    assert memory.directory.get(friedrich.id) == friedrich


def test_case_8_one_entity_for_krtx_over_four_sessions(memory: Memory, clock: FixedClock) -> None:
    messages = []
    for text in ("KRTX is up", "sold some krtx", "ＫＲＴＸ again", "KRTX's report"):
        messages.append(said(memory, text, clock.now()))
        memory.directory.ensure("KRTX" if "KRTX" in text else "krtx", kind="company")
        clock.advance(timedelta(hours=2))  # idle: another session

    (entity,) = memory.directory.list()
    linked = memory.context.store.rows(
        "SELECT message FROM message_entities WHERE entity = ? ORDER BY message", (entity.id,)
    )
    assert [message for (message,) in linked] == messages


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("林", "昨天我和林去看了那场拖了很久才上映的电影"),
        ("逸扬", "他们说上个星期逸扬在公司里又升了一级真是让人高兴"),
        ("React", "这个页面是用React写的"),
        ("阿May", "晚上叫阿May一起来吃饭"),
    ],
)
def test_case_13_a_short_name_inside_a_long_sentence_is_found(memory: Memory, name: str, text: str) -> None:
    entity = memory.directory.add(name)
    message = said(memory, text, datetime(2026, 6, 1, tzinfo=UTC))

    assert memory.directory.mentioned(text) == {entity.id}
    linked: Callable[..., object] = memory.context.store.value
    assert linked("SELECT entity FROM message_entities WHERE message = ?", (message,)) == entity.id
