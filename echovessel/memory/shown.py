"""How often a thought was shown under "On your mind lately", so that none is repeated on every turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from echovessel.memory.context import Context


class Shown:
    """Counts per thought; ranking never looks here."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def record(self, nodes: Iterable[str]) -> None:
        """Count one showing of each; those that are gone by now are passed over."""
        with self._context.store.write():
            self._context.store.run(
                "INSERT INTO shown (node, times, last_at)"
                " SELECT id, 1, ? FROM nodes WHERE id IN (SELECT value FROM json_each(?))"
                " ON CONFLICT (node) DO UPDATE SET times = times + 1, last_at = excluded.last_at",
                (self._context.now(), json.dumps(sorted(set(nodes)))),
            )

    def times(self, nodes: Iterable[str]) -> Mapping[str, int]:
        """How often each was shown; those never shown are left out."""
        rows = self._context.store.rows(
            "SELECT node, times FROM shown WHERE node IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(set(nodes))),),
        )
        return dict(rows)
