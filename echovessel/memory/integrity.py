"""Whether the file is whole: its pages, its links, its search index and its vectors."""

from __future__ import annotations

from echovessel.errors import StoreDamaged
from echovessel.memory.engine import Store
from echovessel.memory.search import cut

SHOWN = 5


def pages(store: Store) -> list[str]:
    """What SQLite finds wrong with pages and indexes, full-text ones included; the first few."""
    try:
        rows = store.rows(f"PRAGMA integrity_check({SHOWN})")
    except StoreDamaged as error:
        return [str(error)]
    return [row[0] for row in rows if row[0] != "ok"]


def links(store: Store) -> list[str]:
    """Rows that point at rows which don't exist, counted by table."""
    broken: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in store.rows("PRAGMA foreign_key_check"):
        broken[table, parent] = broken.get((table, parent), 0) + 1
    return [f"{n} rows of {table} point at no row of {parent}" for (table, parent), n in broken.items()]


def search_index(store: Store) -> list[str]:
    """Texts that plain search can't find, or finds under other words than they hold; counted by layer."""
    found = []
    for table, index, alive in (
        ("messages", "message_search", "t.deleted_at IS NULL"),
        ("nodes", "node_search", "true"),
    ):
        rows = store.rows(
            f"SELECT t.text, i.text FROM {table} t LEFT JOIN {index} i ON i.rowid = t.seq WHERE {alive}"
        )
        wrong = sum((indexed or "") != cut(text) for text, indexed in rows)
        stale = store.value(
            f"SELECT count(*) FROM {index} WHERE rowid NOT IN (SELECT t.seq FROM {table} t WHERE {alive})"
        )
        found += [f"{wrong} {table} are not indexed as they are written"] if wrong else []
        found += [f"{stale} entries of the index stand for no {table}"] if stale else []
    return found


def vectors(store: Store) -> list[str]:
    """Vectors of another length than their embedder's; counted by layer."""
    found = []
    for table in ("message_vectors", "node_vectors", "entity_vectors"):
        wrong = store.value(
            f"SELECT count(*) FROM {table} v JOIN embedders e ON e.id = v.embedder"
            " WHERE length(v.vector) <> 4 * e.dim"
        )
        found += [f"{wrong} {table} have a wrong length"] if wrong else []
    return found
