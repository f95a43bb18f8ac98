"""Days told against today: "3 days ago", "next week", "三天前", "下周"."""

from __future__ import annotations

from datetime import date, timedelta

from echovessel.text import Language

_DIGITS = "零一二三四五六七八九十"
_NEAR = {
    "en": {-1: "yesterday", 0: "today", 1: "tomorrow"},
    "zh": {-2: "前天", -1: "昨天", 0: "今天", 1: "明天", 2: "后天"},
}
_WEEK = {"en": {-1: "last week", 1: "next week"}, "zh": {-1: "上周", 1: "下周"}}
_UNITS = {"day": "天", "week": "周", "month": "个月", "year": "年"}


def day_in_words(day: date, today: date, language: Language) -> str:
    """How a person would name a day.

    Days up to six away are counted; those of the week before or after this one (Monday to Sunday) are "last
    week" or "next week"; then whole weeks, whole months and whole years.

    Parameters
    ----------
    day, today : date
        Both where the reader lives.
    language : ``"en"`` or ``"zh"``
    """
    away = (day - today).days
    near = _NEAR[language].get(away)
    if near is not None:
        return near
    past = away < 0
    if abs(away) < 7:
        return _counted(abs(away), "day", language, past=past)
    weeks_apart = (_monday(day) - _monday(today)).days // 7
    if abs(weeks_apart) == 1:
        return _WEEK[language][weeks_apart]
    months = _whole_months(*sorted((day, today)))
    if months >= 12:
        return _counted(months // 12, "year", language, past=past)
    if months:
        return _counted(months, "month", language, past=past)
    return _counted(max(abs(away) // 7, 2), "week", language, past=past)


def days_in_words(first: date | None, last: date | None, today: date, language: Language) -> str:
    """How a person would name a stretch of days; either end may be open. Empty when both are.

    A stretch of less than a week that doesn't hold today is named by its nearer end.
    """
    ends = [day_in_words(day, today, language) for day in (first, last) if day is not None]
    if not ends:
        return ""
    if first is None or last is None:
        if language == "zh":
            return f"{ends[0]}起" if last is None else f"到{ends[0]}为止"
        return _open_in_english(ends[0], since=last is None)
    if ends[0] == ends[1]:
        return ends[0]
    if (last - first).days < 7 and not first <= today <= last:
        return ends[1] if last < today else ends[0]
    return f"{ends[0]}到{ends[1]}" if language == "zh" else " to ".join(_from_now(end) for end in ends)


def _open_in_english(end: str, *, since: bool) -> str:
    """A stretch with one end: "3 weeks ago" becomes "for 3 weeks", "in 2 days" "until 2 days from now"."""
    if not since:
        return f"until {_from_now(end)}"
    if end.endswith(" ago"):
        return f"for {end.removesuffix(' ago')}"
    if end.startswith("in "):
        return f"starting {end}"
    return f"from {end} on" if end in (_NEAR["en"][1], _WEEK["en"][1]) else f"since {end}"


def _from_now(day: str) -> str:
    """A day as it stands after another word: not "in 2 days" but "2 days from now"."""
    return f"{day.removeprefix('in ')} from now" if day.startswith("in ") else day


def _counted(count: int, unit: str, language: Language, *, past: bool) -> str:
    if language == "zh":
        return f"{_han_number(count)}{_UNITS[unit]}{'前' if past else '后'}"
    amount = f"{'a' if count == 1 else count} {unit}{'' if count == 1 else 's'}"
    return f"{amount} ago" if past else f"in {amount}"


def _han_number(count: int) -> str:
    """1 to 99 as they are counted with a measure word: 2 is 两; larger ones in digits."""
    if count == 2:
        return "两"
    if count <= 10:
        return _DIGITS[count]
    if count > 99:
        return str(count)
    tens, ones = divmod(count, 10)
    return f"{_DIGITS[tens] if tens > 1 else ''}十{_DIGITS[ones] if ones else ''}"


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _whole_months(earlier: date, later: date) -> int:
    months = (later.year - earlier.year) * 12 + later.month - earlier.month
    return months - (later.day < earlier.day)
