"""A memory file with one persona, a clock that stands still, and messages written by plain SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echovessel.clock import FixedClock, to_micros
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.ids import IdMaker
from echovessel.memory.records import Scope
from echovessel.memory.rows import insert


@pytest.fixture
def clock() -> FixedClock:
    """Noon of 1 June 2026, UTC."""
    return FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty memory file."""
    store = Store(tmp_path / "memory.db")
    yield store
    store.close()


@pytest.fixture
def context(store: Store, clock: FixedClock) -> Context:
    """Persona `lin` in the scope of the user `mei`."""
    context = Context(store, "lin", Scope.user("mei"), clock, IdMaker())
    with store.write():
        insert(store, "personas", id="lin", name="Lin", kind="written", created_at=context.now())
    return context


Say = Callable[..., str]


@pytest.fixture
def say() -> Say:
    """Write a message row by SQL, in the context's scope; gives its id."""

    def say(context: Context, text: str, at: datetime | None = None) -> str:
        store, scope, new = context.store, context.scope.key, context.new_id()
        sent = context.now() if at is None else to_micros(at)
        session = f"s-{context.persona}-{scope}"
        with store.write():
            store.run(
                "INSERT INTO sessions (id, persona, scope, channel, conversation, opened_at, last_at, state)"
                " VALUES (?, ?, ?, 'local', 'main', ?, ?, 'open') ON CONFLICT (id) DO NOTHING",
                (session, context.persona, scope, sent, sent),
            )
            insert(
                store,
                "messages",
                id=new,
                persona=context.persona,
                scope=scope,
                session=session,
                turn=1,
                channel="local",
                conversation="main",
                sender="user",
                sender_name="",
                text=text,
                sent_at=sent,
                zone="UTC",
                recorded_at=context.now(),
            )
        return new

    return say
