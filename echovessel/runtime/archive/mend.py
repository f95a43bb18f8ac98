"""What an import keeps in mind while it runs, in temporary tables: which ids are new, twins, gone, or replaced."""

from __future__ import annotations

from typing import Any

import apsw

from echovessel.memory.engine import Store
from echovessel.memory.rows import insert

_TEMPORARY = {
    "arrived": "id TEXT PRIMARY KEY",
    "twins": "kind TEXT, old TEXT, new TEXT, PRIMARY KEY (kind, old)",
    "gone": "id TEXT PRIMARY KEY, next TEXT, at INTEGER",
    "ends": "kind TEXT, id TEXT, by TEXT, at INTEGER, PRIMARY KEY (kind, id)",
    "emptied": "session TEXT PRIMARY KEY",
}
_HOLDING = ("core_blocks", "sessions", "nodes", "entities", "imports")


class Broken(Exception):
    """A record breaks a rule of its table."""


def begin(store: Store) -> None:
    """Start an import, inside its transaction; rows may point to ones that follow."""
    end(store)
    for name, columns in _TEMPORARY.items():
        store.run(f"CREATE TEMP TABLE {name} ({columns})")
    store.run("PRAGMA defer_foreign_keys = ON")


def end(store: Store) -> None:
    """Drop what was kept in mind."""
    for name in _TEMPORARY:
        store.run(f"DROP TABLE IF EXISTS temp.{name}")


def finish(store: Store) -> None:
    """Close the gaps that rows left out have made, and let what is new end what was current here."""
    # A fact whose successor was forgotten is ended by the one after it, or holds again.
    while store.run(
        "UPDATE nodes SET (superseded_by, superseded_at) ="
        " (SELECT gone.next, gone.at FROM gone WHERE gone.id = nodes.superseded_by)"
        " WHERE superseded_by IN (SELECT id FROM gone)"
    ):
        pass
    for table, column, at in (
        ("nodes", "superseded_by", ", superseded_at = NULL"),
        ("entities", "merged_into", ""),
        ("core_block_revisions", "undoes", ""),
    ):
        store.run(
            f"UPDATE {table} SET {column} = NULL{at} WHERE {column} IS NOT NULL"
            f" AND id IN (SELECT id FROM arrived) AND {column} NOT IN (SELECT id FROM {table})"
        )
    fresh = "by IN (SELECT id FROM arrived)"
    store.run(
        "UPDATE nodes SET superseded_by = ends.by, superseded_at = ends.at FROM ends WHERE ends.kind = 'nodes'"
        f" AND ends.id = nodes.id AND {fresh} AND by IN (SELECT id FROM nodes) AND superseded_at IS NULL"
    )
    store.run(
        "UPDATE entities SET merged_into = ends.by FROM ends WHERE ends.kind = 'entities' AND ends.id = entities.id"
        f" AND {fresh} AND by IN (SELECT id FROM entities) AND merged_into IS NULL"
    )
    store.run(
        "DELETE FROM sessions WHERE id IN (SELECT session FROM emptied) AND id IN (SELECT id FROM arrived)"
        " AND NOT EXISTS (SELECT 1 FROM messages WHERE session = sessions.id)"
    )


def there(store: Store, table: str, ident: str | None) -> bool:
    """Whether a row of that id is in a table."""
    return store.row(f"SELECT 1 FROM {table} WHERE id = ?", (ident,)) is not None


def is_new(store: Store, ident: str | None) -> bool:
    """Whether that id arrived with this import."""
    return store.row("SELECT 1 FROM arrived WHERE id = ?", (ident,)) is not None


def note_new(store: Store, ident: str) -> None:
    """Keep in mind that an id arrived."""
    store.run("INSERT OR IGNORE INTO arrived (id) VALUES (?)", (ident,))


def twin(store: Store, table: str, row: dict[str, Any]) -> str | None:
    """The id under which the same message, or the session of the same name, came here by another way."""
    name = {"messages": "external_id", "sessions": "name"}.get(table)
    if name is None or row[name] is None:
        return None
    columns = ["persona", "channel", "conversation", name] + (["scope"] if table == "sessions" else [])
    where = " AND ".join(f"{column} = ?" for column in columns)
    found: str | None = store.value(f"SELECT id FROM {table} WHERE {where}", [row[c] for c in columns])
    return found


def note_same(store: Store, table: str, old: str, new: str) -> None:
    """Keep in mind that a row of the file is one that is here under another id."""
    store.run("INSERT OR IGNORE INTO twins VALUES (?, ?, ?)", (table, old, new))


def same(store: Store, table: str, ident: Any) -> Any:
    """The id under which a row of the file stands here."""
    found = store.value("SELECT new FROM twins WHERE kind = ? AND old = ?", (table, ident))
    return ident if found is None else found


def note_gone(store: Store, table: str, row: dict[str, Any]) -> None:
    """Keep in mind that a row was left out, and what came after it."""
    if table == "nodes":
        values = (row["id"], row["superseded_by"], row["superseded_at"])
        store.run("INSERT OR IGNORE INTO gone VALUES (?, ?, ?)", values)
    elif table == "messages":
        store.run("INSERT OR IGNORE INTO emptied VALUES (?)", (row["session"],))


def note_end(store: Store, table: str, row: dict[str, Any]) -> None:
    """Keep in mind what the file says came after a row that is here."""
    column = {"nodes": "superseded_by", "entities": "merged_into"}.get(table)
    if column is not None and row[column] is not None:
        values = (table, row["id"], row[column], row.get("superseded_at"))
        store.run("INSERT OR IGNORE INTO ends VALUES (?, ?, ?, ?)", values)


def holds_anything(store: Store, persona: str) -> bool:
    """Whether a persona is more than a name."""
    return any(store.row(f"SELECT 1 FROM {table} WHERE persona = ?", (persona,)) for table in _HOLDING)


def add(store: Store, table: str, row: dict[str, Any]) -> int:
    """Insert a row.

    Raises
    ------
    Broken
        It breaks a rule of the table.
    """
    try:
        return insert(store, table, **row)
    except (apsw.ConstraintError, apsw.MismatchError) as error:
        raise Broken(f"{table}: {error}") from error
