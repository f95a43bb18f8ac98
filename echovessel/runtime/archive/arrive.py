"""Read an export back: only what is new arrives, and what was forgotten stays forgotten."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from echovessel.clock import SystemClock, to_micros
from echovessel.errors import FormatError, InputError, StoreError
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.ids import IdMaker, checked_name
from echovessel.memory.records import Scope
from echovessel.memory.search import Search
from echovessel.memory.tombstones import Tombstones
from echovessel.runtime import config
from echovessel.runtime.archive import fits, mend
from echovessel.runtime.archive.export import columns_of
from echovessel.runtime.archive.file import ArchiveFile, opened
from echovessel.runtime.archive.seal import Secret
from echovessel.runtime.archive.tables import COUNTS, TABLES, TOMBSTONES, Table, is_time
from echovessel.runtime.home import FILE, make_home

# Of a user who was forgotten whole, only what is younger than that arrives: by this column.
_DATED = {
    "audiences": "created_at",
    "core_blocks": "updated_at",
    "core_block_revisions": "at",
    "sessions": "last_at",
    "moods": "updated_at",
    "entity_changes": "at",
    "notices": "at",
    "model_calls": "at",
    "cycles": "at",
}
_PARTS = "messages", "nodes", "entities", "sessions"  # whose ids leave a tombstone


@dataclass(frozen=True, slots=True)
class Arrived:
    """What an import did.

    Attributes
    ----------
    personas : tuple of str
        Whose rows were in the file.
    new : dict
        Rows that arrived, by table.
    known : int
        Rows that were there already, and stayed as they are.
    forgotten : int
        Rows left out because they, or what they hung on, had been forgotten here.
    unmatched : int
        Tombstones of the file that can't be compared here, because this home has a key of its own.
    """

    personas: tuple[str, ...]
    new: dict[str, int]
    known: int
    forgotten: int
    unmatched: int

    @property
    def total(self) -> int:
        """All rows that arrived."""
        return sum(self.new.values())


def import_archive(
    home: str | os.PathLike[str],
    source: str | os.PathLike[str],
    *,
    secret: Secret | None = None,
    as_persona: str | None = None,
) -> Arrived:
    """Read an export into a home, which is made when there is none. All of it arrives, or nothing does.

    Parameters
    ----------
    secret : Secret, optional
        What opens it, when it is encrypted.
    as_persona : str, optional
        Give the one persona of the file this id.

    Raises
    ------
    FormatError
        It is no export of ours, or was changed; nothing was written.
    InputError
        It is encrypted and no secret was given, or another persona has the same id here.
    StoreForeign
        It was made by a newer version.
    """
    with opened(source, secret=secret) as archive:
        path = Path(home).expanduser()
        if not path.is_file():
            make_home(path)
            path /= FILE
        fresh = not path.exists()
        store = Store(path)
        arrived = False
        try:
            context = Context(store, "", Scope.shared(), SystemClock(), IdMaker())
            result = _Import(context, archive, as_persona).run()
            arrived = True
        except apsw.ConstraintError as error:  # as all is committed: a row points to one that is nowhere
            raise FormatError(
                f"{source} has a record that points to nothing. Nothing was imported."
            ) from error
        finally:
            store.close()
            if fresh and not arrived:
                path.unlink(missing_ok=True)
    if fresh and len(result.personas) == 1 and not (path.parent / config.FILE).exists():
        config.save(path.parent, {"persona": result.personas[0]})  # so that it is the one who is opened
    return result


@dataclass
class _Import:
    context: Context
    archive: ArchiveFile
    as_persona: str | None
    new: Counter[str] = field(default_factory=Counter)
    known: int = 0
    forgotten: int = 0

    def run(self) -> Arrived:
        store = self.store = self.context.store
        self.search = Search(self.context)
        with store.write():
            mend.begin(store)
            try:
                self.names = self._names()
                unmatched = self._tombstones()
                self._buried: dict[str, Tombstones] = {}
                self._any = store.value("SELECT max(at) FROM tombstones")
                for table in TABLES:
                    self._table(table)
                self._counts()
                mend.finish(store)
            except StoreError:
                raise
            except (KeyError, TypeError, ValueError, OverflowError, RecursionError, mend.Broken) as error:
                raise FormatError(
                    f"{self.archive.path} has a record that doesn't fit: {error}. Nothing was imported."
                ) from error
            finally:
                mend.end(store)
        new = {name: n for name, n in self.new.items() if n}
        return Arrived(tuple(self.names.values()), new, self.known, self.forgotten, unmatched)

    def _names(self) -> dict[str, str]:
        """Which persona of the file becomes which here."""
        records = list(self.archive.records("who/personas.jsonl"))
        if self.as_persona is not None:
            checked_name(self.as_persona, "persona")
            if len(records) != 1:
                raise InputError(
                    f"{self.archive.path} holds {len(records)} personas; one at a time can be renamed."
                )
        names = {}
        for record in records:
            ident = checked_name(record["id"], "persona")
            here = names[ident] = self.as_persona or ident
            made = self.store.value("SELECT created_at FROM personas WHERE id = ?", (here,))
            if made is None or made == _micros(record["created_at"]):
                continue
            if mend.holds_anything(self.store, here):
                raise InputError(
                    f"There is another persona {here!r} here. Import this one under another id: --as NAME"
                )
            self.store.run("DELETE FROM personas WHERE id = ?", (here,))
        return names

    def _tombstones(self) -> int:
        """Take over what the file remembers as forgotten, where its hashes can be compared; how many can't."""
        store, key = self.store, self.archive.manifest.get("tombstone_key")
        records = list(self.archive.records(TOMBSTONES))
        if not records or not isinstance(key, str):
            return 0
        own = store.value("SELECT value FROM meta WHERE key = 'tombstone_key'")
        if own != key:
            if store.row("SELECT 1 FROM tombstones LIMIT 1"):
                return len(records)
            bytes.fromhex(key)
            store.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('tombstone_key', ?)", (key,))
        for record in records:
            self.new["tombstones"] += store.run(
                "INSERT INTO tombstones (digest, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (bytes.fromhex(record["digest"]), _micros(record["at"])),
            )
        return 0

    def _table(self, table: Table) -> None:
        columns = columns_of(self.store, table)
        for record in self.archive.records(table.file):
            row: dict[str, Any] = {c: _micros(record[c]) if is_time(c) else record[c] for c in columns}
            column = "id" if table.name == "personas" else "persona"
            if column in row:
                row[column] = self.names[row[column]]
            fits.check(row)
            self._row(table, row)

    def _row(self, table: Table, row: dict[str, Any]) -> None:
        store, ident = self.store, row.get("id", "")
        where = " AND ".join(f"{column} IS ?" for column in table.key)
        if table.name == "stages":
            row["through"] = store.value("SELECT seq FROM messages WHERE id = ?", (row["through"],))
        for column, parent in table.parents.items():
            row[column] = mend.same(store, parent, row[column])
        if store.row(f"SELECT 1 FROM {table.name} WHERE {where}", [row[column] for column in table.key]):
            self.known += 1
            mend.note_end(store, table.name, row)
            return
        if (other := mend.twin(store, table.name, row)) is not None:
            self.known += 1
            mend.note_same(store, table.name, ident, other)
            return
        if self._was_forgotten(table.name, row):
            self.forgotten += 1
            mend.note_gone(store, table.name, row)
            return
        held = {column: parent for column, parent in table.parents.items() if row[column] is not None}
        if not all(mend.there(store, parent, row[column]) for column, parent in held.items()):
            self.forgotten += 1
            return
        if table.fresh and not any(mend.is_new(store, row[column]) for column in held):
            self.known += 1
            return
        if table.name == "stages" and row["through"] is None:
            self.forgotten += 1
            return
        for column, parent in table.loose.items():
            if parent != table.name and not mend.there(store, parent, row[column]):
                row[column] = None
        seq = mend.add(store, table.name, row)
        self.new[table.name] += 1
        if isinstance(ident, str) and ident:
            mend.note_new(store, ident)
        if table.name == "messages" and row["deleted_at"] is None:
            self.search.index_messages([(seq, row["text"])])
        elif table.name == "nodes":
            self.search.index_node(seq, row["text"])

    def _was_forgotten(self, table: str, row: dict[str, Any]) -> bool:
        if self._any is None or "persona" not in row:
            return False
        buried, scope = self._of(row["persona"]), row.get("scope", "")
        if table == "traces":  # they may quote anything that was there then
            return bool(row["at"] <= self._any)
        digests: list[bytes] = []
        if table in _PARTS:
            digests += buried.of_id(row["id"])
        if table == "messages":
            parts = ("channel", "conversation", "external_id", "sender", "sent_at", "text")
            digests += buried.of_message(scope, *(row[part] for part in parts))
        elif table == "nodes":
            digests += buried.of_node(scope, row["kind"], row["text"])
        elif table == "aliases":
            digests += buried.of_alias(row["entity"], row["folded"])
        if buried.hold(digests):
            return True
        if table in _DATED:
            at = buried.forgotten_at(buried.of_scope(scope))
            return at is not None and row[_DATED[table]] <= at
        return False

    def _of(self, persona: str) -> Tombstones:
        if persona not in self._buried:
            self._buried[persona] = Tombstones(replace(self.context, persona=persona))
        return self._buried[persona]

    def _counts(self) -> None:
        for record in self.archive.records(COUNTS):
            if mend.is_new(self.store, record["item"]):
                values: Sequence[Any] = (record["item"], record["reads"], _micros(record["last_at"]))
                self.new["access_counts"] += self.store.run(
                    "INSERT INTO access_counts (item, reads, last_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    values,
                )


def _micros(moment: str | None) -> int | None:
    return None if moment is None else to_micros(datetime.fromisoformat(moment))
