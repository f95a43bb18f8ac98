from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime

import polars as pl
import pytest

from echovessel.memory import frames
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.nodes import Nodes
from echovessel.memory.records import Message, NewNode, NodeKind, RelationalTag, Scope, Sender, Source

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TIME = pl.Datetime("us", "UTC")


def test_nodes(context: Context) -> None:
    directory = Entities(context)
    nodes = Nodes(context, directory)
    scott = directory.add("Scott")
    event = nodes.add(
        NewNode(
            "Scott 升职了", impact=7, occurred_from=date(2026, 5, 30), tags=(RelationalTag.TURNING_POINT,)
        )
    )
    thought = nodes.add(
        NewNode(
            "proud of him",
            kind=NodeKind.THOUGHT,
            emotions=("glad",),
            sources=(Source(node=event.id, quote="升职"),),
        )
    )

    frame = frames.nodes([event, thought])

    assert frame["text"].to_list() == ["Scott 升职了", "proud of him"]
    assert frame["kind"].to_list() == ["event", "thought"]
    assert frame["scope"].to_list() == ["user:mei"] * 2
    assert frame["entities"].to_list() == [[scott.id], []]
    assert frame["tags"].to_list() == [["turning-point"], []]
    assert frame["source_nodes"].to_list() == [[], [event.id]]
    assert frame["quotes"].to_list() == [[], ["升职"]]
    assert frame.filter(pl.col("occurred_from") == date(2026, 5, 30))["id"].to_list() == [event.id]
    assert frame["known_at"].to_list() == [NOON, NOON]


def test_messages_and_entities(context: Context) -> None:
    message = Message(
        "m", Scope.shared(), "s", Sender.OTHER, "Ann", "hi", NOON, NOON, "UTC", "local", "main", 3
    )
    frame = frames.messages([message])
    assert frame.select("sender", "sender_name", "turn", "sent_at").rows() == [("other", "Ann", 3, NOON)]

    scott = Entities(context).add("黄逸扬", aliases=["Scott"])
    assert frames.entities([scott])["aliases"].to_list() == [["黄逸扬", "Scott"]]


@pytest.mark.parametrize("make", [frames.nodes, frames.messages, frames.entities])
def test_an_empty_frame_has_the_documented_columns_and_types(make: object) -> None:
    frame = make([])  # type: ignore[operator]
    assert len(frame) == 0
    for name, kind in frame.schema.items():
        assert name in (frames.__doc__ or "")
        if name.endswith("_at"):
            assert kind == TIME
        if name in ("aliases", "tags", "emotions", "entities", "quotes"):
            assert kind == pl.List(pl.String)
    assert frame.schema["id"] == pl.String


def test_polars_is_not_imported_before_a_frame_is_asked_for() -> None:
    code = "import sys, echovessel.memory.frames; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
