"""`echovessel export` and `import` as a shell runs them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Echo


def test_out_and_in_again(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    echo("remember", "I keep bees.")
    file = tmp_path / "me.zip"
    assert "Wrote" in echo("export", str(file)).out
    there = echo("import", str(file), "--home", str(tmp_path / "new"))
    assert (there.code, "1 messages" in there.out) == (0, True)
    assert "bees" in echo("search", "bees", "--home", str(tmp_path / "new")).out
    again = echo("import", str(file))
    assert "0 messages and 0 memories new; 0 rows in all" in again.out


def test_what_was_forgotten_is_counted_when_it_is_left_out(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    echo("remember", "I keep bees.")
    echo("export", str(tmp_path / "me.zip"))
    echo("forget", "--user", "owner", "--yes")
    ran = echo("import", str(tmp_path / "me.zip"))
    assert "rows were left out" in ran.out
    assert "bees" not in echo("search", "bees").out


def test_distill_names_the_right_command_for_an_export(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    echo("export", str(tmp_path / "me.zip"))
    ran = echo("distill", str(tmp_path / "me.zip"))
    assert ran.code == 1
    assert f"echovessel import {tmp_path / 'me.zip'}" in ran.err


def test_faults_are_one_sentence(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    (tmp_path / "notes.txt").write_text("hello")
    assert "no export of EchoVessel" in echo("import", str(tmp_path / "notes.txt")).err
    assert "There is no file" in echo("import", str(tmp_path / "none.zip")).err
    (tmp_path / "empty").write_text("")
    ran = echo("export", str(tmp_path / "e.age"), "--passphrase-file", str(tmp_path / "empty"))
    assert "is empty" in ran.err
    assert not (tmp_path / "e.age").exists()


def test_a_persona_as_a_card(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    echo("remember", "I keep bees.")
    assert echo("export", str(tmp_path / "me.json"), "--card").code == 0
    text = (tmp_path / "me.json").read_text("utf-8")
    assert json.loads(text)["spec"] == "chara_card_v3"
    assert "bees" not in text


def test_a_card_becomes_a_persona_and_goes_again(home: Path, echo: Echo, tmp_path: Path) -> None:
    echo("init")
    card = tmp_path / "wen.json"
    card.write_text(json.dumps({"name": "Wen", "description": "Keeps a lighthouse.", "first_mes": "Hi."}))
    assert "Nothing has been written" in echo("distill", str(card), "--dry-run").out
    ran = echo("distill", str(card))
    assert "blocks written: persona, style" in ran.out
    assert echo("export", str(tmp_path / "out.png"), "--card").code == 0
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "All of it was here already" in echo("distill", str(card)).out
    undo = ran.out.rsplit("--import ", 1)[1].split()[0]
    assert echo("forget", "--import", undo, "--yes").code == 0
    echo("export", str(tmp_path / "gone.json"), "--card")
    assert "lighthouse" not in (tmp_path / "gone.json").read_text("utf-8")
