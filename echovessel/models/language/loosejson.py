"""The JSON object in a model's answer, as far as it came whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_CLOSERS = {"{": "}", "[": "]"}
# JSON has no NaN; a number that is none must not slip through as a float.
_DECODER = json.JSONDecoder(parse_constant=lambda name: None)


@dataclass(frozen=True, slots=True)
class Found:
    """An object read from an answer.

    Attributes
    ----------
    value : dict
    lost : tuple of str
        Where an answer that was cut off stopped, and that it did: ``events.3: the answer was cut off here``.
    emptied : bool
        What was cut off was the first item of its list.
    """

    value: dict[str, Any]
    lost: tuple[str, ...] = ()
    emptied: bool = False


def find_object(text: str, *, keys: frozenset[str], cut: bool = False) -> Found | None:
    """The object that an answer holds, or None.

    Parameters
    ----------
    text : str
        May hold code fences, thinking aloud in tags and prose around the object.
    keys : frozenset of str
        The object wanted has one of these at least, or is empty: an example or an inner object isn't taken for it. An
        object that wraps it under a single key is opened.
    cut : bool
        The token limit cut the answer off.

    Notes
    -----
    An item that was being written when the answer stopped is no fact, however well it reads: the outermost list that
    was open loses it. With no list open, the object loses that field.
    """
    best: tuple[tuple[int, int], Found] | None = None
    for found in _objects(_THINKING.sub("", text), cut=cut):
        value = _opened(found.value, keys)
        if value is None:
            continue
        rank = (len(value.keys() & keys), len(str(value)))
        if best is None or rank > best[0]:
            best = rank, Found(value, found.lost, found.emptied)
    return best[1] if best else None


def _objects(text: str, *, cut: bool) -> Iterator[Found]:
    """The outermost objects of a text; broken ones mended, the last one trimmed where it stops halfway."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
            yield Found(value)
        except (ValueError, RecursionError):
            brackets = _Brackets(text[at:])
            end = at + brackets.end
            body = text[at:end]
            if brackets.open and (cut or _stops(body)):
                found = _trimmed(body, brackets) or _mended(body, cut=True)
            else:
                found = _mended(body, cut=False)
            if found is not None:
                yield found
        at = text.find("{", end)


def _opened(value: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    """The value if it is the object wanted, else what it wraps, else None."""
    if not value or value.keys() & keys:
        return value
    inner = next(iter(value.values()))
    return inner if len(value) == 1 and isinstance(inner, dict) and inner.keys() & keys else None


@dataclass(slots=True)
class _Open:
    """A bracket not closed yet: where its last whole member ends, and the key being written in it."""

    bracket: str
    whole: int
    key: str = ""


class _Brackets:
    """The object that a text begins with: where it ends, and what is open there if the text stops before."""

    def __init__(self, text: str) -> None:
        self.open: list[_Open] = []
        self.end = len(text)
        quoted, begin, string, at = False, 0, "", 0
        while at < len(text):
            character = text[at]
            if quoted:
                if character == "\\":
                    at += 1
                elif character == '"':
                    quoted, string = False, text[begin:at]
            elif character == '"':
                quoted, begin = True, at + 1
            elif character in "{[":
                self.open.append(_Open(character, at + 1))
            elif character == ":":
                self.open[-1].key = string
            elif character == ",":
                self.open[-1].whole, self.open[-1].key = at, ""
            elif character in "}]":
                self.open.pop()
                if not self.open:
                    self.end = at + 1
                    return
                self.open[-1].whole, self.open[-1].key = at + 1, ""
            at += 1


def _stops(body: str) -> bool:
    """Whether an object with open brackets was cut off, though nobody says so, or lacks a bracket or a quote mark."""
    _, brace, rest = body.rpartition("}")
    return not brace or '"' in rest


def _trimmed(body: str, brackets: _Brackets) -> Found | None:
    """An object that stops halfway, up to its last whole item, if all before is valid JSON."""
    depth = next((at for at, one in enumerate(brackets.open) if one.bracket == "["), 0)
    kept, last = brackets.open[: depth + 1], brackets.open[depth]
    try:
        value = _DECODER.decode(body[: last.whole] + "".join(_CLOSERS[one.bracket] for one in reversed(kept)))
    except (ValueError, RecursionError):
        return None
    if not value:
        return None
    rest = body[last.whole :].lstrip(" \t\r\n,")
    if last.bracket == "{" and not rest.startswith('"'):
        return Found(value)  # only the last bracket is missing
    place, items = [one.key for one in kept if one.key], value
    for one in kept[:-1]:
        items = items[one.key]
    if last.bracket == "[":
        place.append(str(len(items)))
    return Found(value, (_cut(place),), emptied=last.bracket == "[" and not items)


def _mended(body: str, *, cut: bool) -> Found | None:
    """An object with slips of notation; of a cut one the last item goes."""
    from json_repair import repair_json  # seldom needed, and slow to load

    try:
        # What follows the last bracket is prose, which the mender would read as more of the object.
        value = repair_json(body if cut else body[: body.rfind("}") + 1] or body, return_objects=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    if not cut:
        return Found(value)
    place: list[str] = []
    here: Any = value
    while isinstance(here, dict) and here:
        place.append(next(reversed(here)))
        here = here[place[-1]]
    if isinstance(here, list) and here:
        here.pop()
        return Found(value, (_cut([*place, str(len(here))]),), emptied=not here)
    del value[place[0]]
    return Found(value, (_cut(place[:1]),))


def _cut(place: list[str]) -> str:
    return f"{'.'.join(place) or 'the end'}: the answer was cut off here"
