"""Chinese phrases of time: 大后天, 上周三, 国庆, 月底, 下个月中旬, 除夕, 3月1日到5日."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import regex

from echovessel.mind.extraction.when import spans
from echovessel.mind.extraction.when.holidays import ZH, ZH_DAY
from echovessel.mind.extraction.when.lunar import lunar_day
from echovessel.mind.extraction.when.spans import DAY, Reading, Window, cycle, one, single, through
from echovessel.text import fold

_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_N = "(?:[0-9]+|[零〇一二两三四五六七八九十廿百]+)"
_NEAR = {"大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {
    "大前年": -3,
    "前年": -2,
    "去年": -1,
    "上年": -1,
    "今年": 0,
    "本年": 0,
    "明年": 1,
    "来年": 1,
    "后年": 2,
}
_PARTS = {
    "初": "start",
    "上旬": "early",
    "中": "mid",
    "中旬": "mid",
    "下旬": "late",
    "底": "end",
    "末": "end",
}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(["一1", "二2", "三3", "四4", "五5", "六6", "日天7"])
    for name in names
}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_YEAR = "(?P<year>" + "|".join(_YEARS) + "|[0-9]{4}年?|[零〇一二三四五六七八九]{4}年|[0-9]{2}年)"
_PART = "上旬|中旬|下旬|初|中|底|末"

_PART_OF_DAY = regex.compile(
    r"(?:凌晨|清晨|清早|一早|一大早|早上|早晨|上午|中午|正午|午后|下午|傍晚|晚上|夜里|夜晚|半夜|深夜)?"
    rf"(?:{_N}点(?:半|钟|多|{_N}分?)?|[0-9]{{1,2}}:[0-9]{{2}})?(?:左右)?$"
)
_FILLERS = regex.compile(r"(?:的时候|那时候?|那一?天|左右|前后|放假|的?期间|假期间?|长假|小长假|的)$")
_LEADING = regex.compile(r"^(?:就在|在|于|大概|大约|差不多|是)")


def read(phrase: str, said: date) -> Reading | None:
    """What a Chinese phrase means on the day it is said; None where the rules don't know it."""
    text = _LEADING.sub("", regex.sub(r"\s+", "", fold(phrase)).strip("，。,.!！?？"))
    for ending, opened in (("(?:开始|起|以来|至今)", "last"), ("(?:为止|之前|以前|前)", "first")):
        # 三天前 and 上周三之前 end alike: a count is read as a whole first.
        match = regex.fullmatch(rf"(?:从|自从|自|直到|到|截至)?(.+?){ending}", text)
        if match and _plain(text, said) is None and (found := _ranged(match[1], said)):
            windows = (
                Window(w.first, None) if opened == "last" else Window(None, w.last) for w in found.windows
            )
            return Reading(tuple(windows), found.cyclic)
    return _ranged(text, said)


def _ranged(text: str, said: date) -> Reading | None:
    whole = _plain(text, said)
    if whole is not None:
        return whole
    match = regex.fullmatch(r"从?(.+?)(?:到|至|~|—+|–|-)(.+)", text)
    if match is None:
        return None
    left, right = match[1], match[2]
    begun = _plain(left, said)
    if begun is None:
        # 3到5号: the unit stands at the end.
        unit = regex.search(r"(?:号|日|月)$", right)
        begun = _plain(left + unit[0], said) if unit else None
    if begun is None:
        return None
    heads = [
        regex.match(pattern, left) for pattern in (r".*年", r".*月", r"(?:上+|下+|这|本)?个?(?:周|星期|礼拜)")
    ]
    bare = regex.sub("^(?:周|星期|礼拜)", "", right)
    tails = [head[0] + (bare if n == 2 else right) for n, head in enumerate(heads) if head]
    for tail in [*reversed(tails), right]:
        ended = _plain(tail, said)
        if ended is not None and (found := through(begun, ended)) is not None:
            return found
    return None


def _plain(text: str, said: date) -> Reading | None:
    """One phrase; with the part of the day and the fillers taken off where it isn't known as it is."""
    seen = ""
    while text and text != seen:
        for rule in _RULES:
            found = rule(text, said)
            if found is not None:
                return found
        seen = text
        for pattern in (_PART_OF_DAY, _FILLERS):
            shorter = pattern.sub("", text)
            if shorter != text:
                text = shorter
                break
    return None


def _near(text: str, said: date) -> Reading | None:
    if text in ("刚才", "刚刚", "现在", "此刻", "刚"):
        return one(said)
    match = regex.fullmatch("(大前|前|昨|今|当|明|后|大后)(?:天|日|儿个?|早|晨|晚|夜)", text)
    if match:
        return one(said + _NEAR[match[1]] * DAY)
    few = {"几": (2, 6), "两": (1, 3), "些": (2, 10)}
    if match := regex.fullmatch("前(几|两|些)天|(几)天(?:之|以)?前", text):
        near, far = few[match[1] or match[2]]
        return one(said - far * DAY, said - near * DAY)
    if match := regex.fullmatch("过(几|两|些)天|(几)天(?:之|以)?后", text):
        near, far = few[match[1] or match[2]]
        return one(said + near * DAY, said + far * DAY)
    if regex.fullmatch("(?:这|最近)(?:几|两)天", text):
        return one(said - 3 * DAY, said)
    return None


def _counted(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(rf"({_N}|半)个?(天|日|周|星期|礼拜|月|年)(?:之|以)?(前|后)", text)
    if match is None:
        return None
    sign, unit = (-1 if match[3] == "前" else 1), _UNITS[match[2]]
    if match[1] == "半":
        if unit == "year":
            return spans.away(said, sign * 6, "month")
        return single(spans.week(said + timedelta(days=sign * 15))) if unit == "month" else None
    count = number(match[1])
    return None if count is None else spans.away(said, sign * count, unit)


def _weeks(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(r"(上+|下+|这|本)?一?个?(?:周|星期|礼拜)([一二三四五六日天末1-7])?", text)
    if match is None or not (match[1] or match[2]):
        return None
    place, name = match[1], match[2]
    if name is None:
        return single(spans.week(said, _steps(place)))

    def make(away: int) -> Window:
        return spans.weekend(said, away) if name == "末" else spans.weekday(said, _WEEKDAYS[name], away)

    return single(make(_steps(place))) if place else cycle(make, (-1, 0, 1))


def _months(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(rf"(?:(上+|下+|这|本|当)一?个?)?月({_PART})?(?:({_N})[号日])?", text)
    if match is None or not (match[1] or match[2]) or (match[2] and match[3]):
        return None
    place, part, number_ = match[1], _PARTS.get(match[2] or "", ""), match[3]

    def make(away: int) -> Window | None:
        year, month = spans.month_of(said, away)
        return spans.day(year, month, number(number_) or 0) if number_ else spans.month(year, month, part)

    return single(make(_steps(place))) if place else cycle(make, (-1, 0, 1))


def _dates(text: str, said: date) -> Reading | None:
    if match := regex.fullmatch(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})日?", text):
        return single(spans.day(*map(int, match.groups())))
    if match := regex.fullmatch(rf"({_N})[号日]", text):
        wanted = number(match[1]) or 0
        return cycle(lambda away: spans.day(*spans.month_of(said, away), wanted), (-1, 0, 1))
    match = regex.fullmatch(rf"{_YEAR}?的?({_N})月份?({_PART})?(?:({_N})[号日]?)?", text)
    if match is None or (match[3] and match[4]):
        return None
    month, day, part = number(match[2]) or 0, match[4], _PARTS.get(match[3] or "", "")
    return _by_year(
        match["year"],
        said,
        lambda year: spans.day(year, month, number(day) or 0) if day else spans.month(year, month, part),
    )


def _years(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(rf"{_YEAR}?的?(年?初|年?中|年?底|年?末|上半年|下半年)?", text)
    if match and (match["year"] or "年" in (match[2] or "")):
        tail = match[2] or ""
        part = {"上半年": "half1", "下半年": "half2"}.get(tail) or _PARTS.get(tail.removeprefix("年"), "")
        return _by_year(match["year"], said, lambda year: spans.year(year, part))
    if match := regex.fullmatch(rf"{_YEAR}?的?([春夏秋冬])(?:天|季|日里?)?", text):
        name = match[2]
        return _by_year(match["year"], said, lambda year: spans.season(year, _SEASONS[name]))
    if match := regex.fullmatch(rf"{_YEAR}?的?暑假", text):
        return _by_year(match["year"], said, lambda year: Window(date(year, 7, 1), date(year, 8, 31)))
    return None


def _holidays(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(
        rf"{_YEAR}?的?({'|'.join(sorted(ZH, key=len, reverse=True))})(?:佳节|节|夜)?(当天|那天|当日)?", text
    )
    if match is None:
        return None
    name = match[2]
    named = (ZH_DAY.get(name) if match[3] else None) or ZH[name]
    return _by_year(match["year"], said, named)


def _lunar(text: str, said: date) -> Reading | None:
    match = regex.fullmatch(
        rf"{_YEAR}?的?(农历|阴历|旧历)?(大年|年|正月|腊月|冬月|{_N}月)(初{_N}|{_N})[日号]?", text
    )
    if match is None:
        return None
    month_name, day_name = match[3], match[4]
    # Without 农历 only what the Chinese calendar alone has: 正月, 腊月, 大年初二, 八月初三.
    if not (match[2] or month_name in ("大年", "正月", "腊月", "冬月") or day_name.startswith("初")):
        return None
    fixed = {"大年": 1, "年": 1, "正月": 1, "冬月": 11, "腊月": 12}
    month = fixed.get(month_name) or number(month_name.removesuffix("月")) or 0
    wanted = number(day_name.removeprefix("初")) or 0
    if not 1 <= month <= 12:
        return None

    def make(year: int) -> Window | None:
        found = lunar_day(year if month < 11 else year - 1, month, wanted)
        return None if found is None else Window(found, found)

    return _by_year(match["year"], said, make)


_RULES = (_near, _counted, _weeks, _months, _holidays, _lunar, _dates, _years)


def _by_year(word: str | None, said: date, make: Callable[[int], Window | None]) -> Reading | None:
    """The turn of a year that is named, else those of last, this and next year."""
    if not word:
        return cycle(make, (said.year - 1, said.year, said.year + 1))
    if word in _YEARS:
        return single(make(said.year + _YEARS[word]))
    digits = "".join(str(_DIGITS.get(character, character)) for character in word.removesuffix("年"))
    if len(digits) == 2:
        century = said.year // 100 * 100
        year = century + int(digits)
        return single(make(year if year <= said.year + 10 else year - 100))
    return single(make(int(digits)))


def _steps(word: str) -> int:
    """上 is -1, 上上 -2, 下 1; 这 and 本 are 0."""
    return {"上": -1, "下": 1}.get(word[0], 0) * len(word)


def number(text: str) -> int | None:
    """A whole number up to 999 in Arabic or Chinese digits."""
    if text.isascii():
        return int(text) if len(text) < 5 else None
    total, current = 0, 0
    for character in text.replace("廿", "二十"):
        if character in "十百":
            total += (current or 1) * (10 if character == "十" else 100)
            current = 0
        else:
            current = current * 10 + _DIGITS[character]
    return total + current
