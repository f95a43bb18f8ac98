"""How far the consolidation of a session has come, so that a crash resumes at the first uncommitted stage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from echovessel.clock import from_micros
from echovessel.memory.context import Context


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a session could not be consolidated, how often it was tried, and when last."""

    session: str
    stage: str
    why: str
    tries: int
    at: datetime


class Stages:
    """Marks of committed stages. A mark is written in the transaction of what it stands for."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def through(self, session: str) -> int:
        """The last message of a session, by its place in the file: what a mark holds up to. 0 for an empty one."""
        found: int = self._context.store.value(
            "SELECT coalesce(max(seq), 0) FROM messages WHERE session = ? AND deleted_at IS NULL", (session,)
        )
        return found

    def done(self, session: str, through: int) -> dict[str, dict[str, Any]]:
        """The stages that are committed for these messages, with what each noted."""
        rows = self._context.store.rows(
            "SELECT stage, detail FROM stages WHERE session = ? AND through = ?", (session, through)
        )
        return {stage: json.loads(detail) for stage, detail in rows}

    def read_before(self, session: str) -> int:
        """Up to which message the session was extracted by an earlier consolidation; 0 when never."""
        found: int = self._context.store.value(
            "SELECT coalesce(max(through), 0) FROM stages WHERE session = ? AND stage = 'extract'", (session,)
        )
        return found

    def between(self, session: str, after: int, through: int) -> tuple[str, ...]:
        """The messages of a session behind one place in the file and up to another, in order."""
        rows = self._context.store.rows(
            "SELECT id FROM messages WHERE session = ? AND seq > ? AND seq <= ? AND deleted_at IS NULL"
            " ORDER BY sent_at, seq",
            (session, after, through),
        )
        return tuple(ident for (ident,) in rows)

    def mark(self, session: str, through: int, stage: str, **detail: Any) -> None:
        """Note that a stage is committed; `detail` holds ids, counts and rules, no text."""
        with self._context.store.write():
            self._context.store.run(
                "INSERT INTO stages (session, through, stage, at, detail) VALUES (?, ?, ?, ?, ?)",
                (session, through, stage, self._context.now(), json.dumps(detail)),
            )
            self._context.store.run("DELETE FROM troubles WHERE session = ?", (session,))

    def fail(self, session: str, stage: str, why: str) -> None:
        """Note why a stage could not be done."""
        with self._context.store.write():
            self._context.store.run(
                "INSERT INTO troubles (session, stage, why, tries, at) VALUES (?, ?, ?, 1, ?)"
                " ON CONFLICT (session) DO UPDATE SET stage = excluded.stage, why = excluded.why,"
                " tries = tries + 1, at = excluded.at",
                (session, stage, why, self._context.now()),
            )

    def trouble(self, session: str) -> Trouble | None:
        """What keeps a session from being consolidated."""
        row = self._context.store.row(
            "SELECT session, stage, why, tries, at FROM troubles WHERE session = ?", (session,)
        )
        if row is None:
            return None
        ident, stage, why, tries, at = row
        return Trouble(ident, stage, why, tries, from_micros(at))
