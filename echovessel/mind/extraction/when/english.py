"""English phrases of time: last week, the Friday after next, in a fortnight, the end of next month, May 3-5."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

import regex

from echovessel.mind.extraction.when import spans
from echovessel.mind.extraction.when.holidays import EN
from echovessel.mind.extraction.when.spans import DAY, Reading, Window, cycle, one, ranked, single, through
from echovessel.text import fold

_NUMBERS = {
    **{
        word: count
        for count, word in enumerate(
            [
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
            ],
            1,
        )
    },
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "couple of": 2,
    "a couple": 2,
    "twenty": 20,
    "thirty": 30,
    "fifteen": 15,
}
_N = "(?P<n>[0-9]+|a couple of|couple of|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + ")"
_UNIT = "(?P<unit>day|week|fortnight|month|year)s?"
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        [
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        ]
    )
    for name in names.split()
}
_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ],
        1,
    )
    for name in names.split()
}
_D = "(?P<weekday>" + "|".join(sorted(_WEEKDAYS, key=len, reverse=True)) + ")"
_M = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_DAY = "(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_Y = "(?P<year>[12][0-9]{3})"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_FEAST = "(?P<feast>" + "|".join(sorted(map(regex.escape, EN), key=len, reverse=True)) + ")"
_WHICH = "(?P<which>last|past|this past|this|this coming|next|coming|the coming|current)"
_STEP = {
    "last": -1,
    "past": -1,
    "this past": -1,
    "this": 0,
    "current": 0,
    "this coming": 1,
    "next": 1,
    "coming": 1,
    "the coming": 1,
}
_PART = "(?P<part>early|mid|late|beginning of|start of|middle of|end of)"
_PARTS = {
    "early": "early",
    "mid": "mid",
    "late": "late",
    "beginning of": "start",
    "start of": "start",
    "middle of": "mid",
    "end of": "end",
}

_PART_OF_DAY = regex.compile(
    r"[ ,]*(?:\b(?:in the )?(?:early |late )?(?:morning|afternoon|evening|lunchtime|night)"
    r"|\bat (?:noon|midnight|lunchtime|night|dawn)"
    r"|(?:\bat |\baround )?[0-9]{1,2}(?::[0-9]{2})? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)"
    r"|\bat [0-9]{1,2}(?::[0-9]{2})?)$"
)
_LEADING = regex.compile(
    r"^(?:on|in|at|during|over|around|about|sometime|back in|back|just|only|early|late|the|of|for|starting|due) +"
)


def read(phrase: str, said: date) -> Reading | None:
    """What an English phrase means on the day it is said; None where the rules don't know it."""
    text = fold(phrase).replace("\u2019", "'").strip(" .,!?;:\"'")
    text = " ".join(text.replace(",", " ").split())
    if match := regex.fullmatch(r"(?:ever )?since (.+)", text):
        return _opened(_ranged(match[1], said), last=True)
    if match := regex.fullmatch(r"(?:by|until|till|before|no later than|up to) (.+)", text):
        return _opened(_ranged(match[1], said), last=False)
    return _ranged(text, said)


def _opened(found: Reading | None, *, last: bool) -> Reading | None:
    if found is None:
        return None
    windows = (Window(w.first, None) if last else Window(None, w.last) for w in found.windows)
    return Reading(tuple(windows), found.cyclic)


def _ranged(text: str, said: date) -> Reading | None:
    whole = _plain(text, said)
    if whole is not None:
        return whole
    match = regex.fullmatch(
        r"(?:from |between )?(.+?)(?: to | until | till | through | and | ?[-–—] ?)(.+)", text
    )
    if match is None:
        return None
    left, right = match[1], match[2]
    lefts, rights = [left], [right]
    if found := regex.search(rf"\b{_M}(?: +{_Y})?$", right):  # 3 to 5 May
        lefts.insert(0, f"{left} {found[0]}")
    if found := regex.search(_Y + "$", right):
        lefts.append(f"{left} {found[0]}")
    if found := regex.match(rf"(?:the )?{_M}\b", left):  # May 3 to 5
        rights.insert(0, f"{found[0]} {right}")
    if (found := regex.match(rf"(last|next|this) {_D}$", left)) and regex.fullmatch(_D, right):
        rights.insert(0, f"{found[1]} {right}")
    for begin in lefts:
        begun = _plain(begin, said)
        for end in rights:
            ended = _plain(end, said) if begun is not None else None
            if begun is not None and ended is not None and (both := through(begun, ended)):
                return both
    return None


def _plain(text: str, said: date) -> Reading | None:
    """One phrase; with prepositions and the part of the day taken off where it isn't known as it is."""
    pending, seen = [text], set[str]()
    while pending:
        here = pending.pop(0)
        if not here or here in seen:
            continue
        seen.add(here)
        for rule in _RULES:
            found = rule(here, said)
            if found is not None:
                return found
        pending += [_LEADING.sub("", here), _PART_OF_DAY.sub("", here)]
    return None


def _near(text: str, said: date) -> Reading | None:
    fixed = {
        "just now": 0, "now": 0, "right now": 0, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0,
        "this evening": 0, "earlier today": 0, "later today": 0, "yesterday": -1, "last night": -1, "tomorrow": 1,
        "day before yesterday": -2, "day after tomorrow": 2, "night before last": -2,
    }  # fmt: skip
    if text in fixed:
        return one(said + fixed[text] * DAY)
    if text in ("the other day", "other day", "a few days ago", "several days ago", "few days ago"):
        return one(said - 6 * DAY, said - 2 * DAY)
    if text in ("in a few days", "in several days", "a few days from now"):
        return one(said + 2 * DAY, said + 6 * DAY)
    if text in ("a few weeks ago", "several weeks ago"):
        return one(said - timedelta(weeks=5), said - timedelta(weeks=2))
    if text in ("these days", "past few days", "last few days", "the past few days", "the last few days"):
        return one(said - 3 * DAY, said)
    return None


def _counted(text: str, said: date) -> Reading | None:
    half = regex.fullmatch(r"half a year (ago|from now)|in half a year", text)
    if half:
        return spans.away(said, -6 if half[1] == "ago" else 6, "month")
    for pattern, sign in (
        (rf"{_N} {_UNIT} (?:ago|back)(?P<exact> today)?", -1),
        (rf"in {_N} {_UNIT}(?:'s?)?(?: time)?(?P<exact>(?!))?", 1),
        (rf"{_N} {_UNIT} (?:from now|hence|from (?P<exact>today))", 1),
    ):
        match = regex.fullmatch(pattern, text)
        if match:
            count, unit = sign * _count(match["n"]), match["unit"]
            if unit == "fortnight":
                count, unit = count * 2, "week"
            if match["exact"] and unit == "week":
                count, unit = count * 7, "day"
            return spans.away(said, count, unit)
    return None


def _weeks(text: str, said: date) -> Reading | None:
    text = text.removeprefix("the ")
    if match := regex.fullmatch(rf"(?:{_WHICH} )?(?P<unit>week|weekend)", text):
        make = spans.week if match["unit"] == "week" else spans.weekend
        if match["which"]:
            if match["which"] in ("past", "this past") and match["unit"] == "week":
                return one(said - 7 * DAY, said)
            return single(make(said, _STEP[match["which"]]))
        return (
            cycle(lambda away: spans.weekend(said, away), (-1, 0, 1)) if match["unit"] == "weekend" else None
        )
    if match := regex.fullmatch(r"(week|weekend|month|year) (before last|after next)", text):
        steps = -2 if match[2] == "before last" else 2
        if match[1] in ("week", "weekend"):
            return single((spans.week if match[1] == "week" else spans.weekend)(said, steps))
        return spans.away(said, steps, match[1])
    if match := regex.fullmatch(rf"{_PART} (?:the )?(?:{_WHICH} )?week", text):
        found = spans.week(said, _STEP[match["which"] or "this"])
        assert found.first is not None
        start, end = {"start": (0, 1), "early": (0, 1), "mid": (2, 3), "late": (3, 4), "end": (4, 6)}[
            _PARTS[match["part"]]
        ]
        return one(found.first + start * DAY, found.first + end * DAY)
    return None


def _weekdays(text: str, said: date) -> Reading | None:
    text = text.removeprefix("the ")
    if match := regex.fullmatch(rf"{_D} (before last|after next)", text):
        number, sign = _WEEKDAYS[match["weekday"]], (-1 if match[2] == "before last" else 1)
        near = _nearest(said, number, sign)
        return ranked(
            spans.weekday(said, number, 2 * sign), Window(near + sign * 7 * DAY, near + sign * 7 * DAY)
        )
    if match := regex.fullmatch(rf"{_WHICH} {_D}", text):
        number, step = _WEEKDAYS[match["weekday"]], _STEP[match["which"]]
        if match["which"] in ("this", "current"):
            return ranked(*(spans.weekday(said, number, away) for away in (0, 1)))
        near = _nearest(said, number, step)
        windows = spans.weekday(said, number, step), Window(near, near)
        # "Next Friday" is that of next week to most; a "coming" or "past" one is the nearest.
        return ranked(*(windows if match["which"] in ("last", "next") else windows[::-1]))
    if match := regex.fullmatch(rf"(?:{_D} (?:of )?{_WHICH} week|{_WHICH} week(?:'s)? (?:on )?{_D})", text):
        return single(spans.weekday(said, _WEEKDAYS[match["weekday"]], _STEP[match["which"]]))
    if match := regex.fullmatch(rf"{_D} (?:week|fortnight)|a week (?:on|from) {_D}", text):
        near = _nearest(said, _WEEKDAYS[match["weekday"]], 1)
        weeks = 2 if text.endswith("fortnight") else 1
        return one(near + weeks * 7 * DAY)
    if match := regex.fullmatch(_D, text):
        return cycle(lambda away: spans.weekday(said, _WEEKDAYS[match["weekday"]], away), (-1, 0, 1))
    return None


def _months(text: str, said: date) -> Reading | None:
    text = text.removeprefix("the ")
    head = rf"(?:{_PART}[ -](?:the )?)?"
    if match := regex.fullmatch(rf"{head}(?:{_WHICH} )?month", text):
        if not (match["which"] or match["part"]):
            return None
        part = _PARTS.get(match["part"] or "", "")
        if match["which"]:
            return single(spans.month(*spans.month_of(said, _STEP[match["which"]]), part))
        return cycle(lambda away: spans.month(*spans.month_of(said, away), part), (-1, 0, 1))
    tail = rf"(?: (?:(?:of |in )?{_Y}|(?P<years>last|this|next) year))?"
    if match := regex.fullmatch(rf"{head}(?:{_WHICH} )?{_M}{tail}", text):
        number, part = _MONTHS[match["month"]], _PARTS.get(match["part"] or "", "")
        return _by_year(match, said, lambda year: spans.month(year, number, part))
    for pattern in (rf"{_M} {_DAY}{tail}", rf"{_DAY} (?:of )?{_M}{tail}"):
        if match := regex.fullmatch(rf"(?:{_D} )?(?:the )?{pattern}", text):
            place = _MONTHS[match["month"]], int(match["day"])
            return _by_year(match, said, partial(_dated, place))
    if match := regex.fullmatch(
        r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)(?: of (?P<which>last|this|next) month)?", text
    ):
        day, which = int(match["day"]), match["which"]
        turns = (-1, 0, 1) if which is None else (_STEP[which],)
        return cycle(lambda away: spans.day(*spans.month_of(said, away), day), turns)
    if match := regex.fullmatch(r"([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})", text):
        return single(spans.day(*map(int, match.groups())))
    return None


def _years(text: str, said: date) -> Reading | None:
    text = text.removeprefix("the ")
    head = rf"(?:{_PART}[ -](?:the )?)?"
    if match := regex.fullmatch(rf"{head}(?:(?:{_WHICH} )?year|{_Y})", text):
        part = _PARTS.get(match["part"] or "", "")
        if match["year"]:
            return single(spans.year(int(match["year"]), part))
        if match["which"]:
            return single(spans.year(said.year + _STEP[match["which"]], part))
        return cycle(lambda year: spans.year(year, part), _three(said)) if part else None
    tail = rf"(?: (?:(?:of |in )?{_Y}|(?P<years>last|this|next) year))?"
    if match := regex.fullmatch(rf"(?:{_WHICH} )?{_SEASON}{tail}", text):
        name = "autumn" if match["season"] == "fall" else match["season"]
        return _by_year(match, said, lambda year: spans.season(year, name))
    if match := regex.fullmatch(rf"(?:{_WHICH} |last year's |this year's )?{_FEAST}{tail}", text):
        if text.startswith(("last year's ", "this year's ")):
            return single(EN[match["feast"]](said.year - text.startswith("last")))
        return _by_year(match, said, EN[match["feast"]])
    return None


_RULES = (_near, _counted, _weekdays, _weeks, _months, _years)


def _by_year(match: regex.Match[str], said: date, make: Callable[[int], Window | None]) -> Reading | None:
    """The turn of the year that is named, the one before or after today, or all three around it."""
    found = match.groupdict()
    if found.get("year"):
        return single(make(int(found["year"])))
    if found.get("years"):
        return single(make(said.year + _STEP[found["years"]]))
    if not found.get("which"):
        return cycle(make, _three(said))
    step = _STEP[found["which"]]
    if step == 0:
        return single(make(said.year))
    turns = [window for year in range(said.year - 2, said.year + 3) if (window := make(year))]
    past = [w for w in turns if w.last and w.last < said]
    coming = [w for w in turns if w.first and w.first > said]
    return single(past[-1] if step < 0 and past else coming[0] if step > 0 and coming else None)


def _dated(place: tuple[int, int], year: int) -> Window | None:
    return spans.day(year, *place)


def _three(said: date) -> tuple[int, int, int]:
    return said.year - 1, said.year, said.year + 1


def _nearest(said: date, number: int, sign: int) -> date:
    """The nearest such weekday before (-1) or after (1) today, today left out."""
    return said + sign * ((sign * (number - said.weekday()) - 1) % 7 + 1) * DAY


def _count(word: str) -> int:
    return int(word) if word.isdigit() and len(word) < 5 else _NUMBERS.get(word, 9_999_999)
