"""What a question asks for beside its words: when it was, and what somebody said whom it names."""

from __future__ import annotations

import re

_ASKS_WHEN = re.compile(
    r"\b(?:when|how long|(?:what|which) (?:date|day|week|month|year|time))\b"
    r"|什么时候|何时|哪天|哪一天|哪年|哪一年|几号|几月|几点|多久|哪个月|星期几|周几",
    re.IGNORECASE,
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_SAYS_WHEN = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|just|ago|weekend|{_DAYS}|{_MONTHS}"
    r"|(?:last|next|this|past) (?:week|weekend|month|year|night|summer|winter|spring|autumn|fall)"
    r"|(?:days?|weeks?|months?|years?)|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b"
    r"|[昨今明前后]天|大前天|大后天|[今明去前后]年|[上下这本]个?(?:周|星期|礼拜|月)|周[一二三四五六日天末]"
    r"|星期[一二三四五六日天]|[\d一二三四五六七八九十]+(?:月|日|号|点|年|天|周|个月)|最近|刚刚|刚才",
    re.IGNORECASE,
)


def asks_when(question: str) -> bool:
    """Whether a question asks for a day or a time, in Chinese or English."""
    return _ASKS_WHEN.search(question) is not None


def says_when(text: str) -> bool:
    """Whether a text holds words of time, in Chinese or English."""
    return _SAYS_WHEN.search(text) is not None
