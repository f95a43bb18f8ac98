from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import InputError, NotFoundError, WasForgotten
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.forget import Forget
from echovessel.memory.ids import IdMaker
from echovessel.memory.messages import Messages
from echovessel.memory.personas import Personas
from echovessel.memory.records import NewMessage, Outcome, Scope, Sender
from echovessel.memory.search import Search
from echovessel.memory.sessions import Sessions
from echovessel.memory.targets import Target
from echovessel.memory.vectors import Vectors

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
IDENTITY = EmbedderIdentity("toy", "1", 2, "c0ffee", Calibration(Logit(0, 1, 1)))


def messages_of(context: Context) -> Messages:
    return Messages(context, Sessions(context), Entities(context))


@pytest.fixture
def log(context: Context) -> Messages:
    return messages_of(context)


def test_a_message_comes_back_as_it_was_written(log: Messages) -> None:
    new = NewMessage(
        "我回来了\n第二行",
        Sender.OTHER,
        "Mei",
        NOON,
        "Asia/Shanghai",
        "discord",
        "room 7",
        "m-1",
        "m-0",
        ({"kind": "image"},),
    )

    stored = log.add(new)

    assert stored == log.get(stored.id)
    assert replace(new, session=stored.session) == NewMessage(
        **{name: getattr(stored, name) for name in NewMessage.__slots__}
    )
    assert stored.recorded_at == NOON
    assert stored.turn == 1


def test_what_a_message_does_not_say_is_filled_in(context: Context, log: Messages) -> None:
    Personas(context).set_zone("Europe/Berlin", scope=context.scope)

    stored = log.add(NewMessage("hi"))

    assert (stored.sent_at, stored.zone, stored.scope) == (NOON, "Europe/Berlin", Scope.user("mei"))


def test_order_is_by_when_sent_then_by_arrival(log: Messages) -> None:
    late = log.add(NewMessage("three", sent_at=NOON + timedelta(minutes=2)))
    first = log.add(NewMessage("one", sent_at=NOON))
    second = log.add(NewMessage("two", sent_at=NOON))

    assert [m.text for m in log.between()] == ["one", "two", "three"]
    assert [m.id for m in log.last(2)] == [second.id, late.id]
    assert [m.id for m in log.by_session(first.session)] == [first.id, second.id, late.id]
    assert [m.text for m in log.between(NOON, NOON + timedelta(minutes=2))] == ["one", "two"]
    assert [m.text for m in log.between(limit=1)] == ["one"]
    assert log.last(0) == []


def test_a_redelivery_is_the_stored_message_unchanged(log: Messages) -> None:
    stored = log.add(NewMessage("hello", external_id="7"))

    again = log.add(NewMessage("hello, edited elsewhere", external_id="7"))

    assert again == stored
    assert log.count() == 1
    assert log.add(NewMessage("hello", external_id="7", conversation="other")).id != stored.id
    assert log.add(NewMessage("hello", external_id="7", channel="discord")).id != stored.id


@given(order=st.permutations(range(8)), cut=st.integers(0, 8))
def test_redelivery_is_idempotent_in_any_order(order: list[int], cut: int) -> None:
    store = Store(":memory:")
    try:
        context = Context(store, "lin", Scope.user("mei"), FixedClock(NOON), IdMaker())
        Personas(context).require()
        log = messages_of(context)
        new = [
            NewMessage(f"line {n}", sent_at=NOON + timedelta(minutes=n), external_id=str(n)) for n in range(8)
        ]
        log.add_many(new[:cut])

        first = log.add_many(new[n] for n in order)
        second = list(log.deliver(new[n] for n in [*order, *order]))

        assert [m.text for m in log.between()] == [f"line {n}" for n in range(8)]
        assert [d.message for d in second] == [*first, *first]
        assert {d.outcome for d in second} == {Outcome.KNOWN}
    finally:
        store.close()


def test_many_are_delivered_with_what_became_of_each(context: Context, log: Messages) -> None:
    known = log.add(NewMessage("a", external_id="1"))
    gone = log.add(NewMessage("b", external_id="2"))
    Forget(context).forget(Target.message(gone.id))

    outcomes = [
        d.outcome
        for d in log.deliver(NewMessage("x", external_id=name, sent_at=NOON) for name in ("1", "2", "3", "3"))
    ]

    assert outcomes == [Outcome.KNOWN, Outcome.FORGOTTEN, Outcome.STORED, Outcome.KNOWN]
    assert [m.text for m in log.between()] == ["a", "x"]
    assert log.get(known.id) == known


def test_a_stream_is_stored_batch_by_batch(log: Messages) -> None:
    def stream() -> list[NewMessage]:
        return [NewMessage(f"n {n}", external_id=str(n)) for n in range(1_005)]

    broken = [*stream(), NewMessage("x", sender="nobody")]  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no sender"):
        log.add_many(broken)
    assert log.count() == 1_000  # the second batch is kept as a whole or not at all

    log.add_many(stream())

    assert log.count() == 1_005


def test_a_scope_sees_only_its_own_messages_and_the_shared_ones(context: Context, log: Messages) -> None:
    mine = log.add(NewMessage("mine"))
    shared = messages_of(context.within(Scope.shared())).add(NewMessage("shared", conversation="life"))
    theirs_log = messages_of(context.within(Scope.user("tom")))
    theirs = theirs_log.add(NewMessage("theirs", conversation="tom"))

    assert {m.id for m in log.between()} == {mine.id, shared.id}
    assert theirs_log.count() == 2
    for call in (log.get, log.delete, log.around, lambda m: log.edit(m, "mine now")):
        with pytest.raises(NotFoundError):
            call(theirs.id)
    with pytest.raises(NotFoundError):
        log.by_session(theirs.session)
    theirs_log.add(NewMessage("theirs", conversation="tom", external_id="t"))
    with pytest.raises(InputError, match="another user or group"):
        log.add(NewMessage("mine", conversation="tom", external_id="t"))


def test_an_edit_replaces_the_text_everywhere(context: Context, log: Messages) -> None:
    Vectors(context).adopt(IDENTITY)
    directory = Entities(context)
    ann, bob = directory.add("Ann"), directory.add("Bob")
    message = log.add(NewMessage("Ann has Apple123"), vector=np.array([1.0, 0.0]))

    edited = log.edit(message.id, "Bob has Apple456")

    assert edited == log.get(message.id)
    assert (edited.text, edited.edited_at) == ("Bob has Apple456", NOON)
    search = Search(context)
    assert search.messages("Apple123") == []
    assert search.messages("Apple456") == [edited]
    assert [p.text for p in Vectors(context).pending()] == ["Bob has Apple456"]
    linked = context.store.rows("SELECT entity FROM message_entities WHERE message = ?", (message.id,))
    assert linked == [(bob.id,)]
    assert ann.id != bob.id


def test_a_deleted_message_keeps_its_place_and_nothing_else(context: Context, log: Messages) -> None:
    Vectors(context).adopt(IDENTITY)
    Entities(context).add("Ann")
    message = log.add(NewMessage("Ann was here", external_id="1"), vector=np.array([0.0, 1.0]))

    deleted = log.delete(message.id)

    assert deleted == log.get(message.id) == log.delete(message.id)
    assert (deleted.text, deleted.deleted_at) == ("", NOON)
    assert Search(context).messages("Ann") == []
    assert log.count() == 0
    assert log.between() == log.last(5) == log.by_session(message.session) == []
    for table in ("message_vectors", "message_entities"):
        assert context.store.value(f"SELECT count(*) FROM {table}") == 0
    with pytest.raises(NotFoundError, match="was deleted"):
        log.edit(message.id, "back")


def test_a_deleted_message_comes_back_only_when_asked(log: Messages) -> None:
    message = log.add(NewMessage("hello", external_id="1"))
    log.delete(message.id)

    assert log.add(NewMessage("hello", external_id="1")).deleted_at == NOON
    revived = log.add(NewMessage("hello", external_id="1"), revive=True)

    assert (revived.id, revived.text, revived.deleted_at) == (message.id, "hello", None)
    assert log.get(message.id) == revived


def test_a_forgotten_message_comes_back_only_when_asked(context: Context, log: Messages) -> None:
    for new in (NewMessage("by id", external_id="1"), NewMessage("by what was said", sent_at=NOON)):
        Forget(context).forget(Target.message(log.add(new).id))

        with pytest.raises(WasForgotten, match="revive=True"):
            log.add(new)
        assert log.add_many([new]) == []

        assert log.get(log.add(new, revive=True).id).text == new.text
        later = replace(new, sent_at=NOON + timedelta(hours=1), external_id=None)
        assert log.add(later).text == new.text  # said again, not brought back


def test_around_stays_in_the_session_and_leaves_out_what_was_deleted(log: Messages) -> None:
    def say(minute: int) -> str:
        return log.add(NewMessage(f"at {minute}", sent_at=NOON + timedelta(minutes=minute))).id

    _before, one, two, three, four, five = (say(minute) for minute in (-90, 0, 1, 2, 3, 4))
    log.delete(two)

    assert [m.id for m in log.around(three, before=5, after=1)] == [one, three, four]
    assert [m.id for m in log.around(one)] == [one, three, four]
    assert [m.id for m in log.around(two, before=1, after=1)] == [one, three]
    assert [m.id for m in log.around(five, before=0, after=0)] == [five]
    with pytest.raises(InputError, match="0 or more"):
        log.around(one, before=-1)


def test_a_message_is_linked_to_whom_it_names_as_it_is_written(context: Context, log: Messages) -> None:
    scott = Entities(context).add("黄逸扬", aliases=["Scott"])

    one, two, three = log.add_many(NewMessage(text) for text in ("Scott's here", "逸扬", "黄逸扬升职了"))

    linked = context.store.rows("SELECT message, entity FROM message_entities ORDER BY message")
    assert linked == sorted([(one.id, scott.id), (three.id, scott.id)])
    assert two.id not in dict(linked)


def test_vectors_go_in_with_their_messages(context: Context, log: Messages) -> None:
    Vectors(context).adopt(IDENTITY)

    log.add_many([NewMessage("a"), NewMessage("b")], vectors=np.eye(2))

    assert Vectors(context).pending() == []
    with pytest.raises(ValueError, match="shorter"):
        log.add_many([NewMessage("a"), NewMessage("b")], vectors=np.eye(2)[:1])
    with pytest.raises(InputError, match="length 1"):
        log.add(NewMessage("c"), vector=np.zeros(2))
    assert log.count() == 2
