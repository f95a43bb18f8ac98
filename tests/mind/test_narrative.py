"""The self-narrative may change only slowly; every number here is counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, NodeKind, Origin, Source
from echovessel.mind import narrative


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0.0),
        ("abcde", "abcde", 0.0),
        ("abcde", "abXde", 1 / 5),
        ("abcd", "abcde", 1 / 5),  # appending is a change of one in five
        ("", "ab", 1.0),
        ("e\u0301te", "\u00e9te", 0.0),  # the same after NFC
        ("我👨‍👩‍👧", "我👨‍👩‍👦", 1 / 2),  # a family is one grapheme
        ("我喜欢修磁带", "我喜欢修唱片", 2 / 6),
    ],
)
def test_the_distance_of_two_texts(one: str, other: str, distance: float) -> None:
    assert narrative.distance(one, other) == pytest.approx(distance)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_distance_is_symmetric_and_in_range(one: str, other: str) -> None:
    found = narrative.distance(one, other)

    assert 0.0 <= found <= 1.0
    assert found == pytest.approx(narrative.distance(other, one))


def write(memory: Memory, text: str) -> None:
    said = memory.nodes.add(NewNode("Mei came by"))
    last = narrative.current(memory)
    memory.nodes.add(narrative.version(memory, text, last, Origin.REFLECTION, (Source(node=said.id),)))


def test_versions_follow_one_another_and_the_drift_from_the_first_shows(memory: Memory) -> None:
    assert narrative.drift(memory) == 0.0
    write(memory, "abcdefghij")
    write(memory, "abcdefghiX")
    write(memory, "abcdefghYX")

    current = narrative.current(memory)
    assert current is not None
    assert current.text == "abcdefghYX"
    assert narrative.drift(memory) == pytest.approx(2 / 10)
    assert [node.text[-2:] for node in memory.nodes.history(current.id)] == ["ij", "iX", "YX"]


def test_a_first_version_is_free_but_short_and_a_later_one_close(memory: Memory) -> None:
    assert narrative.refusal("a" * 400, None, limit=0.2) == ""
    assert "400" in narrative.refusal("a" * 401, None, limit=0.2)
    write(memory, "a" * 10)
    last = narrative.current(memory)
    assert narrative.refusal("a" * 8 + "bb", last, limit=0.2) == ""
    assert "20%" in narrative.refusal("a" * 7 + "bbb", last, limit=0.2)
    assert "20%" in narrative.refusal("a" * 13, last, limit=0.2)


def test_it_is_no_thought_of_another_kind(memory: Memory) -> None:
    write(memory, "I mend tapes.")

    (node,) = memory.nodes.list(kinds=[NodeKind.THOUGHT])
    assert (node.subject, node.attribute) == ("persona", "self-narrative")
