"""`echovessel demo` says where the page is, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import echovessel.workbench.app as page
from echovessel.cli.demo import demo
from echovessel.workbench.app.server import listen
from echovessel.workbench.app.shelf import Opened


def run(monkeypatch: pytest.MonkeyPatch, port: int) -> list[Opened]:
    """The command with a server that answers once and stops; gives the memories that it was handed."""
    handed: list[Opened] = []

    def serve(*opened: Opened, port: int, open_browser: bool, ready: Callable[[str], None]) -> None:
        handed.extend(opened)
        assert all(one.memory.log.count() for one in opened)
        with listen("127.0.0.1", port) as listening:
            ready(f"http://127.0.0.1:{listening.getsockname()[1]}/")

    monkeypatch.setattr(page, "serve", serve, raising=False)
    demo(port=port, browser=False)
    return handed


def test_a_taken_port_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        run(monkeypatch, port)

    (line,) = capsys.readouterr().out.splitlines()
    assert f"(port {port} is taken)" in line
    assert f"http://127.0.0.1:{port}/" not in line


def test_a_free_port_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    run(monkeypatch, port)

    assert capsys.readouterr().out == f"EchoVessel is at http://127.0.0.1:{port}/. Stop it with Ctrl+C.\n"


def test_both_samples_are_shown_and_their_files_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    handed = run(monkeypatch, 0)

    assert [one.code for one in handed] == ["Vessel.sample('lin')", "Vessel.sample('mara')"]
    for one in handed:
        assert one.questions
        assert not Path(one.memory.context.store.path).exists()
