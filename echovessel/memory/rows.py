"""Rows written by column name, so that a long table reads like a record."""

from __future__ import annotations

from echovessel.memory.engine import Store, Value


def insert(store: Store, table: str, **columns: Value) -> int:
    """Insert one row inside `write()`; gives its rowid. Table and column names come from the code alone."""
    marks = ", ".join("?" * len(columns))
    return store.insert(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values())
    )
