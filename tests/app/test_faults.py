"""Every error that a person can meet on the page is told in the page's language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import echovessel
import echovessel.errors
from echovessel.errors import EchoVesselError, InputError, ModelError, StoreBusy, StoreFull, StoreReadOnly
from echovessel.workbench.app.faults import faults, in_words

ROOT = Path(echovessel.__path__[0])
HAN = re.compile(r"[\u4e00-\u9fff]")
KINDS = [
    kind
    for kind in vars(echovessel.errors).values()
    if isinstance(kind, type) and issubclass(kind, EchoVesselError)
]
NAMES = {kind.__name__ for kind in KINDS} - {"MissingExtra"}  # whose sentence is put together elsewhere
# Where what the page calls raises errors.
REACHED = (
    "distill",
    *("workbench/app", "workbench/labelled/source.py", "workbench/labelled/locomo.py"),
    *("workbench/labelled/own.py", "workbench/labelled/memdaily.py", "workbench/labelled/realtalk.py"),
    *("workbench/labelled/aligned.py", "samples/conversation.py", "samples/load.py", "samples/store.py"),
    *("memory/nodes.py", "memory/node_reader.py", "memory/node_checks.py", "memory/supersession.py"),
    *("memory/messages.py", "memory/search.py", "memory/sources.py", "memory/merges.py", "memory/aliases.py"),
    *(
        "memory/forget.py",
        "memory/reach.py",
        "memory/entities.py",
        "memory/core_blocks.py",
        "memory/engine.py",
    ),
    *("memory/ids.py", "memory/personas.py", "memory/drafts.py", "memory/traces.py", "memory/sessions.py"),
    *("memory/recall/weights.py", "memory/recall/recall.py", "memory/recall/factors/recency.py"),
    *("runtime/turns.py", "runtime/costs.py", "runtime/config.py", "runtime/home.py", "runtime/lock.py"),
    *("models/language/failures.py", "models/language/provider.py", "models/language/structured.py"),
    *("models/registry.py", "memory/vectors.py", "workbench/labelled/__init__.py"),
)
# Mistakes of whoever calls the functions from Python, or of the command line: the page never makes them.
NOT_ON_THE_PAGE = re.compile(
    r"listens on 127|a port is a number|are all taken|must be a string|limit must be|number of messages"
    r"|before and after must|k must be|is a date such as|`about` names|derived must be|is no sender"
    r"|attachment can't|from .* scope|can't be written from|is shared\. Open|belongs to the shared"
    r"|may not write core|is no core block|belongs to a user|No line|still open|stands in a dataset\.toml"
    r"|a vector must|need as many vectors|no embedder yet|no data set|not shipped|has no parts|is a file of"
    r"|made a 7, which is no|^7 It may have been cut off"  # the last is JSON, in two parts
)


JSON = "7 is not whole JSON: line 7, column 7: 7. It may have been cut off; fetch it again."


def sentences() -> Iterator[tuple[str, str]]:
    """Where each error of the engine is raised, and its sentence with a 7 for each field."""
    for place in REACHED:
        path = ROOT / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                for said in _said(node, file.name):
                    if len(re.sub(r"\W|7", "", said)) > 3:
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", said  # type: ignore[attr-defined]


def _said(node: ast.AST, file: str) -> list[str]:
    raised = node.exc if isinstance(node, ast.Raise) else None
    if isinstance(raised, ast.Call) and isinstance(raised.func, ast.Name) and raised.args:
        return [_filled(raised.args[0])] if raised.func.id in NAMES else []
    # Sentences that are put together in a function of their own.
    apart = file in ("failures.py", "registry.py", "node_reader.py")
    if apart and isinstance(node, ast.Return) and node.value is not None:
        value = node.value
        if isinstance(value, ast.Call) and value.args:
            value = value.args[0]
        if isinstance(value, ast.JoinedStr):
            return [_filled(value)]
    return []


def _filled(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "7"
            for part in node.values
        )
    if isinstance(node, ast.BinOp):
        return _filled(node.left) + _filled(node.right)
    return "7"


@cache
def found() -> list[tuple[str, str]]:
    return list(sentences())


def test_every_sentence_of_the_engine_is_told_in_chinese() -> None:
    table = faults("zh")
    assert table is not None
    lacking = [
        (place, said)
        for place, said in found()
        if table.line(said) is None and not NOT_ON_THE_PAGE.search(said)
    ]

    assert len(found()) > 120
    assert not lacking


def test_no_line_of_the_table_is_stale() -> None:
    table = faults("zh")
    assert table is not None
    said = [
        *(one for _, one in found()),
        "7 needs an optional package. Install it with: pip install 'echovessel[7]'",
        # Put together from two parts, or a part of another.
        JSON,
        "The answer broke off after 7 characters. 7",
        "7 is no date. Write it as 2026-03-02.",
        "7, setting '7': 7.",
        "No provider is known for the model '7'. Write it as provider/model, such as openai/gpt-5-mini or "
        "ollama_chat/qwen3, or set `base_url` to a server of your own.",
    ]
    used = {table.line(one) for one in said}

    assert not [line.engine for line in table.lines if line not in used]


def test_every_line_is_chinese_and_fills_in_only_what_the_engine_says() -> None:
    table = faults("zh")
    assert table is not None
    for line in table.lines:
        assert HAN.search(line.told), line.engine
        assert set(re.findall(r"{(\w+)}", line.told)) <= set(re.findall(r"{(\w+)}", line.engine)), line.engine


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_sentence_that_is_not_in_the_table_is_told_by_its_kind(kind: type[EchoVesselError]) -> None:
    fault = kind("a new thing", "x") if kind.__name__ == "MissingExtra" else kind("the moon is full today")
    told = in_words(fault, "zh")

    assert HAN.search(told)
    assert kind.__name__ == "MissingExtra" or "the moon is full today" in told


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (InputError("impact must lie between -10 and 10, found 11."), "分量要在 -10 到 10 之间，现在是 11。"),
        (
            InputError("occurred_to (2026-03-01) lies before occurred_from (2026-03-02)."),
            "发生的结束日（2026-03-01）早于开始日（2026-03-02）。请改好其中一个。",
        ),
        (StoreBusy("/m/memory.db is locked by another process. Wait for it to finish, or close it."), "占用"),
        (StoreFull("No space left for /m/a.db. Free some; the last change was not kept."), "磁盘满了"),
        (
            StoreReadOnly("/m can't be made: Permission denied. Choose another folder."),
            "/m 建不了：没有权限。请换一个文件夹。",
        ),
        (
            ModelError("The answer broke off after 9 characters. There is no connection to http://x. See "
                       "whether it is running and reachable."),
            "回答说了 9 个字符后断了。连不上 http://x。请看看它是否在运行、能否访问。",
        ),
        ("'soon' is no date. Write it as 2026-03-02.", "“soon”不是日期。请写成 2026-03-02 这样。"),
    ],
)  # fmt: skip
def test_what_the_engine_fills_in_is_filled_in_again(fault: EchoVesselError | str, told: str) -> None:
    assert told in in_words(fault, "zh")


def test_the_english_page_says_it_in_the_engines_words() -> None:
    assert in_words(InputError("a node needs a text."), "en") == "A node needs a text."


def test_tags_in_what_was_typed_stay_text() -> None:
    from echovessel.workbench.app.show.parts import failure
    from echovessel.workbench.app.words import Words

    shown = failure(Words("zh"), InputError("'<b>x</b>{0}' is no date. Write it as 2026-03-02."))

    assert "<b>" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;{0}" in shown
