"""A set is read by its manifest, and a manifest that is wrong says where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echovessel.errors import FormatError
from echovessel.samples.conversation import Conversation
from echovessel.samples.manifest import Manifest, read_set

ENTRY = (
    '[[conversation]]\nid = "{id}"\npath = "{id}.json"\nlanguage = "en"\nkind = "solo"\nsplit = "{split}"\n'
)
HEAD = 'name = "small"\nversion = "1.0"\nlicence = "CC-BY-4.0"\n'


@pytest.fixture
def manifest(tmp_path: Path, small: dict[str, Any]) -> Path:
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps({**small, "id": name}), encoding="utf-8")
    path = tmp_path / "dataset.toml"
    path.write_text(HEAD + ENTRY.format(id="b", split="tuning") + ENTRY.format(id="a", split="reporting"))
    return path


def change(manifest: Path, old: str, new: str) -> Path:
    text = manifest.read_text()
    assert old in text
    manifest.write_text(text.replace(old, new, 1))
    return manifest


def test_a_set_is_read_in_the_order_of_its_manifest(manifest: Path) -> None:
    assert [talk.id for talk in read_set(manifest)] == ["b", "a"]
    assert [talk.id for talk in read_set(manifest, split="reporting")] == ["a"]


def test_a_sample_lies_in_the_package(manifest: Path) -> None:
    change(
        manifest,
        'id = "b"\npath = "b.json"\nlanguage = "en"',
        'id = "lin"\nsample = "lin.json"\nlanguage = "zh"',
    )

    assert [talk.id for talk in read_set(manifest, split="tuning")] == ["lin"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('version = "1.0"\n', "", "field version: Field required"),
        ('name = "small"', "name = small", "is not TOML"),
        ('split = "tuning"', 'split = "training"', "field conversation.0.split"),
        ('path = "b.json"\n', "", "b needs either a path or a sample"),
        ('path = "b.json"', 'path = "b.json"\nsample = "lin.json"', "b needs either a path or a sample"),
        ('kind = "solo"\n', 'kind = "solo"\nnote = ""\n', "field conversation.0.note: Extra inputs"),
        ('path = "b.json"', 'path = "c.json"', "c.json can't be read"),
        ('id = "b"', 'id = "c"', "b.json has id 'b', but the manifest says 'c'"),
        ('language = "en"', 'language = "zh"', "b.json has language 'en', but the manifest says 'zh'"),
        ('kind = "solo"', 'kind = "group"', "b.json has kind 'solo', but the manifest says 'group'"),
    ],
)
def test_a_fault_is_named(manifest: Path, old: str, new: str, expected: str) -> None:
    with pytest.raises(FormatError, match=r"(?s).") as caught:
        read_set(change(manifest, old, new))

    assert expected in str(caught.value)


def test_a_manifest_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="can't be read"):
        Manifest.read(tmp_path / "dataset.toml")


def test_a_set_with_a_broken_label_is_refused(manifest: Path, small: dict[str, Any]) -> None:
    small["queries"][0]["answer"] = ""
    (manifest.parent / "b.json").write_text(json.dumps({**small, "id": "b"}), encoding="utf-8")

    with pytest.raises(FormatError, match=r"b\.json has 1 faults in its labels, the first: b: query q1"):
        read_set(manifest)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"id": "b"', "line 1: Expecting"),
        (b"\xff\xfe{}", "is not UTF-8 text (byte 0)"),
        (b"[]", "field (top): Input should be"),
        (b'{"id": "b", "mood": 1}', "field title: Field required"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: bytes, expected: str) -> None:
    file = tmp_path / "b.json"
    file.write_bytes(content)

    with pytest.raises(FormatError) as caught:
        Conversation.read(file)

    assert expected in str(caught.value)
