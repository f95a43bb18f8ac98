"""A bond shows in behaviour that follows from memories; there is no meter."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from importlib import resources

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.engine import migrations
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, NewNode
from echovessel.mind.prompt import Prompt

METERS = re.compile(
    r"affection|affinity|intimacy|closeness_?(?:level|score)|bond_?(?:level|score|points)|relationship_?(?:level|score)|friendship_?(?:level|score)"
    r"|trust_?(?:level|score)|好感|亲密度|親密度|羁绊值|信任值",
    re.IGNORECASE,
)


def test_day_1_and_day_60_differ_as_the_memories_say(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    first = prompt(say("Hello, I'm Mei. I restore pianos."))
    say("Hello.", "persona")
    memory.nodes.add(NewNode("Mao", attribute="address", known_at=clock.now()))
    memory.nodes.add(NewNode("being asked about the workshop", attribute="likes"))
    memory.nodes.add(NewNode("jokes about her father", attribute="dislikes"))
    memory.directory.add("Cork")
    old = memory.nodes.add(
        NewNode("Mei's piano came from Cork", occurred_from=date(2026, 6, 3), occurred_to=date(2026, 6, 3))
    )
    clock.advance(timedelta(days=59))

    last = prompt(say("The piano that came from Cork is finished."))

    assert "Mao" not in first.system
    for line in (
        "Mei wants to be called: Mao",
        "Likes: being asked about the workshop",
        "Doesn't like: jokes about her father",
        "You have been talking since 2026-06-01 (a month ago).",
        "a month ago: Mei's piano came from Cork",
    ):
        assert line in last.system
    assert old.id in last.section("recalled").items  # type: ignore[union-attr]


def test_each_line_cites_its_memory_and_goes_with_it(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    wrong = memory.nodes.add(NewNode("Mao", attribute="address"))
    found = prompt(say("Hello.")).section("speaker")
    assert found is not None
    assert found.items == (wrong.id,)

    memory.nodes.add(NewNode("Doctor Mei", attribute="address", supersedes=(wrong.id,)))

    again = prompt(say("Hello again.")).section("speaker")
    assert again is not None
    assert "Doctor Mei" in again.text
    assert "Mao" not in again.text


def test_a_bond_line_that_also_rises_stays_where_it_says_what_it_is(
    memory: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    scott = memory.directory.add("Scott")
    fact = memory.nodes.add(NewNode("jokes about Scott", attribute="dislikes", entities=(scott.id,)))

    found = prompt(say("Have you met Scott?"))

    assert found.recall is not None
    assert fact.id in [hit.id for hit in found.recall.hits]
    assert "Doesn't like: jokes about Scott" in found.system
    assert found.system.count("jokes about Scott") == 1


def test_in_a_chinese_talk_the_bond_is_told_in_chinese(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    say("你好，我是梅。")
    memory.nodes.add(NewNode("小梅", attribute="address"))
    memory.nodes.add(NewNode("别人叫她全名", attribute="dislikes"))
    clock.advance(timedelta(days=3))

    system = prompt(say("我回来了，今天有点累。")).system

    for line in (
        "Mei希望被叫作：小梅",
        "不喜欢：别人叫她全名",
        "你们从2026-06-01（三天前）开始聊天。",
    ):
        assert f"- {line}\n" in system


@pytest.mark.parametrize("name", ["affection", "bond_level", "intimacy", "好感度", "亲密度"])
def test_the_search_for_meters_finds_them(name: str) -> None:
    assert METERS.search(f"{name} INTEGER NOT NULL")


def test_no_number_stands_for_the_bond_anywhere() -> None:
    package = resources.files("echovessel")
    files = [path for path in _files(package) if path.name.endswith((".py", ".sql", ".toml", ".md", ".js"))]
    assert {"assemble.py", "0002.sql", "words.toml", "turns.py"} <= {path.name for path in files}
    for path in files:
        assert not METERS.search(path.read_text(encoding="utf-8")), path
    assert not METERS.search("".join(migrations()))


def _files(folder: object) -> list[object]:
    found: list[object] = []
    for entry in folder.iterdir():  # type: ignore[attr-defined]
        found += _files(entry) if entry.is_dir() else [entry]
    return found
