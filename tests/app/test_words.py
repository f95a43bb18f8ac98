"""One table of strings: every key in both languages, none missing, none unused."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import echovessel.workbench.app
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.result import RULES
from echovessel.memory.recall.weights import KINDS, preset_names
from echovessel.memory.records import CoreLabel, NodeStatus, Origin, RelationalTag
from echovessel.workbench.app.show.layers import LAYERS
from echovessel.workbench.app.words import LANGUAGES, Words, preferred, table

SOURCE = "\n".join(
    path.read_text("utf-8") for path in Path(echovessel.workbench.app.__path__[0]).rglob("*.py")
)


def families() -> list[str]:
    """Beginnings of keys that are put together while the program runs, such as ``kind_``."""
    put_together = re.findall(r"words\(\s*f\"(\w+_)\{", SOURCE) + re.findall(r"f\"(\w+_)\{\w+\}\"", SOURCE)
    return [*put_together, *(f"{key}_" for key in re.findall(r"or_same\(\"(\w+)\"", SOURCE))]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_stands_in_both_languages() -> None:
    lacking = [
        key
        for key, texts in table().items()
        if set(texts) != set(LANGUAGES) or not all(text.strip() for text in texts.values())
    ]

    assert not lacking


def test_both_languages_fill_in_the_same_fields() -> None:
    assert not [key for key, texts in table().items() if fields(texts["en"]) != fields(texts["zh"])]


def test_chinese_texts_are_chinese() -> None:
    plain = {key for key, texts in table().items() if not re.search(r"[\u4e00-\u9fff]", texts["zh"])}

    assert plain == {"other_language", "path_hint"}


def test_no_text_is_unused() -> None:
    named = set(re.findall(r"[\"'](\w+)[\"']", SOURCE))
    unused = [key for key in table() if key not in named and not key.startswith(tuple(families()))]

    assert not unused


def test_no_text_is_missing() -> None:
    named = set(re.findall(r"words\(\s*\"(\w+)\"", SOURCE)) | set(
        re.findall(r"empty\(words, \"(\w+)\"", SOURCE)
    )

    assert len(named) > 80
    assert not named - set(table())


@pytest.mark.parametrize(
    ("family", "members"),
    [
        ("kind", KINDS),
        ("factor", FACTORS),
        ("rule", RULES),
        ("status", NodeStatus),
        ("origin", Origin),
        ("tag", RelationalTag),
        ("core", CoreLabel),
        ("layer", LAYERS),
        ("asks", LAYERS),
        ("about", LAYERS),
        ("preset", preset_names()),
    ],
)
def test_every_member_of_a_closed_list_has_its_word(family: str, members: tuple[str, ...]) -> None:
    missing = [member for member in members if f"{family}_{member.replace('-', '_')}" not in table()]

    assert not missing


def test_an_unknown_key_is_an_error_and_not_shown() -> None:
    with pytest.raises(KeyError):
        Words("en")("no_such_key")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("de,zh-TW;q=0.5", "zh"),
        ("en;q=0.3, zh;q=0.7", "zh"),
        ("zh;q=0,fr", "en"),
        ("", "en"),
        (";;q=x,,", "en"),
    ],
)
def test_the_browser_chooses_the_language(header: str, language: str) -> None:
    assert preferred(header) == language
