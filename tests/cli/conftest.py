"""A home of its own for each test, the hash embedder, and the command line as a shell runs it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import pytest

from echovessel.cli import main
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope
from echovessel.runtime.home import memory_file
from echovessel.runtime.vessel import Vessel


@dataclass(frozen=True)
class Ran:
    """What a command left: exit code, output, and its errors without frames and line breaks."""

    code: int
    out: str
    err: str


Echo = Callable[..., Ran]


def in_file(home: Path, text: str) -> bool:
    """Whether the bytes of the file or its log hold a text."""
    return any(text.encode() in path.read_bytes() for path in home.glob("memory.db*"))


def owner(home: Path, persona: str = "me") -> Memory:
    """What a persona and its owner share."""
    return Memory.open(memory_file(home), persona=persona, scope=Scope.user("owner"), create=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where ECHOVESSEL_HOME points; not made yet."""
    for name in ("PERSONA", "USER", "PRESET", "ZONE"):
        monkeypatch.delenv(f"ECHOVESSEL_{name}", raising=False)
    folder = tmp_path / "home"
    monkeypatch.setenv("ECHOVESSEL_HOME", str(folder))
    monkeypatch.setenv("ECHOVESSEL_EMBEDDER", "hash")
    monkeypatch.setattr("sys.stdin", io.StringIO())  # nobody answers questions
    return folder


@pytest.fixture
def echo(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Echo:
    """Run a command in this process. Whatever it does, it shows no traceback."""

    def echo(*words: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["echovessel", *words])
        with pytest.raises(SystemExit) as left:
            main()
        shown = capsys.readouterr()
        assert "Traceback" not in shown.out + shown.err
        code = left.value.code
        return Ran(
            code if isinstance(code, int) else 0, shown.out, " ".join(shown.err.replace("│", " ").split())
        )

    return echo


@pytest.fixture(scope="session")
def mara_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample persona Mara with vectors of the hash embedder, made once."""
    folder = tmp_path_factory.mktemp("mara")
    Vessel.sample("mara", home=folder, embedder="hash").close()
    return folder / "memory.db"


@pytest.fixture
def mara(home: Path, mara_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home filled with the sample persona Mara."""
    monkeypatch.setenv("ECHOVESSEL_PERSONA", "mara")
    home.mkdir()
    copy(mara_file, home)
    return home
