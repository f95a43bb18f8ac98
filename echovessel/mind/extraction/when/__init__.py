"""When: a phrase such as 上周三 or "the Friday after next", resolved against the day it was said.

The rules are our own. Of the phrases in the tests' table jionlp dates 57 of the 88 Chinese ones so (not 月底, 上个月 or
traditional characters) and prints when imported; dateparser 23 of the 85 English ones and 12 of the Chinese. Neither
knows the tense of what is told. Where the rules don't know a phrase, what a model worked out may stand.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from echovessel.mind.extraction.when import chinese, english
from echovessel.mind.extraction.when.spans import Reading, Window
from echovessel.text import is_han

__all__ = ["Lean", "Reading", "Window", "choose", "read", "resolve"]

Lean = Literal["past", "future"]
MAX_LENGTH = 60


def read(phrase: str, said: date) -> Reading | None:
    """What a phrase may mean, in Chinese or English; None where the rules don't know it."""
    if not phrase.strip() or len(phrase) > MAX_LENGTH:
        return None
    return chinese.read(phrase, said) if any(map(is_han, phrase)) else english.read(phrase, said)


def resolve(
    phrase: str, said: date, *, lean: Lean | None = None, proposed: Window | None = None
) -> Window | None:
    """The days that a phrase means.

    Parameters
    ----------
    phrase : str
        As it was said.
    said : date
        The day on which it was said, where the speaker lives.
    lean : ``"past"`` or ``"future"``, optional
        The tense of what is told, for phrases that leave it open: "on Friday".
    proposed : Window, optional
        Days that a model worked out; they decide between the readings of an open phrase, and nothing else.

    Returns
    -------
    Window or None
        None where the rules don't know the phrase, or `proposed` agrees with none of several readings.
    """
    found = read(phrase, said)
    return None if found is None else choose(found, said, lean=lean, proposed=proposed)


def choose(reading: Reading, said: date, *, lean: Lean | None, proposed: Window | None) -> Window | None:
    """One of the windows that a phrase leaves open; see `resolve`."""
    windows = reading.windows
    if len(windows) == 1:
        return windows[0]
    if proposed is not None:
        return next((window for window in windows if window.meets(proposed)), None)
    if not reading.cyclic:
        return windows[0]
    past = [window for window in windows if window.first is None or window.first <= said]
    coming = [window for window in windows if window.last is None or window.last >= said]
    if lean == "past" and past:
        return past[-1]
    if lean == "future" and coming:
        return coming[0]
    return min(windows, key=lambda window: _distance(window, said))


def _distance(window: Window, said: date) -> int:
    first, last = window.first or said, window.last or said
    return max((first - said).days, (said - last).days, 0)
