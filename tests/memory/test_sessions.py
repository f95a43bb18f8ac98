from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.messages import Messages
from echovessel.memory.placing import MAX_MESSAGES
from echovessel.memory.records import Message, NewMessage, Scope, Session, SessionState
from echovessel.memory.sessions import Sessions

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def sessions(context: Context) -> Sessions:
    return Sessions(context)


@pytest.fixture
def log(context: Context, sessions: Sessions) -> Messages:
    return Messages(context, sessions, Entities(context))


def at(minutes: float, **fields: str) -> NewMessage:
    return NewMessage("hello there", sent_at=NOON + timedelta(minutes=minutes), **fields)  # type: ignore[arg-type]


def partition(messages: list[Message]) -> list[int]:
    """Session numbers in order of appearance: [0, 0, 1] is two messages in one, the third in another."""
    seen = list(dict.fromkeys(m.session for m in messages))
    return [seen.index(m.session) for m in messages]


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        ([0, 30, 60], [0, 0, 0]),
        ([0, 30.01], [0, 1]),
        ([0, 200, 10], [0, 1, 0]),  # late, into the session it would have been in
        ([0, 20, 200, 10], [0, 0, 1, 0]),
        ([0, 200, 100], [0, 1, 2]),  # late, and neither was open then
        ([100, 75, 50], [0, 0, 0]),  # each within half an hour of the first
        ([0, 400, 1, 401], [0, 1, 0, 1]),
    ],
)
def test_half_an_hour_of_silence_parts_sessions(
    log: Messages, minutes: list[float], expected: list[int]
) -> None:
    one_by_one = [log.add(at(minute)) for minute in minutes]
    in_bulk = log.add_many(at(minute, conversation="bulk") for minute in minutes)
    assert partition(one_by_one) == expected
    assert partition(in_bulk) == expected


def test_talks_have_sessions_of_their_own(context: Context, log: Messages) -> None:
    here, there, elsewhere = log.add_many([at(0), at(0, conversation="b"), at(0, channel="discord")])
    theirs = Messages(
        context.within(Scope.user("tom")), Sessions(context.within(Scope.user("tom"))), Entities(context)
    ).add(at(0))

    assert len({m.session for m in (here, there, elsewhere, theirs)}) == 4


def test_a_session_closes_at_200_messages(log: Messages, sessions: Sessions) -> None:
    messages = log.add_many(at(minute) for minute in range(MAX_MESSAGES + 1))

    assert partition(messages) == [0] * MAX_MESSAGES + [1]
    full = sessions.get(messages[0].session)
    assert (full.state, full.close_reason, full.messages) == (SessionState.PENDING, "full", 200)
    assert [m.turn for m in messages[:2]] == [1, 2]


def test_a_session_closes_at_20000_tokens(log: Messages, sessions: Sessions) -> None:
    long = "字" * 10_000
    a, b, c = (log.add(NewMessage(long, sent_at=NOON + timedelta(minutes=n))) for n in range(3))

    assert partition([a, b, c]) == [0, 0, 1]
    assert sessions.get(a.session).tokens == 20_000


def test_silence_closes_the_session_before(log: Messages, sessions: Sessions) -> None:
    first = log.add(at(0)).session
    log.add(at(31))

    closed = sessions.get(first)
    assert (closed.state, closed.close_reason, closed.closed_at) == (SessionState.PENDING, "idle", NOON)


def test_closing_the_idle_and_then_all(clock: FixedClock, log: Messages, sessions: Sessions) -> None:
    old, new = log.add(at(-40, conversation="a")).session, log.add(at(-10, conversation="b")).session

    assert [s.id for s in sessions.close_idle()] == [old]
    assert sessions.close_idle() == []
    assert [(s.id, s.close_reason) for s in sessions.close_all()] == [(new, "shutdown")]
    assert [s.id for s in sessions.pending()] == [old, new]
    clock.advance(timedelta(minutes=1))
    assert sessions.settle(old).settled_at == NOON + timedelta(minutes=1)
    assert [s.id for s in sessions.pending()] == [new]


def test_after_a_restart_a_talk_goes_on_in_a_new_session(log: Messages, sessions: Sessions) -> None:
    before = log.add(at(0)).session
    sessions.close_all("shutdown")

    assert log.add(at(5)).session != before
    assert log.add(at(0)).session == before  # sent before it closed


def test_a_late_message_makes_a_settled_session_pending_again(
    clock: FixedClock, log: Messages, sessions: Sessions
) -> None:
    session = log.add_many([at(0), at(20)])[0].session
    sessions.close(session)
    sessions.settle(session)
    clock.advance(timedelta(hours=1))

    late = log.add(at(10))

    again = sessions.get(session)
    assert late.session == session
    assert again.state is SessionState.PENDING
    assert again.settled_at is not None
    assert late.recorded_at > again.settled_at
    assert [m.sent_at.minute for m in log.by_session(session)] == [0, 10, 20]


def test_a_named_session_knows_no_limits(log: Messages, sessions: Sessions) -> None:
    messages = log.add_many(at(minute * 100, session="D1") for minute in range(MAX_MESSAGES + 2))
    free = log.add(at(0))

    assert partition([*messages, free]) == [0] * (MAX_MESSAGES + 2) + [1]
    named = sessions.get(messages[0].session)
    assert (named.name, named.state, named.messages) == ("D1", SessionState.OPEN, 202)
    assert log.add(at(9_999_999, session="D1")).session == named.id
    assert log.add(at(0, session="D1", conversation="other")).session != named.id


def test_current_opens_and_continues(sessions: Sessions) -> None:
    opened = sessions.current("local", "main", NOON)

    assert opened == sessions.current("local", "main", NOON + timedelta(minutes=29))
    assert isinstance(opened, Session)
    assert opened.messages == 0
    assert sessions.current("local", "main", NOON + timedelta(minutes=31)).id != opened.id


def test_a_session_is_closed_once_and_settled_only_then(sessions: Sessions) -> None:
    session = sessions.current("local", "main", NOON).id

    with pytest.raises(InputError, match="still open"):
        sessions.settle(session)
    assert sessions.close(session, "asked") == sessions.close(session, "again")
    with pytest.raises(NotFoundError, match="No session"):
        sessions.get("nowhere")


def test_upkeep_covers_all_scopes_of_the_persona_only_when_asked(context: Context, log: Messages) -> None:
    log.add(at(0))
    tom = Sessions(context.within(Scope.user("tom")))

    assert tom.list() == tom.close_all() == []
    assert [s.scope for s in tom.close_all(everywhere=True)] == [Scope.user("mei")]
    assert tom.pending() == []
    assert len(tom.pending(everywhere=True)) == 1
    assert tom.list(state=SessionState.OPEN, everywhere=True) == []
