"""`echovessel chat` through a pipe, and `echovessel run` as a process."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from echovessel.memory.records import SessionState
from tests.cli.conftest import Echo, owner


def say(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_each_line_of_a_pipe_is_answered_until_quit(
    echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, "What is a quark?", "", "Is [bold] :smile: kept?", "/quit", "Not this.")

    ran = echo("chat")

    assert ran.code == 0
    assert ran.out.splitlines()[0] == "I don't remember anything about that."
    with owner(mara, "mara") as memory:
        said = [message.text for message in memory.log.last(4) if message.sender == "user"]
        assert said == ["What is a quark?", "Is [bold] :smile: kept?"]
        assert memory.sessions.list(limit=1)[0].state is SessionState.PENDING


def test_a_model_that_is_away_is_one_sentence(
    echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECHOVESSEL_MODEL__MAIN", "openai/x")
    monkeypatch.setenv("ECHOVESSEL_MODEL__KEY_ENV", "NO_SUCH_KEY")
    say(monkeypatch, "Hello.")

    ran = echo("chat")

    assert "the variable NO_SUCH_KEY is empty" in ran.err
    assert ran.out == ""
    with owner(mara, "mara") as memory:
        assert memory.log.last(1)[0].text == "Hello."


def test_without_a_memory_chat_says_how_to_make_one(echo: Echo) -> None:
    ran = echo("chat")

    assert (ran.code, "echovessel init" in ran.err) == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_the_daemon_runs_until_it_is_told_to_stop(mara: Path, echo: Echo) -> None:
    command = [sys.executable, "-m", "echovessel", "run", "--port", "0"]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as daemon:
        assert daemon.stdout is not None
        told = daemon.stdout.readline()
        assert f"(process {daemon.pid}) at http://127.0.0.1:" in told
        assert daemon.stderr is not None
        assert json.loads(daemon.stderr.readline())["event"] == "started"
        address = told.split(" at ")[1].split("/. ")[0]
        assert httpx.get(f"{address}/health").json()["pid"] == daemon.pid
        assert f"daemon: process {daemon.pid}" in echo("status").out
        assert f"(process {daemon.pid})" in echo("run", "--no-api").err
        daemon.send_signal(signal.SIGTERM)
        events = [json.loads(line)["event"] for line in daemon.stderr]
        assert daemon.wait(10) == 0

    assert events[-1] == "stopped"
    assert "daemon: none" in echo("status").out
