"""The memory as tools for an assistant, asked by the official client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from echovessel.clock import FixedClock
from echovessel.memory.records import Scope
from echovessel.runtime.mcp import build_mcp
from echovessel.runtime.vessel import Vessel

Call = Callable[..., Any]


@pytest.fixture
def vessel(tmp_path: Path) -> Iterator[Vessel]:
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    with Vessel.open(tmp_path, persona="lin", user="mei", embedder="hash", clock=clock) as one:
        yield one


@pytest.fixture
def call(vessel: Vessel) -> Call:
    """One tool called by a client, as a client sees it: what it gives, or the sentence of its error."""

    def call(tool: str, **arguments: Any) -> Any:
        async def run() -> Any:
            async with Client(build_mcp(vessel)) as client:
                answer = await client.call_tool(tool, arguments)
                told = answer.structured_content or {}
                return answer.content[0].text if answer.is_error else told.get("result", told)  # type: ignore[union-attr]

        return asyncio.run(run())

    return call


def test_what_is_remembered_is_recalled_with_its_day(vessel: Vessel, call: Call) -> None:
    made = call("remember", text="Mei plays the cello.", about=["Mei's teacher Ada"], impact=2)

    found = call("recall", query="Who plays the cello?")

    assert [one["text"] for one in found] == ["Mei plays the cello."]
    assert (found[0]["id"], found[0]["kind"], found[0]["day"]) == (made["id"], "event", "2026-06-01")
    assert vessel.memory.nodes.get(made["id"]).scope == Scope.user("mei")


def test_somebody_is_told_under_any_name(vessel: Vessel, call: Call) -> None:
    call("remember", text="Scott moved to Cork.", about=["Scott"])
    vessel.memory.add_alias("Scott", "老斯")

    (scott,) = call("about", name="老斯")

    assert scott["name"] == "Scott"
    assert [one["text"] for one in scott["memories"]] == ["Scott moved to Cork."]
    assert call("about", name="nobody") == []


def test_forgetting_asks_first(vessel: Vessel, call: Call) -> None:
    said = vessel.remember("The code is 4711.")
    made = call("remember", text="Mei has a code.")

    dry = call("forget", memory=said.id)
    assert (dry["done"], dry["messages"]) == (False, [said.id])
    assert vessel.memory.log.get(said.id).text == "The code is 4711."

    assert call("forget", memory=said.id, confirmed=True)["done"]
    assert call("forget", memory=made["id"], confirmed=True)["memories"] == [made["id"]]
    assert vessel.memory.log.last(5) == []
    assert call("recall", query="code") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("recall", {"query": " "}, "the query is empty"),
        ("forget", {"memory": "nothing"}, "nothing"),
        ("remember", {"text": "x", "impact": 20}, "10"),
        ("recall", {"query": "x", "k": 0}, "1"),
    ],
)
def test_what_cannot_be_done_is_told(call: Call, tool: str, arguments: dict[str, Any], why: str) -> None:
    told = call(tool, **arguments)

    assert isinstance(told, str)
    assert why in told
    assert "Traceback" not in told


def test_another_users_memories_are_out_of_reach(vessel: Vessel, call: Call) -> None:
    secret = vessel.for_user("tom").memory.add_event("Tom is afraid of the dark.")

    assert call("recall", query="Who is afraid of the dark?") == []
    assert "nothing was forgotten" in call("forget", memory=secret.id, confirmed=True)
    assert vessel.for_user("tom").memory.nodes.get(secret.id).text == "Tom is afraid of the dark."


def test_the_command_speaks_the_protocol(vessel: Vessel, tmp_path: Path) -> None:
    """`echovessel mcp` as an assistant starts it: a process, asked over its standard input."""
    vessel.memory.add_event("Mei keeps bees.")
    (tmp_path / "config.toml").write_text("embedder = 'hash'\n")
    command = ["-m", "echovessel", "mcp", "--home", str(tmp_path), "--persona", "lin", "--user", "mei"]

    async def tools() -> tuple[list[str], Any]:
        process = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        async with Client(stdio_client(process)) as client:
            listed = await client.list_tools()
            found = await client.call_tool("recall", {"query": "bees"})
            return [tool.name for tool in listed.tools], found.structured_content

    names, found = asyncio.run(asyncio.wait_for(tools(), 60))

    assert names == ["recall", "remember", "forget", "about"]
    assert [one["text"] for one in found["result"]] == ["Mei keeps bees."]


def test_reading_tools_say_that_they_only_read(vessel: Vessel) -> None:
    async def listed() -> dict[str, Any]:
        async with Client(build_mcp(vessel)) as client:
            return {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    hints = asyncio.run(listed())

    assert [name for name, hint in hints.items() if hint.read_only_hint] == ["recall", "about"]
    assert hints["forget"].destructive_hint
