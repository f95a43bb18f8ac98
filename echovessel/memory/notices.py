"""What is said once to a user or group: resources in a crisis, that this is an AI persona."""

from __future__ import annotations

from echovessel.memory.context import Context


class Notices:
    """Remembers what was said once."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def given(self, kind: str) -> bool:
        """Whether it was said in this scope already."""
        return (
            self._context.store.row(
                "SELECT 1 FROM notices WHERE persona = ? AND scope = ? AND kind = ?",
                (self._context.persona, self._context.scope.key, kind),
            )
            is not None
        )

    def record(self, kind: str) -> None:
        """Note that it was said."""
        with self._context.store.write():
            self._context.store.run(
                "INSERT OR IGNORE INTO notices (persona, scope, kind, at) VALUES (?, ?, ?, ?)",
                (self._context.persona, self._context.scope.key, kind, self._context.now()),
            )
