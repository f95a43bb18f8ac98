"""Telegram Desktop's JSON, after its documented format; the words are made up."""

from __future__ import annotations

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats import reader_of
from echovessel.distill.source import Source
from echovessel.errors import FormatError


def message(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date": "2023-07-12T20:28:00",
        "date_unixtime": "1689193680",
        "from": "Mei",
        "from_id": "user1",
        "text": "hi",
    } | fields


def read(folder: Path, content: Any, **options: str) -> tuple[list[Line], Report]:
    path = folder / "result.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
    source, report = Source(path), Report()
    reader = reader_of(source)
    assert reader.name == "telegram"
    return list(reader.read(source, Options(**options), report)), report  # type: ignore[arg-type]


def test_entities_replies_forwards_media_and_service_messages(tmp_path: Path) -> None:
    chat = {
        "name": "Mei",
        "type": "personal_chat",
        "id": 7,
        "messages": [
            {"id": 1, "type": "service", "date": "2023-07-12T20:00:00", "action": "phone_call", "text": ""},
            message(2, text=["see ", {"type": "link", "text": "example.org"}, " 好吗？"]),
            message(3, **{"from": "Tom"}, text="yes", reply_to_message_id=2),
            message(4, forwarded_from="News", text="It rained."),
            message(5, text="", photo="photos/1.jpg"),
            message(6, text=""),
            message(7, **{"from": None}, text="who am I"),
        ],
    }

    lines, report = read(tmp_path, chat)

    assert [(line.speaker, line.text) for line in lines] == [
        ("Mei", "see example.org 好吗？"),
        ("Tom", "yes"),
        ("Mei", "It rained."),
        ("Mei", ""),
        ("Deleted account", "who am I"),
    ]
    assert lines[1].reply_to == lines[0].external_id
    assert [line.forwarded for line in lines] == [False, False, True, False, False]
    assert lines[3].attachment == "photos/1.jpg"
    assert lines[0].sent_at == datetime(2023, 7, 12, 20, 28, tzinfo=UTC)
    assert report.skipped == {"Telegram itself says it": 1, "it is empty": 1}


def test_an_older_export_without_unix_times_is_read_in_the_zone_given(tmp_path: Path) -> None:
    old = message(1)
    del old["date_unixtime"]

    (line,), report = read(tmp_path, {"messages": [old]}, zone="Asia/Shanghai")

    assert line.sent_at == datetime(2023, 7, 12, 12, 28, tzinfo=UTC)
    assert any("Asia/Shanghai" in note for note in report.notes)


def test_all_chats_of_an_account_are_told_apart(tmp_path: Path) -> None:
    account = {
        "about": "x",
        "chats": {
            "list": [
                {"name": "Mei", "type": "personal_chat", "id": 1, "messages": [message(1)]},
                {"name": "Club", "type": "private_group", "id": 2, "messages": [message(1, text="all")]},
            ]
        },
    }

    lines, _ = read(tmp_path, account)

    assert [(line.conversation, line.text) for line in lines] == [("Mei", "hi"), ("Club", "all")]
    assert lines[0].external_id != lines[1].external_id


def test_a_broken_message_costs_itself_and_a_cut_file_its_end(tmp_path: Path) -> None:
    whole = json.dumps({"messages": [message(1), "oops", message(3, date_unixtime="soon"), message(4)]})

    lines, report = read(tmp_path, whole[:-40])

    assert [line.place for line in lines] == ["message 1"]
    assert report.skipped["it is no message"] == 1
    assert report.skipped["its date can't be read"] == 1
    assert any("broken there" in reason for reason in report.skipped)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("{oops", "utf-8")

    with pytest.raises(FormatError):
        reader_of(Source(path))


@pytest.mark.slow
def test_a_large_file_streams_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    body = json.dumps(message(1, text="x" * 200))
    with path.open("w") as out:
        out.write('{"messages": [' + body)
        for _ in range(100_000):
            out.write("," + body)
        out.write("]}")
    source, report = Source(path), Report()

    tracemalloc.start()
    count = sum(1 for _ in reader_of(source).read(source, Options(), report))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == report.lines == 100_001
    assert peak < 4_000_000 < path.stat().st_size / 5
