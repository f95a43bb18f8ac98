"""Sessions: the stretches of talk that messages fall into, and when they close."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime

from echovessel.clock import from_micros, to_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.placing import IDLE, Placing
from echovessel.memory.records import Scope, Session, SessionState

_COLUMNS = (
    "id, scope, channel, conversation, opened_at, last_at, messages, tokens, state, closed_at, close_reason,"
    " settled_at, name"
)


class Sessions:
    """Opens, continues and closes sessions.

    A session takes messages until it has been idle for 30 minutes, holds 200 messages or 20,000 tokens, or
    the program shuts down; then it is `pending` until a model has extracted it, and `settled` afterwards. A
    message that arrives late joins the session during which it was sent, even a closed one; a settled one
    becomes pending again, and its `settled_at` tells which messages are new.

    A session with a name is pinned by the writer of its messages (an import, a benchmark) and knows none of
    these limits: it closes when told to, or with the idle ones.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def current(self, channel: str, conversation: str, at: datetime) -> Session:
        """The session that a message sent at that moment falls into, opened when there is none."""
        with self._context.store.write():
            placing = Placing(self._context)
            slot = placing.find(channel, conversation, to_micros(at))
            placing.flush()
            return self.get(slot.id)

    def get(self, session: str, *, everywhere: bool = False) -> Session:
        """The session of that id.

        Parameters
        ----------
        everywhere : bool
            Also one of another user or group of the persona, for the upkeep of the file; never for a prompt.

        Raises
        ------
        NotFoundError
            No such session among those that may be read from here.
        """
        where, values = self._mine(everywhere)
        found = self._select(f"{where} AND id = ?", (*values, session))
        if not found:
            raise NotFoundError(f"No session {session!r} here. List those there are with sessions.list().")
        return found[0]

    def list(
        self, *, state: SessionState | None = None, everywhere: bool = False, limit: int | None = None
    ) -> builtins.list[Session]:
        """Sessions, latest first.

        Parameters
        ----------
        state : SessionState, optional
            Only those in this state.
        everywhere : bool
            Those of all users and groups of the persona, for the upkeep of the file; never for a prompt.
        limit : int, optional
            At most so many.
        """
        where, values = self._mine(everywhere)
        if state is not None:
            where, values = f"{where} AND state = ?", (*values, str(state))
        latest = f"{where} ORDER BY last_at DESC, id DESC LIMIT ?"
        return self._select(latest, (*values, -1 if limit is None else limit))

    def pending(self, *, everywhere: bool = False) -> builtins.list[Session]:
        """Closed sessions that wait for extraction, oldest first."""
        where, values = self._mine(everywhere)
        return self._select(f"{where} AND state = 'pending' ORDER BY opened_at, id", values)

    def close(self, session: str, reason: str = "asked") -> Session:
        """Close a session; closing it twice changes nothing."""
        with self._context.store.write():
            self.get(session)
            self._close("id = ? AND state = 'open'", (session,), reason)
            return self.get(session)

    def close_idle(self, now: datetime | None = None, *, everywhere: bool = False) -> builtins.list[Session]:
        """Close those that have been silent for more than 30 minutes; gives them."""
        moment = self._context.now() if now is None else to_micros(now)
        return self._close_open("idle", moment - IDLE, everywhere)

    def close_all(self, reason: str = "shutdown", *, everywhere: bool = False) -> builtins.list[Session]:
        """Close every open session; gives them."""
        return self._close_open(reason, None, everywhere)

    def settle(self, session: str) -> Session:
        """Mark a closed session as extracted, or as not worth it.

        Raises
        ------
        InputError
            The session is still open.
        """
        with self._context.store.write():
            if self.get(session).state is SessionState.OPEN:
                raise InputError(f"Session {session} is still open. Close it first.")
            self._context.store.run(
                "UPDATE sessions SET state = 'settled', settled_at = ? WHERE id = ?",
                (self._context.now(), session),
            )
            return self.get(session)

    def _mine(self, everywhere: bool) -> tuple[str, tuple[str, ...]]:
        if everywhere:
            return "persona = ?", (self._context.persona,)
        scopes = self._context.readable
        return f"persona = ? AND scope IN ({_marks(scopes)})", (self._context.persona, *scopes)

    def _select(self, where: str, values: Sequence[str | int]) -> builtins.list[Session]:
        rows = self._context.store.rows(f"SELECT {_COLUMNS} FROM sessions WHERE {where}", values)
        return [session_of(row) for row in rows]

    def _close_open(self, reason: str, silent_since: int | None, everywhere: bool) -> builtins.list[Session]:
        with self._context.store.write():
            where, values = self._mine(everywhere)
            bound: builtins.list[str | int] = [*values]
            where += " AND state = 'open'"
            if silent_since is not None:
                where, bound = f"{where} AND last_at < ?", [*bound, silent_since]
            going = self._context.store.rows(
                f"SELECT id FROM sessions WHERE {where} ORDER BY opened_at, id", bound
            )
            self._close(where, bound, reason)
            ids = tuple(row[0] for row in going)
            return self._select(f"id IN ({_marks(ids)}) ORDER BY opened_at, id", ids) if ids else []

    def _close(self, where: str, values: Sequence[str | int], reason: str) -> None:
        self._context.store.run(
            f"UPDATE sessions SET state = 'pending', closed_at = ?, close_reason = ? WHERE {where}",
            (self._context.now(), reason, *values),
        )


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def session_of(row: Row) -> Session:
    """The record of a row."""
    (
        ident,
        scope,
        channel,
        conversation,
        opened,
        last,
        messages,
        tokens,
        state,
        closed,
        reason,
        settled,
        name,
    ) = row
    return Session(
        ident,
        Scope.parse(scope),
        channel,
        conversation,
        from_micros(opened),
        from_micros(last),
        messages,
        tokens,
        SessionState(state),
        None if closed is None else from_micros(closed),
        reason,
        None if settled is None else from_micros(settled),
        name,
    )
