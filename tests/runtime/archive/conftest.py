"""A filled home, and a look at every row of one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import Actor, CoreLabel, Scope
from echovessel.runtime.archive.tables import TABLES
from echovessel.runtime.upkeep import whole_file
from echovessel.samples.load import fill, sample_clock, sample_named

Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the sample Mara, a merge, a revision, an import, a trace, and something forgotten."""
    folder = tmp_path / "home"
    folder.mkdir()
    talk = sample_named("mara")
    with Memory.open(
        folder / "memory.db", persona="mara", scope=Scope.user("owner"), clock=sample_clock(talk)
    ) as memory:
        fill(memory, talk)
        one, other = memory.directory.add("Katharina"), memory.directory.add("Kathi K")
        memory.directory.merge(one.id, other.id)
        memory.core.set(CoreLabel.STYLE, "Short lines.", actor=Actor.MANUAL, note="by hand")
        memory.core.set(CoreLabel.STYLE, "Shorter lines.", actor=Actor.MANUAL, note="again")
        began = memory.imports.start("walk.txt", "ab" * 32)
        memory.imports.finish(began.id)
        node = memory.nodes.list(limit=1)[0]
        store = memory.context.store
        with store.write():
            scope = memory.context.scope.key
            now = memory.context.now()
            store.run("INSERT INTO traces VALUES ('t1', 'mara', ?, ?, '{}')", (scope, now))
            store.run(
                "INSERT INTO cycles VALUES ('c1', 'mara', ?, 'slow_tick', ?, 'held', 'cool', 1, 2, 3, ?)",
                (scope, now, now + 5),
            )
            store.run("INSERT INTO cycle_reads VALUES ('c1', ?)", (node.id,))
            store.run("INSERT INTO cycle_refusals VALUES ('c1', 'rule', 'text')")
            store.run("INSERT INTO shown VALUES (?, 2, ?)", (node.id, now))
            store.run("INSERT INTO notices VALUES ('mara', ?, 'ai', ?)", (scope, now))
            session, seq = store.row("SELECT session, seq FROM messages ORDER BY seq DESC LIMIT 1") or ("", 0)
            store.run("INSERT INTO stages VALUES (?, ?, 'extract', ?, '{}')", (session, seq, now))
            store.run("INSERT INTO troubles VALUES (?, 'extract', 'no model', 1, ?)", (session, now))
            store.run("INSERT INTO access_counts VALUES (?, 3, ?)", (node.id, now))
    return folder


def rows_of(home: Path) -> Rows:
    """All rows that carry content, with row numbers replaced by what they mean."""
    with whole_file(home) as context:
        store = context.store
        found = {}
        for table in TABLES:
            columns = [
                "(SELECT id FROM messages WHERE seq = through)" if name == "through" else name
                for (name,) in store.rows("SELECT name FROM pragma_table_info(?)", (table.name,))
                if name not in table.skip
            ]
            found[table.name] = sorted(store.rows(f"SELECT {', '.join(columns)} FROM {table.name}"), key=repr)
        for name in ("access_counts", "tombstones", "message_search", "node_search"):
            found[name] = sorted(store.rows(f"SELECT * FROM {name}"), key=repr)
        return found


@pytest.fixture
def rows() -> Callable[[Path], Rows]:
    """See `rows_of`."""
    return rows_of


@pytest.fixture
def noon() -> FixedClock:
    """A clock that stands still."""
    return FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
