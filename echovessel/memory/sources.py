"""What nodes rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.records import Scope, Source
from echovessel.text import clean


class Sources:
    """Checks and keeps the sources of a scope's nodes."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def checked(self, sources: Sequence[Source], scope: Scope) -> list[tuple[Source, int]]:
        """Each source with its quote cleaned, and when it was said, in microseconds.

        Nothing derives across scopes: a source lies in the node's own scope or in the shared one. The persona's own
        words are the one exception: what an import takes from them is its own life, wherever it told of it.

        Raises
        ------
        NotFoundError
            No such message or node there, or the message was deleted.
        InputError
            A quote that does not stand in the source to the letter.
        """
        return [self._checked(source, scope) for source in dict.fromkeys(sources)]

    def add(self, node: str, sources: Iterable[Source]) -> int:
        """Write the sources of a node that it does not have yet; gives how many those were."""
        store, added = self._context.store, 0
        for source in sources:
            known = store.row(
                "SELECT 1 FROM node_sources WHERE node = ? AND (message = ? OR source_node = ?)",
                (node, source.message, source.node),
            )
            if known is None:
                store.run(
                    "INSERT INTO node_sources (node, message, source_node, quote) VALUES (?, ?, ?, ?)",
                    (node, source.message, source.node, source.quote),
                )
                added += 1
        return added

    def _checked(self, source: Source, scope: Scope) -> tuple[Source, int]:
        table, kind, id_, time = (
            ("nodes", "node", source.node, "known_at")
            if source.message is None
            else ("messages", "message", source.message, "sent_at")
        )
        alive = "" if table == "nodes" else " AND deleted_at IS NULL"
        shared = Scope.shared()
        own = scope == shared and table == "messages" and self._context.import_id is not None
        within = "(scope IN (?, ?) OR sender = 'persona')" if own else "scope IN (?, ?)"
        row = self._context.store.row(
            f"SELECT text, {time} FROM {table} WHERE id = ? AND persona = ? AND {within}{alive}",
            (id_, self._context.persona, scope.key, shared.key),
        )
        if row is None:
            raise NotFoundError(
                f"No {kind} {id_!r} in {scope.key} to serve as a source. Nothing derives across scopes."
            )
        text, at = row
        quote = clean(source.quote)
        if quote not in text:
            raise InputError(
                f"The quote {quote!r} does not stand in {kind} {id_!r}. Quote its words to the letter."
            )
        return Source(source.message, source.node, quote), at
