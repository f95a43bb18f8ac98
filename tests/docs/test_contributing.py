"""What CONTRIBUTING and CHANGELOG name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

import echovessel
from echovessel.cli import app

ROOT = Path(__file__).resolve().parents[2]
_SPAN = re.compile(r"`([^`\n]+)`")


def spans(name: str) -> list[str]:
    return _SPAN.findall((ROOT / name).read_text("utf-8"))


def test_every_path_exists() -> None:
    paths = {span for span in spans("CONTRIBUTING.md") if re.fullmatch(r"[.\w]+(/[\w.]+)+/?", span)}
    missing = [path for path in sorted(paths) if not (ROOT / path).exists() and "NAME" not in path]

    assert len(paths) > 10
    assert missing == []
    assert (ROOT / "echovessel/models/means").is_dir()


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("BUILT_IN", "echovessel/models/registry.py"),
        ("clean_all", "echovessel/models/hygiene.py"),
        ("unit", "echovessel/models/hygiene.py"),
        ("Centre", "echovessel/models/centre.py"),
        ("ALL", "tests/models/conftest.py"),
        ("FACTORS", "echovessel/memory/recall/factors/__init__.py"),
        ("Factors", "echovessel/memory/recall/result.py"),
        ("Weights", "echovessel/memory/recall/weights.py"),
        ("LabelledSet", "echovessel/workbench/labelled/records.py"),
        ("load_all", "echovessel/workbench/labelled/source.py"),
        ("need", "echovessel/workbench/labelled/source.py"),
        ("FormatError", "echovessel/errors.py"),
    ],
)
def test_every_name_is_where_it_is_said_to_be(name: str, where: str) -> None:
    code = (ROOT / where).read_text("utf-8")

    assert name in spans("CONTRIBUTING.md")
    assert re.search(rf"^(?:(?:class|def) {name}\b|{name}\b.*=)", code, re.MULTILINE)


def test_what_does_not_exist_yet_is_said_so() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

    assert "don't exist yet" in text.partition("## A channel")[2]
    assert not (ROOT / "echovessel/channels").exists(), "now CONTRIBUTING should say how to add a channel"


def test_the_changelog_tells_of_this_version_and_of_every_command() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    root = typer.main.get_command(app)

    assert f"## [{echovessel.__version__}]" in text
    assert set(root.commands) <= {word for span in _SPAN.findall(text) for word in span.split()}  # type: ignore[attr-defined]
