"""`echovessel distill`, as a shell runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from echovessel.cli.distill import distill
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope

CHAT = "".join(
    f"{13 + n}/07/23, 09:00 - {who}: {text}\n"
    for n, (who, text) in enumerate(
        [("Mei", "Where do you live?"), ("Tom", "I live in Leeds."), ("Ana", "hello"), ("Tom", "ok Ana")]
    )
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PERSONA", "USER", "PRESET", "ZONE"):
        monkeypatch.delenv(f"ECHOVESSEL_{name}", raising=False)
    monkeypatch.setenv("ECHOVESSEL_EMBEDDER", "hash")
    return tmp_path / "home"


def run(home: Path, *words: str) -> Result:
    app = typer.Typer()
    app.command()(distill)
    return CliRunner().invoke(app, [*words, "--home", str(home)])


def chat(tmp_path: Path, text: str = CHAT) -> str:
    path = tmp_path / "chat.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_dry_run_shows_and_writes_nothing(home: Path, tmp_path: Path) -> None:
    broken = "13/07/23, 08:00 - Messages and calls are end-to-end encrypted.\n"
    result = run(home, chat(tmp_path, broken + CHAT), "--dry-run")

    assert result.exit_code == 0
    for part in (
        "WhatsApp: 4 messages",
        "From 2023-07-13 to 2023-07-16",
        "Languages: en 4",
        "  Tom: 2 messages",
        "  2023-07-14 09:00 Tom: I live in Leeds.",
        "Skipped 1 because",
        "line 1",
        "Nothing has been written.",
    ):
        assert part in result.output
    assert not home.exists()


def test_a_dry_run_as_json(home: Path, tmp_path: Path) -> None:
    told = json.loads(run(home, chat(tmp_path), "--dry-run", "--json").output)

    assert told["speakers"][0] == {"name": "Tom", "lines": 2, "characters": 22}
    assert [line["text"] for line in told["first"]][1] == "I live in Leeds."


def test_a_persona_is_made_and_the_second_time_nothing_is_new(home: Path, tmp_path: Path) -> None:
    words = (chat(tmp_path), "--speaker", "Tom", "--user", "Mei", "--persona", "tom", "--kind", "fictional")

    first = json.loads(run(home, *words, "--json").output)
    second = run(home, *words)

    assert (first["new"], first["facts"], first["persona"]) == (4, 1, "tom")
    assert "0 messages new, 4 known" in second.output
    with Memory.open(home / "memory.db", persona="tom", scope=Scope.user("owner"), create=False) as memory:
        assert "Lives in: Leeds" in memory.core.get("persona").text  # type: ignore[union-attr]
        assert memory.personas.get("tom").kind == "fictional"
        assert [str(m.sender) for m in memory.log.between()] == ["user", "persona", "other", "persona"]


def test_others_are_hidden(home: Path, tmp_path: Path) -> None:
    words = (chat(tmp_path), "--speaker", "Tom", "--user", "Mei", "--kind", "self", "--hide-others")

    result = run(home, *words)

    assert "Hidden: 2 name" in result.output
    with Memory.open(home / "memory.db", persona="me", scope=Scope.user("owner"), create=False) as memory:
        assert not any("Ana" in m.text + m.sender_name for m in memory.log.between())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Name who becomes the persona with --speaker"),
        (("--speaker", "Bob"), "'Bob' says nothing in this archive. There are: Tom"),
        (("--speaker", "Tom"), "Say what kind of persona"),
        (("--speaker", "Tom", "--kind", "consented"), "who consented"),
        (("--speaker", "Tom", "--kind", "odd"), "no kind of persona"),
        (("--speaker", "Tom", "--since", "soon", "--kind", "self"), "'soon' is no day"),
        (("--date-order", "year"), "day or month"),
        (("--format", "odd"), "No reader is called"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(
    home: Path, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    result = run(home, chat(tmp_path), *words)

    assert result.exit_code == 1
    assert sentence in str(result.exception)
    assert not home.exists()


def test_an_ambiguous_date_order_is_reported_where_nobody_can_be_asked(home: Path, tmp_path: Path) -> None:
    result = run(home, chat(tmp_path, "03/04/23, 09:00 - Tom: hi\n"), "--dry-run")

    assert "can't be told from this file" in result.output
    assert "From 2023-04-03" in result.output


def test_an_ambiguous_date_order_is_asked_on_a_terminal(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["echovessel.cli.distill"], "sys", _Terminal)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: "month")

    result = run(home, chat(tmp_path, "03/04/23, 09:00 - Tom: hi\n"), "--dry-run")

    assert "From 2023-03-04" in result.output


class _Stream:
    @staticmethod
    def isatty() -> bool:
        return True


class _Terminal:
    stdin = stderr = _Stream
