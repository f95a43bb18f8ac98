"""Notebooks stay thin: a question, a few calls, a picture, the answer; and the pair says the same."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parents[2] / "notebooks"
SOURCES = sorted(HERE.glob("*.py"))
MOST_CELLS, MOST_LINES, LONGEST_FUNCTION = 12, 12, 5


def named(path: Path) -> str:
    return path.stem


def cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a notebook as Jupyter would open them."""
    if path.suffix == ".py":
        return [dict(cell) for cell in pytest.importorskip("jupytext").read(path).cells]
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in found]


def code(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in cells(path) if cell["cell_type"] == "code"]


def test_there_are_notebooks() -> None:
    assert SOURCES


@pytest.fixture(params=SOURCES, ids=named)
def source(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def test_few_cells_of_few_lines(source: Path) -> None:
    found = code(source)
    assert 0 < len(found) <= MOST_CELLS
    assert max(len(cell["source"].splitlines()) for cell in found) <= MOST_LINES


def test_functions_of_any_length_belong_in_the_package(source: Path) -> None:
    tree = ast.parse("\n".join(cell["source"] for cell in code(source)))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert all((node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION for node in functions)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_it_opens_with_its_question_and_has_its_parameters_first(source: Path) -> None:
    first = cells(source)[0]
    assert first["cell_type"] == "markdown"
    assert first["source"].startswith("# ")
    assert first["source"].splitlines()[0].endswith("?")
    assert ["parameters" in cell["metadata"].get("tags", []) for cell in code(source)].index(True) == 0


def test_it_ends_with_the_answer_in_numbers_and_a_picture(source: Path) -> None:
    found = cells(source)
    text = [place for place, cell in enumerate(found) if cell["cell_type"] == "markdown"]
    assert found[text[-1]]["source"].startswith("## The answer")
    assert len(found) - text[-1] > 2  # the numbers, then the picture
    assert any(drawn in found[-1]["source"] for drawn in ("px.", ".plot(", "timeline(", "entity_graph("))


def test_no_path_is_edited_and_nothing_is_fetched(source: Path) -> None:
    text = "\n".join(cell["source"] for cell in code(source))
    for word in ("sys.path", "PYTHONPATH", "chdir", "http://", "https://", "!pip", "%pip", "/home/", "C:\\"):
        assert word not in text


def test_the_pair_is_stripped_and_says_the_same(source: Path) -> None:
    paired = source.with_suffix(".ipynb")
    assert paired.exists(), f"make it: jupytext --sync {source}"
    stored = cells(paired)
    for cell in stored:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None

    def told(found: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
        return [(cell["cell_type"], cell["source"], cell["metadata"].get("tags", [])) for cell in found]

    assert told(stored) == told(cells(source)), f"they differ: jupytext --sync {source}"


def test_figures_show_in_jupyterlab_without_a_network() -> None:
    """plotly hands JupyterLab data alone; what draws it is installed beside it."""
    pytest.importorskip("jupyterlab", reason="needs the extra `lab`")
    extension = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / "jupyterlab-plotly"
    assert (extension / "package.json").exists()
