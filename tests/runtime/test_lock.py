"""One daemon per memory file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from echovessel.errors import StoreBusy
from echovessel.runtime.lock import DaemonLock, running

HOLD = """
import sys
from pathlib import Path
from echovessel.runtime.lock import DaemonLock
lock = DaemonLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_daemon_is_refused_and_told_whose_turn_it_is(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with DaemonLock(file):
        assert running(file) == os.getpid()
        with pytest.raises(StoreBusy, match=rf"runs already .*\(process {os.getpid()}\)"):
            DaemonLock(file)
    assert running(file) is None
    DaemonLock(file).release()


def test_the_lock_of_a_killed_daemon_holds_nobody_back(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert running(file) == other.pid
        with pytest.raises(StoreBusy):
            DaemonLock(file)
        other.kill()
        other.wait()

    assert (tmp_path / "memory.db.lock").read_text() == str(other.pid)  # stale, and no matter
    with DaemonLock(file):
        assert running(file) == os.getpid()


def test_where_no_daemon_ever_ran_none_runs(tmp_path: Path) -> None:
    assert running(tmp_path / "memory.db") is None
    assert list(tmp_path.iterdir()) == []
