"""What the persona tells of its own life is known in every talk; what concerns one talk stays there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echovessel.clock import FixedClock
from echovessel.distill.formats import reader_of
from echovessel.distill.history import Mapping
from echovessel.distill.persona import distil
from echovessel.distill.source import Source
from echovessel.errors import NotFoundError
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, NewNode, Origin, Scope, Sender, Subject
from echovessel.memory.records import Source as Rests
from echovessel.memory.targets import Target

SAID = [
    ("Mei", "I live in Porto, you know."),
    ("Tom", "I live in Leeds."),
    ("Tom", "I really love walking home with Mei!"),
    ("Tom", "I always bring you soup on Fridays."),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    with Memory.open(tmp_path / "memory.db", persona="tom", scope=Scope.user("mei"), clock=clock) as memory:
        (tmp_path / "chat.txt").write_text(
            "".join(f"13/07/23, 09:{n:02} - {who}: {text}\n" for n, (who, text) in enumerate(SAID)),
            encoding="utf-8",
        )
        source = Source(tmp_path / "chat.txt")
        mapping = Mapping(frozenset({"Tom"}), frozenset({"Mei"}))
        distil(memory, source, reader_of(source), mapping, kind="fictional")
        yield memory


def test_own_life_is_shared_and_the_rest_stays_in_the_talk(memory: Memory) -> None:
    found = {node.attribute: node.scope for node in memory.nodes.list()}

    assert found == {
        "home": Scope.shared(),
        "likes": Scope.user("mei"),  # names the user
        "habit": Scope.user("mei"),  # speaks to the user
    }


def test_another_user_knows_the_fact_and_none_of_the_talk(memory: Memory) -> None:
    other = memory.within(Scope.user("ana"))

    (node,) = other.nodes.list()
    assert node.text == "tom said: “I live in Leeds.”"
    assert node.sources == ()
    assert other.log.count() == 0
    hits = other.recall("where does Tom live, Leeds?")
    assert [hit.id for hit in hits.hits] == [node.id]
    assert hits.context(hits.hits[0]) == []
    # In the talk itself the words stand behind it.
    (source,) = next(n for n in memory.nodes.list() if n.id == node.id).sources
    assert source.quote == "I live in Leeds."


def test_forgetting_the_words_forgets_the_shared_fact(memory: Memory) -> None:
    (said,) = [m for m in memory.log.between() if "Leeds" in m.text]

    memory.forget(Target.message(said.id))

    assert memory.within(Scope.user("ana")).nodes.list() == []


def test_forgetting_the_user_forgets_what_was_told_in_that_talk(memory: Memory) -> None:
    memory.forget(Target.user("mei"))

    assert memory.within(Scope.shared()).nodes.list() == []


def test_only_an_import_may_share_and_only_the_personas_own_words(memory: Memory) -> None:
    shared = memory.within(Scope.shared())
    mine, theirs = (
        next(m for m in memory.log.between() if m.sender is sender)
        for sender in (Sender.PERSONA, Sender.USER)
    )

    def node(message: str) -> NewNode:
        return NewNode("x", subject=Subject.PERSONA, origin=Origin.IMPORT, sources=(Rests(message=message),))

    with pytest.raises(NotFoundError, match="Nothing derives across scopes"):
        shared.nodes.add(node(mine.id))
    imported = memory.within(Scope.shared()).imports.start("a.txt", "0")
    within = Memory(memory.imports.context_of(imported.id)).within(Scope.shared())
    within.nodes.add(node(mine.id))
    with pytest.raises(NotFoundError, match="Nothing derives across scopes"):
        within.nodes.add(node(theirs.id))


def test_an_import_into_one_talk_may_not_rest_on_another(memory: Memory) -> None:
    imported = memory.imports.start("a.txt", "0")
    ana = Memory(memory.imports.context_of(imported.id)).within(Scope.user("ana"))
    mine = next(m for m in memory.log.between() if m.sender is Sender.PERSONA)
    ana.log.add(NewMessage("hello"))

    with pytest.raises(NotFoundError):
        ana.nodes.add(NewNode("x", origin=Origin.IMPORT, sources=(Rests(message=mine.id),)))
