"""The parts of the adapter that need no server: thinking aloud, strict schemas, pauses asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from echovessel.models.language.failures import again, retry_after
from echovessel.models.language.strict import response_format
from echovessel.models.language.thinking import Unthought


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("Hello.", "Hello."),
        ("<think>So. <b>Hm.</think>\n\nHello.", "Hello."),
        ("\n<think></think>Hello.", "Hello."),
        ("<think>I never come to an end", ""),
        ("<thinly veiled> Hello.", "<thinly veiled> Hello."),
        ("I said <think>out loud</think>.", "I said <think>out loud</think>."),
        ("<think>a</think>b <think>c</think>", "b <think>c</think>"),
        ("<th", "<th"),
        ("", ""),
        ("  ", "  "),
    ],
)
@pytest.mark.parametrize("step", [1, 3, 100])
def test_thoughts_before_the_answer_are_dropped_however_the_stream_is_cut_up(said, heard, step):
    unthought = Unthought()
    pieces = [unthought.feed(said[at : at + step]) for at in range(0, len(said), step)]

    assert "".join(pieces) + unthought.rest() == heard


def test_an_answer_without_thoughts_is_not_held_back():
    assert Unthought().feed("Hel") == "Hel"


class Inner(BaseModel):
    title: str = "none"
    default: int


class Outer(BaseModel):
    inner: list[Inner] = []
    note: str | None = None


class Free(BaseModel):
    counts: dict[str, int]


def test_a_strict_schema_requires_every_field_and_keeps_fields_named_like_keywords():
    sent = response_format(Outer)["json_schema"]

    assert sent["name"] == "Outer"
    assert sent["strict"] is True
    assert sent["schema"]["required"] == ["inner", "note"]
    assert sent["schema"]["$defs"]["Inner"] == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "default": {"type": "integer"}},
        "required": ["title", "default"],
        "additionalProperties": False,
    }


def test_an_object_with_free_keys_is_sent_as_guidance_only():
    assert response_format(Free)["json_schema"]["strict"] is False


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 05 Mar 2026 12:00:30 GMT", 30.0),
        ("soon", None),
        (None, None),
    ],
)
def test_a_pause_is_read_as_seconds_or_as_a_date(header, seconds):
    headers = {} if header is None else {"retry-after": header}
    error: Exception = type("Busy", (Exception,), {"response": SimpleNamespace(headers=headers)})()

    assert retry_after(error, now=datetime(2026, 3, 5, 12, tzinfo=UTC)) == seconds


@pytest.mark.parametrize(
    ("header", "wait"), [(None, True), ("0", 0.1), ("7", 7.0), ("60", 60.0), ("61", False)]
)
def test_a_busy_server_is_waited_for_as_long_as_it_asks_up_to_a_minute(header, wait):
    headers = {} if header is None else {"retry-after": header}
    busy = {"response": SimpleNamespace(headers=headers), "status_code": 429}

    assert again(type("Busy", (Exception,), busy)()) == wait
