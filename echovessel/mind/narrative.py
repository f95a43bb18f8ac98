"""The self-narrative: who the persona is becoming, one versioned thought that may change only slowly."""

from __future__ import annotations

import unicodedata

import regex
from rapidfuzz.distance import Levenshtein

from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node, NodeKind, Origin, Source, Subject

ATTRIBUTE = "self-narrative"
FIRST_LONGEST = 400
_GRAPHEME = regex.compile(r"\X")


def distance(one: str, other: str) -> float:
    """How much of a text another changes, from 0 to 1.

    Levenshtein distance over graphemes after NFC, divided by the longer length; appending counts like any change.
    """
    a, b = (_GRAPHEME.findall(unicodedata.normalize("NFC", text)) for text in (one, other))
    return Levenshtein.distance(a, b) / max(len(a), len(b), 1)


def current(memory: Memory) -> Node | None:
    """The version that holds in this scope."""
    found = memory.nodes.list(kinds=[NodeKind.THOUGHT], attribute=ATTRIBUTE)
    return next((node for node in found if node.scope == memory.context.scope), None)


def drift(memory: Memory) -> float:
    """How far the current version is from the first, from 0 to 1; 0 with none."""
    node = current(memory)
    if node is None:
        return 0.0
    return distance(memory.nodes.history(node.id)[0].text, node.text)


def refusal(text: str, last: Node | None, *, limit: float) -> str:
    """The rule that keeps a new version from being written; empty where none does."""
    if last is None:
        graphemes = len(_GRAPHEME.findall(unicodedata.normalize("NFC", text)))
        return "a first self-narrative longer than 400 characters" if graphemes > FIRST_LONGEST else ""
    if distance(last.text, text) > limit:
        return f"a self-narrative that changes more than {limit:.0%} of the last"
    return ""


def version(
    memory: Memory, text: str, last: Node | None, origin: Origin, sources: tuple[Source, ...]
) -> NewNode:
    """The new version, taking the place of the last."""
    return NewNode(
        text.strip(),
        kind=NodeKind.THOUGHT,
        subject=Subject.PERSONA,
        attribute=ATTRIBUTE,
        origin=origin,
        known_at=memory.context.clock.now(),
        sources=sources,
        supersedes=(last.id,) if last is not None else (),
    )
