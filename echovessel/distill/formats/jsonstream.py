"""JSON read piece by piece, so that an export of any size fits into memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ijson

from echovessel.distill.archive import Report
from echovessel.distill.source import Source
from echovessel.errors import FormatError


def items(source: Source, member: str, prefix: str, report: Report) -> Iterator[Any]:
    """The values under a path such as ``messages.item``, one at a time.

    A file that is cut off or broken gives what stands before the break, and the report says where it ends; one that is
    broken before the first value raises `FormatError`.
    """
    given = 0
    with source.bytes(member) as stream:
        try:
            for value in ijson.items(stream, prefix, use_float=True):
                given += 1
                yield value
        except ijson.JSONError as error:
            why = str(error).split("\n", 1)[0].strip()
            if not given:
                raise FormatError(
                    f"{source.path}: {member} is no whole JSON: {why}. Export it again."
                ) from error
            report.skip(f"after item {given}", f"the file is broken there ({why})")


def opening(source: Source, member: str, *, events: int = 400) -> dict[str, Any]:
    """The first scalar values and containers of a JSON file by their path, to tell a format by.

    Reads only the beginning. Containers are told by the paths of what is in them: ``messages.item.date``.
    """
    found: dict[str, Any] = {}
    with source.bytes(member) as stream:
        try:
            for count, (prefix, event, value) in enumerate(ijson.parse(stream, use_float=True)):
                if event in ("start_array", "start_map"):
                    found.setdefault(prefix, event)
                elif event not in ("map_key", "end_map", "end_array"):
                    found.setdefault(prefix, value)
                if count >= events:
                    break
        except ijson.JSONError:
            return found
    return found


def json_object(text: str) -> dict[str, Any] | None:
    """A JSON object from a line of text; None where it is none, or not whole."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
