"""Days that have a name: feasts of both calendars, by the year they fall in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from echovessel.mind.extraction.when.lunar import lunar_day
from echovessel.mind.extraction.when.spans import DAY, Window, day, nth_weekday

Named = Callable[[int], Window | None]


def _on(month: int, number: int, last: int | None = None) -> Named:
    def find(year: int) -> Window | None:
        start = day(year, month, number)
        return start if start is None or last is None else Window(start.first, date(year, month, last))

    return find


def _lunar(month: int, number: int, days: int = 1, shift: int = 0) -> Named:
    def find(year: int) -> Window | None:
        # Late months of the Chinese year fall into the next one of the Gregorian calendar.
        found = lunar_day(year if month < 11 else year - 1, month, number)
        if found is None:
            return None
        first = found + shift * DAY
        return Window(first, first + (days - 1) * DAY)

    return find


def _nth(month: int, number: int, nth: int) -> Named:
    def find(year: int) -> Window | None:
        found = nth_weekday(year, month, number, nth)
        return Window(found, found)

    return find


def _easter(year: int) -> Window | None:
    """Easter Sunday of the western churches, by the method of Meeus, Jones and Butcher."""
    if year < 1583:
        return None
    golden, (century, rest) = year % 19, divmod(year, 100)
    leap, over = divmod(century, 4)
    moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leap - moon + 15) % 30
    quarter, odd = divmod(rest, 4)
    shift = (32 + 2 * over + 2 * quarter - epact - odd) % 7
    late = (golden + 11 * epact + 22 * shift) // 451
    month, number = divmod(epact + shift - 7 * late + 114, 31)
    return day(year, month, number + 1)


def _around_easter(shift: int) -> Named:
    def find(year: int) -> Window | None:
        found = _easter(year)
        if found is None or found.first is None:
            return None
        moved = found.first + timedelta(days=shift)
        return Window(moved, moved)

    return find


def _qingming(year: int) -> Window | None:
    """Clear and Bright, a solar term: 4 or 5 April of 1901 to 2099."""
    return day(year, 4, int(year % 100 * 0.2422 + 4.81) - (year % 100) // 4) if 2000 <= year < 2100 else None


ZH: dict[str, Named] = {
    "元旦": _on(1, 1),
    "情人节": _on(2, 14),
    "妇女节": _on(3, 8),
    "三八": _on(3, 8),
    "清明": _qingming,
    "劳动节": _on(5, 1, 5),
    "五一": _on(5, 1, 5),
    "青年节": _on(5, 4),
    "五四": _on(5, 4),
    "母亲节": _nth(5, 6, 2),
    "儿童节": _on(6, 1),
    "六一": _on(6, 1),
    "父亲节": _nth(6, 6, 3),
    "教师节": _on(9, 10),
    "国庆": _on(10, 1, 7),
    "十一": _on(10, 1, 7),
    "万圣节": _on(10, 31),
    "双十一": _on(11, 11),
    "双11": _on(11, 11),
    "感恩节": _nth(11, 3, 4),
    "平安夜": _on(12, 24),
    "圣诞": _on(12, 25),
    "跨年": _on(12, 31),
    "腊八": _lunar(12, 8),
    "小年": _lunar(12, 23),
    "除夕": _lunar(1, 1, shift=-1),
    "大年三十": _lunar(1, 1, shift=-1),
    "年三十": _lunar(1, 1, shift=-1),
    "大年夜": _lunar(1, 1, shift=-1),
    "年夜": _lunar(1, 1, shift=-1),
    "春节": _lunar(1, 1, 7),
    "过年": _lunar(1, 1, 8, shift=-1),
    "元宵": _lunar(1, 15),
    "龙抬头": _lunar(2, 2),
    "端午": _lunar(5, 5),
    "七夕": _lunar(7, 7),
    "中元": _lunar(7, 15),
    "中秋": _lunar(8, 15),
    "重阳": _lunar(9, 9),
}
# The day itself, where the name alone stands for the holidays.
ZH_DAY: dict[str, Named] = {
    "国庆": _on(10, 1),
    "十一": _on(10, 1),
    "五一": _on(5, 1),
    "劳动节": _on(5, 1),
    "春节": _lunar(1, 1),
}

EN: dict[str, Named] = {
    "new year's day": _on(1, 1),
    "new year": _on(1, 1),
    "new years": _on(1, 1),
    "new year's": _on(1, 1),
    "valentine's": _on(2, 14),
    "valentine's day": _on(2, 14),
    "valentines day": _on(2, 14),
    "st patrick's day": _on(3, 17),
    "good friday": _around_easter(-2),
    "easter": _easter,
    "easter sunday": _easter,
    "easter monday": _around_easter(1),
    "may day": _on(5, 1),
    "fourth of july": _on(7, 4),
    "independence day": _on(7, 4),
    "halloween": _on(10, 31),
    "bonfire night": _on(11, 5),
    "thanksgiving": _nth(11, 3, 4),
    "christmas eve": _on(12, 24),
    "christmas": _on(12, 25),
    "christmas day": _on(12, 25),
    "xmas": _on(12, 25),
    "boxing day": _on(12, 26),
    "new year's eve": _on(12, 31),
    "new years eve": _on(12, 31),
    "chinese new year's eve": _lunar(1, 1, shift=-1),
    "chinese new year": _lunar(1, 1),
    "lunar new year": _lunar(1, 1),
    "spring festival": _lunar(1, 1, 7),
    "lantern festival": _lunar(1, 15),
    "dragon boat festival": _lunar(5, 5),
    "mid-autumn festival": _lunar(8, 15),
    "mid autumn festival": _lunar(8, 15),
    "moon festival": _lunar(8, 15),
}
