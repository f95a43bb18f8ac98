from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from echovessel.cli import main
from tests.workbench.conftest import Write, locomo_record


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["echovessel", *words])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_bench_recall_prints_tables_and_writes_files(
    monkeypatch, write: Write, tmp_path: Path, capsys
) -> None:
    data = write("data/locomo.json", [locomo_record("c1"), locomo_record("c2")])
    words = ("bench", "recall", "--dataset", "locomo", "--path", str(data), "--embedder", "hash")
    arms = ("--arm", "bm25", "--arm", "dense", "--cache", str(tmp_path / "cache"))
    files = ("--json", "rows.json", "--trec", "trec", "--runs", "a", "--markdown", "t.md")
    monkeypatch.chdir(tmp_path)

    assert run(monkeypatch, *words, *arms, *files) == 0

    printed = capsys.readouterr().out
    assert "2 questions without evidence" in printed
    assert "Not in overall: 5." in printed
    rows = json.loads(Path("rows.json").read_text())
    assert {row["arm"] for row in rows} == {"bm25", "dense"}
    assert sorted(file.name for file in Path("trec").iterdir()) == [
        "messages-bm25.run",
        "messages-dense.run",
        "messages.qrels",
    ]
    assert "| bm25 |" in Path("t.md").read_text()

    assert run(monkeypatch, "bench", "compare", "a", "a") == 0
    assert "these conversations only" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--dataset", "locomo", "--path", "gone.json"], 1, "gone.json can't be read"),
        (["--dataset", "locomo"], 1, "locomo is not shipped. Say where its file is: --path FILE."),
        (["--dataset", "squad", "--path", "x"], 1, "no data set 'squad'"),
        (["--seed", "many"], 2, "unable to parse string as an integer"),
    ],
)
def test_errors_are_one_sentence(monkeypatch, tmp_path: Path, capsys, words, code: int, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, "bench", "recall", *words) == code
    error = capsys.readouterr().err
    assert said in " ".join(error.replace("│", " ").split())
    assert "Traceback" not in error


def test_compare_of_what_is_no_run(monkeypatch, tmp_path: Path, capsys) -> None:
    assert run(monkeypatch, "bench", "compare", str(tmp_path), str(tmp_path)) == 1
    assert "Give a folder made by --runs" in capsys.readouterr().err
