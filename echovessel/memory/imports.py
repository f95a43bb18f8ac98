"""Imports: where rows came from, so that one import can be taken back as a whole."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, replace
from datetime import datetime

from echovessel.clock import from_micros
from echovessel.errors import NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.forget import Derived, Forget
from echovessel.memory.records import Forgotten
from echovessel.memory.rows import insert
from echovessel.memory.targets import Target
from echovessel.text import clean

_COLUMNS = "id, source, digest, started_at, finished_at"


@dataclass(frozen=True, slots=True)
class Import:
    """One run of a reader over a file. One without `finished_at` broke off, and may be run again."""

    id: str
    source: str
    digest: str
    started_at: datetime
    finished_at: datetime | None = None


class Imports:
    """The imports of a persona. Rows written through `context_of` carry the import's id."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def start(self, source: str, digest: str) -> Import:
        """Note the beginning of an import.

        Parameters
        ----------
        source : str
            What is imported, as people know it: a file's name, not its path.
        digest : str
            Hash of its content, by which `find` tells that the same file came before.
        """
        started = Import(self._context.new_id(), clean(source), digest, from_micros(self._context.now()))
        with self._context.store.write():
            insert(
                self._context.store,
                "imports",
                id=started.id,
                persona=self._context.persona,
                source=started.source,
                digest=digest,
                started_at=self._context.now(),
            )
        return started

    def context_of(self, import_id: str) -> Context:
        """The context in which parts write rows of that import."""
        return replace(self._context, import_id=self.get(import_id).id)

    def finish(self, import_id: str) -> Import:
        """Note that all of it is stored."""
        with self._context.store.write():
            self.get(import_id)
            self._context.store.run(
                "UPDATE imports SET finished_at = ? WHERE id = ?", (self._context.now(), import_id)
            )
            return self.get(import_id)

    def discard(self, import_id: str) -> None:
        """Leave no trace of an import that brought nothing."""
        with self._context.store.write():
            self._context.store.run(
                "DELETE FROM imports WHERE persona = ? AND id = ?", (self._context.persona, import_id)
            )

    def get(self, import_id: str) -> Import:
        """The import of that id.

        Raises
        ------
        NotFoundError
            This persona has no such import.
        """
        found = self._select("id = ?", import_id)
        if not found:
            raise NotFoundError(
                f"No import {import_id!r} of {self._context.persona}. List them with imports.list()."
            )
        return found[0]

    def find(self, digest: str) -> builtins.list[Import]:
        """Imports of the same content, oldest first."""
        return self._select("digest = ?", digest)

    def list(self) -> builtins.list[Import]:
        """All imports of the persona, oldest first."""
        return self._select("true")

    def undo(self, import_id: str, *, dry_run: bool = False, derived: Derived = "drop") -> Forgotten:
        """Take an import back as if it had never been: no tombstones, so that it may be done again.

        Core blocks get back what they said before, unless a person has changed them since.
        """
        target = Target.imported(import_id)
        return Forget(self._context).forget(target, dry_run=dry_run, derived=derived, tombstones=False)

    def _select(self, where: str, *values: str) -> builtins.list[Import]:
        rows = self._context.store.rows(
            f"SELECT {_COLUMNS} FROM imports WHERE persona = ? AND {where} ORDER BY id",
            (self._context.persona, *values),
        )
        return [_import(row) for row in rows]


def _import(row: Row) -> Import:
    ident, source, digest, started, finished = row
    return Import(
        ident, source, digest, from_micros(started), None if finished is None else from_micros(finished)
    )
