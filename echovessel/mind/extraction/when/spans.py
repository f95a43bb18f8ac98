"""Stretches of days, and the ways a phrase may leave open which one is meant."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Window:
    """Days from the first to the last, both included; either end may be open."""

    first: date | None
    last: date | None

    def meets(self, other: Window) -> bool:
        """Whether the two share a day."""
        return (self.first or date.min) <= (other.last or date.max) and (other.first or date.min) <= (
            self.last or date.max
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase may mean.

    Attributes
    ----------
    windows : tuple of Window
        At least one.
    cyclic : bool
        They are turns of one thing that comes again, such as a bare "Friday": the tense of what is told decides.
        Else the likeliest stands first.
    """

    windows: tuple[Window, ...]
    cyclic: bool = False


def one(first: date, last: date | None = None) -> Reading:
    """A phrase that leaves nothing open; a single day when `last` is left out."""
    return Reading((Window(first, last or first),))


def ranked(*windows: Window) -> Reading:
    """The likeliest first."""
    return Reading(tuple(dict.fromkeys(windows)))


def cycle(make: Callable[[int], Window | None], turns: Iterable[int]) -> Reading | None:
    """The turns of something that comes again."""
    found = tuple(window for turn in turns if (window := make(turn)) is not None)
    return Reading(found, cyclic=True) if found else None


def single(window: Window | None) -> Reading | None:
    """A reading of one window, if there is one."""
    return None if window is None else Reading((window,))


def day(year: int, month: int, number: int) -> Window | None:
    """A day of the calendar; None where there is no such day."""
    try:
        found = date(year, month, number)
    except ValueError:
        return None
    return Window(found, found)


def week(said: date, away: int = 0) -> Window:
    """The week, Monday to Sunday, so many weeks away."""
    monday = said - timedelta(days=said.weekday()) + timedelta(weeks=away)
    return Window(monday, monday + 6 * DAY)


def weekday(said: date, number: int, away: int = 0) -> Window:
    """A day of the week (Monday is 0) in the week so many weeks away."""
    found = said + timedelta(days=number - said.weekday(), weeks=away)
    return Window(found, found)


def weekend(said: date, away: int = 0) -> Window:
    """Saturday and Sunday of the week so many weeks away."""
    saturday = said + timedelta(days=5 - said.weekday(), weeks=away)
    return Window(saturday, saturday + DAY)


def month_of(said: date, away: int = 0) -> tuple[int, int]:
    """Year and month, so many months away."""
    years, months = divmod(said.year * 12 + said.month - 1 + away, 12)
    return years, months + 1


def month(year: int, number: int, part: str = "") -> Window | None:
    """A month, or a part of it.

    ``start`` and ``end`` are its first and last seven days; ``early``, ``mid`` and ``late`` its thirds.
    """
    if not (1 <= number <= 12 and 1 <= year <= 9998):
        return None
    length = monthrange(year, number)[1]
    first, last = {
        "": (1, length),
        "start": (1, 7),
        "early": (1, 10),
        "mid": (11, 20),
        "late": (21, length),
        "end": (length - 6, length),
    }[part]
    return Window(date(year, number, first), date(year, number, last))


def year(number: int, part: str = "") -> Window | None:
    """A year, or a part of it; ``start`` and ``end`` are its first and last month, ``mid`` June and July."""
    if not 1 <= number <= 9998:
        return None
    first, last = {
        "": (1, 12),
        "start": (1, 1),
        "early": (1, 3),
        "mid": (6, 7),
        "late": (10, 12),
        "end": (12, 12),
        "half1": (1, 6),
        "half2": (7, 12),
    }[part]
    return Window(date(number, first, 1), date(number, last, monthrange(number, last)[1]))


SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def season(number: int, name: str) -> Window | None:
    """Three months from March, June, September or December of that year."""
    start = SEASONS[name]
    if not 1 <= number <= 9997:
        return None
    ends, month_number = (number + 1, 2) if start == 12 else (number, start + 2)
    return Window(date(number, start, 1), date(ends, month_number, monthrange(ends, month_number)[1]))


def nth_weekday(year_number: int, month_number: int, number: int, nth: int) -> date:
    """The nth Monday (0) to Sunday (6) of a month."""
    first = date(year_number, month_number, 1)
    return first + timedelta(days=(number - first.weekday()) % 7, weeks=nth - 1)


def away(said: date, count: int, unit: str) -> Reading | None:
    """So many days, weeks, months or years from a day, with the precision of the unit.

    "Three days ago" is a day, "two weeks ago" the week around that day, "two months ago" the month.
    """
    try:
        if unit == "day":
            return one(said + timedelta(days=count))
        if unit == "week":
            return Reading((week(said, count),))
        if unit == "month":
            return single(month(*month_of(said, count)))
        return single(year(said.year + count))
    except OverflowError:
        return None


def through(left: Reading, right: Reading) -> Reading | None:
    """From the beginning of one to the end of another: each start with the first end that follows it."""
    ends = sorted(window.last for window in right.windows if window.last)
    found = []
    for window in left.windows:
        if window.first is None:
            continue
        later = next((end for end in ends if end >= window.first), None)
        if later is not None:
            found.append(Window(window.first, later))
    return Reading(tuple(found), cyclic=left.cyclic) if found else None
