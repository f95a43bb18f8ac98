"""Re-embedding: vectors of a new embedder grow beside the old ones, and take over when all are there."""

from __future__ import annotations

from collections.abc import Callable

from echovessel.embedding import Embedder
from echovessel.memory.context import Context
from echovessel.memory.embedders import embedder_id, register
from echovessel.memory.vectors import Vectors

BATCH = 256

Progress = Callable[[int, int], None]


class Reembed:
    """Converts a file to another embedder.

    Killed at any point, the old vectors are valid and the next run goes on where this one stopped: each batch
    is a transaction, and the switch is one.

    Parameters
    ----------
    context : Context
        Any persona and scope of the file; all of it is converted.
    embedder : Embedder
        The new one.
    """

    def __init__(self, context: Context, embedder: Embedder) -> None:
        self._context = context
        self._embedder = embedder
        self._vectors = Vectors(context)

    def run(self, *, batch: int = BATCH, progress: Progress | None = None) -> int:
        """Make every missing vector, then switch.

        Parameters
        ----------
        batch : int
            Texts per transaction; what a kill may cost.
        progress : callable, optional
            Called as ``progress(done, total)`` after each batch, counting what earlier runs did.

        Returns
        -------
        How many vectors this run made.
        """
        owner = self._owner()
        total = self._total()
        made = 0
        while not self.switch():
            # Messages may arrive meanwhile, so a round goes on until none is left, and the switch looks
            # again.
            while waiting := self._vectors.pending(batch, embedder=owner):
                vectors = self._embedder.embed([text.passage for text in waiting], kind="passage")
                made += self._vectors.fill(waiting, vectors, embedder=owner)
                if progress is not None:
                    left = self._vectors.pending_count(embedder=owner)
                    total = max(total, left)
                    progress(total - left, total)
        return made

    def switch(self) -> bool:
        """Let the new vectors take over and delete the old ones, in one transaction.

        Returns
        -------
        False, and nothing is changed, while a text still waits for its new vector.
        """
        owner = self._owner()
        store = self._context.store
        with store.write():
            if self._vectors.pending(1, embedder=owner):
                return False
            store.run("UPDATE embedders SET active = 0 WHERE active = 1 AND id <> ?", (owner,))
            store.run("UPDATE embedders SET active = 1 WHERE id = ?", (owner,))
            for table in ("message_vectors", "node_vectors", "entity_vectors"):
                store.run(f"DELETE FROM {table} WHERE embedder <> ?", (owner,))
            store.run("DELETE FROM embedders WHERE id <> ?", (owner,))
        return True

    def _owner(self) -> int:
        with self._context.store.write():
            register(self._context, self._embedder.identity)
            owner = embedder_id(self._context, self._embedder.identity)
        assert owner is not None
        return owner

    def _total(self) -> int:
        count: int = self._context.store.value(
            "SELECT (SELECT count(*) FROM messages WHERE deleted_at IS NULL AND text <> '')"
            " + (SELECT count(*) FROM nodes WHERE text <> '')"
        )
        return count
