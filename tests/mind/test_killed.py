"""A process that is killed at any border of consolidation loses nothing and doubles nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from echovessel.mind.consolidation import State
from tests.mind import dying

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
STAGES = ["extract", "reflect", "portraits", "think"]
# How a full-text table arranges its words on the disk is its own affair; what it finds is compared.
_INSIDE = re.compile(r"_search_(data|idx|docsize|config)$|^sqlite_")
_RANDOM = re.compile(r"\b(?:[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{64})\b")  # ids, and the key of the tombstones


def held(path: Path) -> dict[str, list[str]]:
    """Every row of every table, with ids replaced by what they stand for, since each run makes its own."""
    connection = apsw.Connection(str(path))
    try:
        names = {
            ident: f"<{table} {label}>"
            for table, column in (
                ("messages", "text"),
                ("nodes", "text"),
                ("entities", "name"),
                ("sessions", "opened_at"),
                ("cycles", "kind"),
            )
            for ident, label in connection.execute(f"SELECT id, {column} FROM {table}")
        }
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not _INSIDE.search(name)
        ]
        return {
            table: sorted(
                _RANDOM.sub(lambda found: names.get(found[0], "<random>"), repr(row))
                for row in connection.execute(f"SELECT * FROM {table}")
            )
            for table in tables
        }
    finally:
        connection.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file before the talk is closed, and one per kill."""
    folder = tmp_path_factory.mktemp("killed")
    dying.begin(folder / "start.db")
    return folder


def test_whoever_is_killed_at_a_border_goes_on_as_if_nothing_had_been(folder: Path) -> None:
    whole = folder / "whole.db"
    shutil.copy(folder / "start.db", whole)
    assert dying.finish(whole) is State.SETTLED
    expected = held(whole)
    for table in ("nodes", "node_sources", "entities", "aliases", "node_entities", "moods", "cycles"):
        assert expected[table], table  # the talk leaves something of every kind
    assert len(expected["cycle_refusals"]) == 1
    assert len(expected["stages"]) == len(STAGES)

    ran = subprocess.run(
        [sys.executable, "-m", "tests.mind.dying", str(folder)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=Path(dying.__file__).parents[2],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )

    assert ran.returncode == 0, ran.stderr
    deaths = dict(line.split() for line in ran.stdout.splitlines())
    assert set(deaths.values()) == {str(-signal.SIGKILL)}
    came_to = set()
    for name in deaths:
        killed = held(folder / name)
        assert len(killed["messages"]) == len(dying.SAID)
        came_to.add((killed["sessions"][0].count("'pending'"), len(killed["stages"])))
        assert dying.finish(folder / name) is State.SETTLED, name
        resumed = held(folder / name)
        for table, rows in expected.items():
            assert resumed[table] == rows, f"{table} after {name}"
    # Open, closed, and after each stage: every state that a kill can leave was met.
    assert came_to == {(0, 0), *((1, n) for n in range(len(STAGES) + 1)), (0, len(STAGES))}
