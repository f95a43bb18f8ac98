from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker, checked_name
from echovessel.memory.messages import Messages
from echovessel.memory.personas import Personas
from echovessel.memory.records import NewMessage, Scope
from echovessel.memory.search import Search
from echovessel.memory.sessions import Sessions

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NAIVE = datetime(2026, 6, 1, 12)  # noqa: DTZ001


@pytest.fixture
def log(context: Context) -> Messages:
    return Messages(context, Sessions(context), Entities(context))


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("lone \ud83d half", "lone \ufffd half"),
        ("\udc00", "\ufffd"),
        ("nul\x00 inside", "nul inside"),
        ("", ""),
        ("  \n", "  \n"),
        ("a\u202fb\u200ec", "a\u202fb\u200ec"),
    ],
)
def test_text_is_kept_but_for_what_no_database_holds(log: Messages, text: str, stored: str) -> None:
    message = log.add(NewMessage(text))

    assert message.text == stored
    assert log.get(message.id) == message


@given(text=st.text(), name=st.text(max_size=50))
def test_any_text_comes_back(text: str, name: str) -> None:
    store = Store(":memory:")
    try:
        context = Context(store, "lin", Scope.user("mei"), FixedClock(NOON), IdMaker())
        Personas(context).require()
        log = Messages(context, Sessions(context), Entities(context))
        new = NewMessage(text, attachments=({"name": name},))
        if name.strip():
            new = replace(new, sender_name=name)

        assert log.get(log.add(new).id).text == text.replace("\x00", "")
    finally:
        store.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sent_at": NAIVE}, "no time zone"),
        ({"sent_at": "2026-06-01"}, "datetime with a time zone"),
        ({"zone": "Mars/Olympus"}, "no time zone"),
        ({"zone": "../etc/passwd"}, "no time zone"),
        ({"sender": "ghost"}, "no sender"),
        ({"text": None}, "must be a string"),
        ({"text": b"bytes"}, "must be a string"),
        ({"channel": ""}, "channel id"),
        ({"channel": '{"$ne": ""}'}, "channel id"),
        ({"channel": {"$ne": ""}}, "channel id"),
        ({"conversation": ""}, "conversation must be"),
        ({"conversation": {"$ne": ""}}, "conversation must be"),
        ({"conversation": "x" * 201}, "conversation must be"),
        ({"external_id": ""}, "external_id must be"),
        ({"external_id": 7}, "external_id must be"),
        ({"session": " "}, "session must be"),
        ({"sender_name": "n" * 201}, "sender_name must be"),
        ({"attachments": ({"when": NOON},)}, "attachment can't be stored"),
        ({"attachments": (object(),)}, "attachment can't be stored"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_stored(
    log: Messages, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        log.add_many([NewMessage("fine"), NewMessage(**{"text": "x", **change})])

    assert log.count() == 0


@pytest.mark.parametrize(
    "odd", ['{"$ne": ""}', "' OR 1=1 --", "", "%", "\x00", "01ARZ3NDEKTSV4RRFFQ69G5FAV", {"$ne": ""}, None, 7]
)
def test_an_odd_id_finds_nothing(log: Messages, odd: Any) -> None:
    log.add(NewMessage("here"))

    for call in (log.get, log.delete, log.around):
        with pytest.raises(NotFoundError):
            call(odd)
    assert log.count() == 1


@pytest.mark.parametrize(
    "odd", ['{"$ne": ""}', "", " ", "a/b", "a:b", "-x", "%", "x" * 65, "a\x00", "a\n", None, {"$ne": ""}]
)
def test_an_odd_name_of_a_user_is_refused(odd: Any) -> None:
    for make in (Scope.user, Scope.group, lambda name: checked_name(name, "persona")):
        with pytest.raises(InputError, match="can't be used"):
            make(odd)


@pytest.mark.parametrize("name", ["mei", "李明", "a@b.example", "u_1-2"])
def test_ordinary_names_are_taken(name: str) -> None:
    assert Scope.parse(Scope.user(name).key) == Scope.user(name)


def test_naive_times_are_refused_wherever_they_come_in(context: Context, log: Messages) -> None:
    log.add(NewMessage("tea"))
    calls = [
        lambda: log.between(NAIVE),
        lambda: log.between(None, NAIVE),
        lambda: Search(context).messages("tea", since=NAIVE),
        lambda: Search(context).messages("tea", until=NAIVE),
        lambda: Sessions(context).close_idle(NAIVE),
        lambda: Sessions(context).current("local", "main", NAIVE),
    ]
    for call in calls:
        with pytest.raises(InputError, match="no time zone"):
            call()


def test_negative_numbers_are_refused(log: Messages) -> None:
    for call in (lambda: log.last(-1), lambda: log.between(limit=-1)):
        with pytest.raises(InputError, match="0 or more"):
            call()


def test_a_message_of_a_megabyte(log: Messages, context: Context) -> None:
    message = log.add(NewMessage("长文 text " * 120_000 + "终点"))

    assert Search(context).messages("终点") == [message]
