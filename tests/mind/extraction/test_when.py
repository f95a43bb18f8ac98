"""Phrases of time against a calendar, worked out by hand. All said on Wednesday, 18 March 2026."""

from __future__ import annotations

from datetime import date

import pytest

from echovessel.mind.extraction.when import Window, read, resolve
from echovessel.mind.extraction.when.lunar import lunar_day

SAID = date(2026, 3, 18)

CHINESE = """
今天 2026-03-18
今晚 2026-03-18
刚才 2026-03-18
昨天 2026-03-17
昨晚 2026-03-17
昨天下午三点 2026-03-17
前天 2026-03-16
前天晚上 2026-03-16
大前天 2026-03-15
明天 2026-03-19
明早 2026-03-19
后天 2026-03-20
後天 2026-03-20
大后天 2026-03-21
三天前 2026-03-15
10天后 2026-03-28
十二天前 2026-03-06
几天前 2026-03-12 2026-03-16
这几天 2026-03-15 2026-03-18
过几天 2026-03-20 2026-03-24
两周前 2026-03-02 2026-03-08
三个星期后 2026-04-06 2026-04-12
两个月前 2026-01-01 2026-01-31
半年前 2025-09-01 2025-09-30
三年前 2023-01-01 2023-12-31
上周 2026-03-09 2026-03-15
上上周 2026-03-02 2026-03-08
下週 2026-03-23 2026-03-29
下下个星期 2026-03-30 2026-04-05
上周三 2026-03-11
上禮拜五 2026-03-13
上上周日 2026-03-08
这周五 2026-03-20
本周一 2026-03-16
下周二 2026-03-24
下星期天 2026-03-29
下周五晚上八点 2026-03-27
上周末 2026-03-14 2026-03-15
这个周末 2026-03-21 2026-03-22
下周末 2026-03-28 2026-03-29
上个月 2026-02-01 2026-02-28
下个月 2026-04-01 2026-04-30
下个月中旬 2026-04-11 2026-04-20
下月初 2026-04-01 2026-04-07
上个月底 2026-02-22 2026-02-28
上月15号 2026-02-15
这个月20号 2026-03-20
月底 2026-03-25 2026-03-31
三月底 2026-03-25 2026-03-31
3月5日 2026-03-05
三月五号 2026-03-05
去年3月 2025-03-01 2025-03-31
去年十二月二十五号 2025-12-25
2022年3月16日 2022-03-16
2019年 2019-01-01 2019-12-31
98年 1998-01-01 1998-12-31
去年 2025-01-01 2025-12-31
前年 2024-01-01 2024-12-31
明年年底 2027-12-01 2027-12-31
去年年初 2025-01-01 2025-01-31
今年上半年 2026-01-01 2026-06-30
去年夏天 2025-06-01 2025-08-31
去年冬天 2025-12-01 2026-02-28
去年国庆 2025-10-01 2025-10-07
去年国庆节当天 2025-10-01
今年五一 2026-05-01 2026-05-05
今年元旦 2026-01-01
今年清明节 2026-04-05
今年除夕 2026-02-16
今年春节 2026-02-17 2026-02-23
去年中秋节 2025-10-06
今年中秋 2026-09-25
今年端午 2026-06-19
今年七夕 2026-08-19
今年元宵节 2026-03-03
今年母亲节 2026-05-10
去年感恩节 2025-11-27
2024年除夕 2024-02-09
今年大年初三 2026-02-19
2026年农历八月初三 2026-09-13
2026-03-05 2026-03-05
3月1日到5日 2026-03-01 2026-03-05
3到5号 2026-03-03 2026-03-05
上周三到周五 2026-03-11 2026-03-13
2月28日至3月2日 2026-02-28 2026-03-02
上周三以前 - 2026-03-11
下周五之前 - 2026-03-27
从上周一开始 2026-03-09 -
"""

ENGLISH = """
today 2026-03-18
tonight 2026-03-18
this morning 2026-03-18
just now 2026-03-18
yesterday 2026-03-17
last night 2026-03-17
yesterday afternoon 2026-03-17
the day before yesterday 2026-03-16
tomorrow 2026-03-19
tomorrow at 5 pm 2026-03-19
the day after tomorrow 2026-03-20
three days ago 2026-03-15
10 days ago 2026-03-08
in two days 2026-03-20
five days from now 2026-03-23
a few days ago 2026-03-12 2026-03-16
the other day 2026-03-12 2026-03-16
a week ago 2026-03-09 2026-03-15
a week ago today 2026-03-11
two weeks ago 2026-03-02 2026-03-08
in a fortnight 2026-03-30 2026-04-05
a fortnight ago 2026-03-02 2026-03-08
in three weeks' time 2026-04-06 2026-04-12
a couple of months ago 2026-01-01 2026-01-31
two years ago 2024-01-01 2024-12-31
half a year ago 2025-09-01 2025-09-30
last week 2026-03-09 2026-03-15
next week 2026-03-23 2026-03-29
the week before last 2026-03-02 2026-03-08
the week after next 2026-03-30 2026-04-05
the end of next week 2026-03-27 2026-03-29
last weekend 2026-03-14 2026-03-15
this weekend 2026-03-21 2026-03-22
next weekend 2026-03-28 2026-03-29
last Friday 2026-03-13
this Friday 2026-03-20
next Friday 2026-03-27
this coming Friday 2026-03-20
next Friday night 2026-03-27
the Friday after next 2026-04-03
the Tuesday before last 2026-03-03
Tuesday last week 2026-03-10
Friday week 2026-03-27
a week on Friday 2026-03-27
last month 2026-02-01 2026-02-28
next month 2026-04-01 2026-04-30
the month before last 2026-01-01 2026-01-31
early next month 2026-04-01 2026-04-10
the end of the month 2026-03-25 2026-03-31
at the end of last month 2026-02-22 2026-02-28
mid-April 2026-04-11 2026-04-20
late February 2026-02-21 2026-02-28
March 5 2026-03-05
March 5th, 2022 2022-03-05
5 March 2022 2022-03-05
the 3rd of May last year 2025-05-03
on Monday, March 9 2026-03-09
in March 2022 2022-03-01 2022-03-31
last December 2025-12-01 2025-12-31
next May 2026-05-01 2026-05-31
last year 2025-01-01 2025-12-31
the year before last 2024-01-01 2024-12-31
back in 2019 2019-01-01 2019-12-31
the end of last year 2025-12-01 2025-12-31
last summer 2025-06-01 2025-08-31
next summer 2026-06-01 2026-08-31
summer of 2023 2023-06-01 2023-08-31
last Christmas 2025-12-25
next Christmas Eve 2026-12-24
Christmas 2024 2024-12-25
last year's Thanksgiving 2025-11-27
last Halloween 2025-10-31
Easter 2026 2026-04-05
Good Friday 2024 2024-03-29
Chinese New Year 2026 2026-02-17
the Mid-Autumn Festival in 2025 2025-10-06
2026-03-05 2026-03-05
from March 3 to March 5 2026-03-03 2026-03-05
March 3-5 2026-03-03 2026-03-05
3 to 5 March 2026-03-03 2026-03-05
between May 30 and June 2 2022 2022-05-30 2022-06-02
last Monday to Wednesday 2026-03-09 2026-03-11
by next Friday - 2026-03-27
until the end of the month - 2026-03-31
since last Monday 2026-03-09 -
"""


def table(text: str) -> list[tuple[str, Window]]:
    rows = []
    for line in text.strip().splitlines():
        words = line.split()
        count = 2 if _is_end(words[-2]) and len(words) > 2 else 1
        first, last = (words[-1], words[-1]) if count == 1 else words[-2:]
        rows.append((" ".join(words[:-count]), Window(_date(first), _date(last))))
    return rows


def _is_end(word: str) -> bool:
    return word == "-" or (len(word) == 10 and word[4] == "-" and word.replace("-", "").isdigit())


def _date(word: str) -> date | None:
    return None if word == "-" else date.fromisoformat(word)


@pytest.mark.parametrize(("phrase", "meant"), table(CHINESE) + table(ENGLISH))
def test_a_phrase_means_these_days(phrase: str, meant: Window) -> None:
    assert resolve(phrase, SAID) == meant


@pytest.mark.parametrize(
    ("phrase", "past", "future"),
    [
        ("on Friday", "2026-03-13", "2026-03-20"),
        ("周五", "2026-03-13", "2026-03-20"),
        ("on Monday", "2026-03-16", "2026-03-23"),
        ("in May", "2025-05-01", "2026-05-01"),
        ("圣诞节", "2025-12-25", "2026-12-25"),
        ("国庆", "2025-10-01", "2026-10-01"),
        ("除夕", "2026-02-16", "2027-02-05"),
        ("20号", "2026-02-20", "2026-03-20"),
        ("the 3rd", "2026-03-03", "2026-04-03"),
        ("at Christmas", "2025-12-25", "2026-12-25"),
        ("暑假", "2025-07-01", "2026-07-01"),
    ],
)
def test_the_tense_decides_where_a_phrase_leaves_it_open(phrase: str, past: str, future: str) -> None:
    found = [resolve(phrase, SAID, lean=lean) for lean in ("past", "future")]

    assert [str(window.first) for window in found if window] == [past, future]


def test_what_a_model_worked_out_decides_between_readings_and_nothing_else() -> None:
    friday = Window(date(2026, 3, 20), date(2026, 3, 20))
    wrong = Window(date(2026, 7, 1), date(2026, 7, 1))

    assert resolve("next Friday", SAID, proposed=friday) == friday
    assert resolve("next Friday", SAID, proposed=wrong) is None  # agrees with no reading
    assert resolve("上周三", SAID, proposed=wrong) == Window(date(2026, 3, 11), date(2026, 3, 11))


@pytest.mark.parametrize(
    ("said", "phrase", "meant"),
    [
        ("2022-03-16", "last week", "2022-03-07 2022-03-13"),  # case 10
        ("2026-01-02", "上个月", "2025-12-01 2025-12-31"),
        ("2026-12-31", "明天", "2027-01-01 2027-01-01"),
        ("2024-02-28", "后天", "2024-03-01 2024-03-01"),
        ("2024-01-31", "a month ago", "2023-12-01 2023-12-31"),
        ("2026-03-22", "next Friday", "2026-03-27 2026-03-27"),  # a Sunday
        ("2026-03-23", "上周日", "2026-03-22 2026-03-22"),
        ("2026-02-16", "大后天", "2026-02-19 2026-02-19"),
        ("2026-01-10", "last winter", "2024-12-01 2025-02-28"),
    ],
)
def test_borders_of_weeks_months_and_years(said: str, phrase: str, meant: str) -> None:
    first, last = map(date.fromisoformat, meant.split())

    assert resolve(phrase, date.fromisoformat(said)) == Window(first, last)


@pytest.mark.parametrize(
    "phrase",
    ["", "soon", "最近", "some day", "以前", "when I was seven", "小时候", "2月30号", "February 30", "99 of May", "周",
     "for three years", "半", "x" * 500, "13月", "0 天 前 后", "in 99999999999 years", "一" * 50],
)  # fmt: skip
def test_what_no_rule_knows_stays_unknown(phrase: str) -> None:
    assert read(phrase, SAID) is None


def test_the_chinese_calendar_knows_its_leap_months() -> None:
    """2023 had a second 二月, so its third month began a month late; 2025 a second 六月."""
    assert lunar_day(2023, 2, 1) == date(2023, 2, 20)
    assert lunar_day(2023, 3, 1) == date(2023, 4, 20)
    assert lunar_day(2025, 8, 15) == date(2025, 10, 6)
    assert lunar_day(2024, 12, -1) == date(2025, 1, 28)
    assert lunar_day(1900, 1, 1) is None
    assert lunar_day(2026, 1, 31) is None
