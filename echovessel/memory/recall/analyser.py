"""Text into terms for the lexical side of recall: stems, Han bigrams, and dates in one form for both languages."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from itertools import pairwise

import Stemmer

from echovessel.text import fold, is_han, pieces

# The function words of English, but not "may": it is also a month (handled below).
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been being before between both but by can could did do
    does doing don down during each few for from further had has have having he her here hers herself him himself his
    how i if in into is it its itself just let me might more most must my myself no nor not now of off on once only or
    other our ours ourselves out over own please same shall she should so some such than that the their theirs them
    themselves then there these they this those through to too under until up us very was we were what when where which
    while who whom whose why will with would you your yours yourself yourselves
    ain aren couldn didn doesn hadn hasn haven isn ll re shouldn ve wasn weren won wouldn d m s t""".split()  # noqa: SIM905
)
# A bigram of two of these says nothing: particles, pronouns, question words.
FUNCTION_HAN = frozenset(
    "的了是在我你您他她它们这那哪就都也还很和与跟吗呢吧啊呀哦嗯嘛么什怎谁个有没不要会能可以到说过着把被给让从对为所之其"
)

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_LATIN_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_HAN_DIGITS = ("", *"一二三四五六七八九")
# Up to 三十一, as months and days are written: 十, 十二, 二十, 二十一.
_HAN_NUMBERS = {
    ("" if number < 10 else (_HAN_DIGITS[number // 10] if number >= 20 else "") + "十")
    + _HAN_DIGITS[number % 10]: number
    for number in range(1, 32)
}
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_LATIN_MONTH})\b")
_MONTH_DAY = re.compile(rf"\b({_LATIN_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b")
# "may" and "march" are words too, so a month alone counts only after a word that leads to a date, or with a year;
# and "this may be" is no date.
_MONTH_ALONE = re.compile(
    r"\b(?!this may (?:also|be|cause|have|help|look|need|not|seem|sound|take|well)\b)"
    rf"(?:in|on|of|since|until|till|by|last|next|this|early|late|mid|during|before|after) ({_LATIN_MONTH})\b"
)
_MONTH_YEAR = re.compile(rf"\b({_LATIN_MONTH}),? ((?:19|20)\d\d)\b")
_CLEAR_MONTH = re.compile(
    rf"\b({'|'.join(m for m in sorted(_MONTHS, key=len, reverse=True) if m not in ('may', 'march', 'mar'))})\b"
)
_HAN_MONTH = re.compile(
    r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:份)?(?:(\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?"
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
# Each of the patterns above needs one of these; most texts have none, and one search is cheaper than seven.
_SIGN_OF_A_DATE = re.compile(rf"\u6708|(?:19|20)\d|\b(?:{'|'.join(sorted({name[:3] for name in _MONTHS}))})")


_STEMMER = Stemmer.Stemmer("english", 0)


def terms(text: str) -> list[str]:
    """The terms of a text, in order, with repeats.

    Latin words are stemmed (Snowball, English) and stop words left out; a run of Han is cut into overlapping
    bigrams, a single Han character stands alone; dates come in one form (``@m05``, ``@d08``, ``@y2023``) from
    "8 May 2023" and 2023年5月8日 alike.
    """
    folded = fold(text)
    found: list[str] = []
    for piece in pieces(folded):
        if is_han(piece[0]):
            found += han_terms(piece)
        else:
            found += _latin_terms(piece)
    return found + dates_named(folded)


def han_terms(run: str) -> list[str]:
    """Overlapping bigrams of a run of Han characters, less those of two function characters."""
    if len(run) == 1:
        return [] if run in FUNCTION_HAN else [run]
    return [a + b for a, b in pairwise(run) if not (a in FUNCTION_HAN and b in FUNCTION_HAN)]


@lru_cache(maxsize=1 << 16)
def _latin_terms(word: str) -> tuple[str, ...]:
    parts = word.replace("\u2019", "'").split("'")
    return tuple(_STEMMER.stemWord(part) for part in parts if part and part not in STOP_WORDS)


def dates_named(folded: str) -> list[str]:
    """Months, days and years that a folded text names, as date terms."""
    if not _SIGN_OF_A_DATE.search(folded):
        return []
    months: set[int] = set()
    days: set[int] = set()
    for pattern, month_at, day_at in ((_DAY_MONTH, 2, 1), (_MONTH_DAY, 1, 2)):
        for match in pattern.finditer(folded):
            months.add(_MONTHS[match[month_at]])
            days.add(int(match[day_at]))
    for pattern in (_MONTH_ALONE, _MONTH_YEAR, _CLEAR_MONTH):
        months |= {_MONTHS[match[1]] for match in pattern.finditer(folded)}
    for match in _HAN_MONTH.finditer(folded):
        months.add(int(match[1]) if match[1].isdigit() else _HAN_NUMBERS[match[1]])
        if match[2]:
            days.add(int(match[2]) if match[2].isdigit() else _HAN_NUMBERS.get(match[2], 0))
    years = {match[1] for match in _YEAR.finditer(folded)}
    named = [f"@m{month:02}" for month in sorted(months) if 1 <= month <= 12]
    named += [f"@d{day:02}" for day in sorted(days) if 1 <= day <= 31]
    return named + [f"@y{year}" for year in sorted(years)]


def date_terms(day: date) -> list[str]:
    """The date terms of a day: those by which a question that names the date finds it."""
    return [f"@m{day.month:02}", f"@d{day.day:02}", f"@y{day.year}"]


def is_question(text: str) -> bool:
    """Whether a message ends as a question."""
    return text.rstrip().endswith(("?", "\uff1f"))
