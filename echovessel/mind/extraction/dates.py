"""The days of a memory: our reading of the phrase first, a model's own only where nothing contradicts it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from echovessel.mind.extraction.quotes import stands_in
from echovessel.mind.extraction.schema import Event, Expectation, Promise
from echovessel.mind.extraction.talk import Line
from echovessel.mind.extraction.when import Lean, Window, choose, read


def days_of(
    item: Event | Promise | Expectation, lines: Sequence[Line], lean: Lean
) -> tuple[Window | None, str]:
    """When it happens, and why days that the model gave were left out.

    Parameters
    ----------
    lines : sequence of Line
        The messages it rests on; a phrase is counted from the day of the one that holds it.
    lean : ``"past"`` or ``"future"``
        Which way a phrase such as "on Friday" points.
    """
    proposed, rule = _proposed(item.first_day, item.last_day)
    if rule:
        proposed = None
    if not item.when:
        if proposed is None:
            return None, rule
        if all(proposed.meets(Window(line.said, line.said)) and _short(proposed) for line in lines):
            return proposed, ""
        return None, "no words say when"
    line = next((line for line in lines if stands_in(item.when, line.message.text)), None)
    if line is None:
        return None, "the words that say when don't stand in its messages"
    reading = read(item.when, line.said)
    if reading is None:
        return proposed, rule
    window = choose(reading, line.said, lean=lean, proposed=proposed)
    return window, "" if window else "the model's days contradict the words"


def _proposed(first: date | None, last: date | None) -> tuple[Window | None, str]:
    if first is None and last is None:
        return None, ""
    begin = first or last
    end = last or first
    assert begin is not None
    assert end is not None
    return (Window(begin, end), "") if begin <= end else (None, "its last day lies before its first")


def _short(window: Window) -> bool:
    return window.first is not None and window.first == window.last
