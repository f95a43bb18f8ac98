"""How often a memory was read: counted apart, off the reply path, never looked at by ranking."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from echovessel.memory.context import Context


class Access:
    """Counts reads of messages and nodes."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def record(self, ids: Iterable[str]) -> None:
        """Count one read of each, in one transaction; ids that can't be read from here are passed over."""
        listed = "IN (SELECT value FROM json_each(?))"
        mine = f"persona = ? AND scope {listed} AND id {listed}"
        known = f"SELECT id FROM messages WHERE {mine} UNION ALL SELECT id FROM nodes WHERE {mine}"
        persona, scopes = self._context.persona, json.dumps(self._context.readable)
        bound = (persona, scopes, json.dumps(list(dict.fromkeys(ids))))
        with self._context.store.write():
            self._context.store.run(
                f"INSERT INTO access_counts (item, reads, last_at) SELECT id, 1, ? FROM ({known}) WHERE true"
                " ON CONFLICT (item) DO UPDATE"
                " SET reads = access_counts.reads + 1, last_at = excluded.last_at",
                (self._context.now(), *bound, *bound),
            )

    def counts(self, ids: Iterable[str]) -> Mapping[str, int]:
        """Reads of each of these ids that was ever read."""
        rows = self._context.store.rows_of(
            "SELECT item, reads FROM access_counts WHERE item IN (SELECT value FROM json_each(?))", list(ids)
        )
        return dict(rows)
