"""What a node must hold before it is stored."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum
from typing import TypeVar

from echovessel.errors import InputError
from echovessel.memory.engine import Value
from echovessel.memory.records import (
    NewNode,
    NodeKind,
    NodeStatus,
    Origin,
    RelationalTag,
    Scope,
    ScopeKind,
    Subject,
)
from echovessel.text import clean

MAX_ATTRIBUTE = 64
# Kinds that stay open until something becomes of them.
OPEN_ENDED = frozenset({NodeKind.INTENTION, NodeKind.EXPECTATION})
# Whoever writes from nothing but their own knowledge; all others must show a source.
UNSOURCED = frozenset({Origin.IMPORT, Origin.PERSON})

_E = TypeVar("_E", bound=StrEnum)


def columns_of(new: NewNode, scope: Scope) -> dict[str, Value]:
    """The checked columns of a new node, but for its ids and times.

    Raises
    ------
    InputError
        The first thing wrong with it.
    """
    kind, subject = member(NodeKind, new.kind, "kind"), member(Subject, new.subject, "subject")
    origin = member(Origin, new.origin, "origin")
    if not new.sources and origin not in UNSOURCED:
        raise InputError(f"A node of origin {origin} needs a source: a message or another node it rests on.")
    if scope.kind is ScopeKind.SHARED and origin not in UNSOURCED:
        raise InputError(f"The shared scope is written by people and imports only, not by {origin}.")
    if kind is NodeKind.INTENTION and subject is not Subject.PERSONA:
        raise InputError(
            f"The subject of an intention is the persona, found {subject}: it is the persona's promise."
        )
    if new.about is not None and subject is not Subject.OTHER:
        raise InputError(
            f"`about` names a third party, so the subject must be {Subject.OTHER}, found {subject}."
        )
    ordered(new.occurred_from, new.occurred_to, "occurred")
    ordered(new.valid_from, new.valid_to, "valid")
    return {
        "kind": kind,
        "subject": subject,
        "about": new.about,
        "attribute": attribute_key(new.attribute),
        "text": written(new.text),
        "impact": within(new.impact, -10.0, 10.0, "impact"),
        "emotions": words(new.emotions),
        "tags": tags(new.tags),
        "occurred_from": day(new.occurred_from, "occurred_from"),
        "occurred_to": day(new.occurred_to, "occurred_to"),
        "valid_from": day(new.valid_from, "valid_from"),
        "valid_to": day(new.valid_to, "valid_to"),
        "due_on": day(new.due_on, "due_on"),
        "status": status(new.status, kind),
        "confidence": within(new.confidence, 0.0, 1.0, "confidence"),
        "pinned": int(new.pinned),
        "origin": origin,
    }


def member(kind: type[_E], value: str, what: str) -> _E:
    """The member of a closed list, also from its plain text."""
    try:
        return kind(value)
    except ValueError as error:
        raise InputError(f"{value!r} is no {what}. Use one of: {', '.join(kind)}.") from error


def written(text: str) -> str:
    """The text of a node, cleaned; it must say something."""
    cleaned = clean(text).strip()
    if not cleaned:
        raise InputError("a node needs a text.")
    return cleaned


def attribute_key(text: str) -> str:
    """The short key of what a fact is about, such as ``workplace``: lower case, single spaces."""
    key = " ".join(clean(text).casefold().split())
    if len(key) > MAX_ATTRIBUTE:
        raise InputError(f"attribute is a short key of at most {MAX_ATTRIBUTE} characters, found {len(key)}.")
    return key


def within(number: float, low: float, high: float, what: str) -> float:
    """A finite number in a range."""
    if not (math.isfinite(number) and low <= number <= high):
        raise InputError(f"{what} must lie between {low:g} and {high:g}, found {number}.")
    return float(number)


def words(texts: Iterable[str]) -> str:
    """Emotion tags as they are stored, each once."""
    return json.dumps(
        list(dict.fromkeys(word for text in texts if (word := clean(text).strip()))), ensure_ascii=False
    )


def tags(values: Iterable[RelationalTag]) -> str:
    """Relational tags as they are stored, each once."""
    return json.dumps(list(dict.fromkeys(member(RelationalTag, value, "relational tag") for value in values)))


def day(value: date | None, what: str) -> str | None:
    """A date as it is stored. A moment is none: whose day it falls on depends on the zone."""
    if value is None:
        return None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise InputError(f"{what} is a date such as date(2026, 3, 1), found {value!r}.")
    return value.isoformat()


def ordered(first: date | None, last: date | None, what: str) -> None:
    """Refuse a stretch of days that ends before it begins."""
    day(first, f"{what}_from")
    day(last, f"{what}_to")
    if first is not None and last is not None and last < first:
        raise InputError(f"{what}_to ({last}) lies before {what}_from ({first}).")


def status(value: NodeStatus | None, kind: NodeKind) -> NodeStatus | None:
    """Where a promise or expectation stands, open to begin with; other kinds stand nowhere."""
    if kind in OPEN_ENDED:
        return NodeStatus.OPEN if value is None else member(NodeStatus, value, "status")
    if value is not None:
        raise InputError(f"Only intentions and expectations have a status; this is one of kind {kind}.")
    return None
