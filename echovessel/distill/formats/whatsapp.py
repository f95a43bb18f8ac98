"""WhatsApp's "Export chat": a text file (or a zip with it), as iOS and Android write it in many languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

import regex

from echovessel.distill.archive import DateOrder, Line, Options, Report
from echovessel.distill.source import Source
from echovessel.errors import FormatError

# Marks that WhatsApp puts around names and times; U+200E also tells a line of the app's own from a person's.
_LRM = "\u200e"
_MARKS = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff"))
_SPACES = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2009": " "})

_AFTERNOON = (
    "pm",
    "p.m.",
    "p. m.",
    "下午",
    "晚上",
    "傍晚",
    "午後",
    "오후",
    "nachm.",
    "μ.μ.",
    "م",
    "eftermiddag",
)
_MORNING = (
    "am",
    "a.m.",
    "a. m.",
    "上午",
    "早上",
    "凌晨",
    "清晨",
    "午前",
    "오전",
    "vorm.",
    "π.μ.",
    "ص",
    "formiddag",
)
_NOON = ("中午", "noon")
_PERIOD = "|".join(
    regex.escape(word) for word in sorted((*_AFTERNOON, *_MORNING, *_NOON), key=len, reverse=True)
)
_START = regex.compile(
    r"(?P<open>\[)?"
    r"(?P<a>\d{1,4})(?:\s?[./\-年년]\s?)(?P<b>\d{1,2})(?:\s?[./\-月월]\s?)(?P<c>\d{1,4})(?:[日일.])?"
    r",?\s*(?P<before>" + _PERIOD + r")?\s*"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"\s*(?P<after>" + _PERIOD + r")?"
    r"(?(open)\]\s|(?:\s[-–]\s|,\s|:\s))(?P<rest>.*)",
    regex.IGNORECASE | regex.DOTALL,
)
_WHO = regex.compile(r"(?P<name>[^:\n]{1,100}?)\s?:\s?(?P<text>.*)", regex.DOTALL)
# What the app itself says with a colon in it, so that no person is made of it.
_SYSTEM = regex.compile(
    r"""["“«「].*["”»」]?$|changed the (subject|group)|created (this )?group|added|joined using|left$|security code"""
    r"|cambió el asunto|creó el grupo|hat den Betreff|hat die Gruppe|更改了|创建了|建立了|變更了|加入了|退出了",
    regex.IGNORECASE,
)
_ATTACHED = "file attached|archivo adjunto|arquivo anexado|Datei angehängt|文件附件|檔案附件|ファイル添付"
_THINGS = (
    "image|video|audio|sticker|GIF|document|contact card|voice message|imagen|Bild|图片|圖片|视频|影片|音频"
    "|語音訊息|语音消息|贴图|貼圖|文件"
)
_LEFT_OUT = "omitted|omitida?o?|omess[oa]|weggelassen|已省略|已忽略|省略"
_MEDIA = regex.compile(
    r"(?:<(?:attached|adjunto|anexado|Anhang|附件|添付ファイル)\s?[:：]\s?(?P<file>[^>]+)>"
    rf"|(?P<named>[^\n]*?\.[A-Za-z0-9]{{2,5}}) \((?:{_ATTACHED})\)"
    rf"|<[^<>\n]*(?:{_LEFT_OUT}|忽略)[^<>\n]*>"
    rf"|(?:{_THINGS})\s?(?:{_LEFT_OUT}))\n?",
    regex.IGNORECASE,
)
_DELETED = regex.compile(
    r"(?:This message was deleted|You deleted this message|Se eliminó este mensaje|Eliminaste este mensaje"
    r"|Diese Nachricht wurde gelöscht|此消息已删除|此訊息已刪除|您已删除此消息|你已刪除此訊息)\.?",
    regex.IGNORECASE,
)
_EDITED = regex.compile(
    r"\s*<(?:This message was edited|此消息已编辑|已編輯此訊息|Se editó este mensaje\.?)>$", regex.IGNORECASE
)
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line that opens with a time, with the lines that follow it."""

    number: int
    head: regex.Match[str]
    rest: str


class WhatsApp:
    """WhatsApp text exports."""

    name = "whatsapp"
    title = "WhatsApp"

    def recognises(self, source: Source) -> bool:
        """Most of its first entries open with a date and a time as WhatsApp writes them."""
        member = source.member("_chat.txt") or source.only(".txt")
        if member is None:
            return False
        lines = [line for line in source.head(member).splitlines()[:_LOOKED_AT] if line.strip()]
        opened = sum(1 for line in lines if _START.fullmatch(_plain(line)))
        return opened > 0 and _START.fullmatch(_plain(lines[0])) is not None and opened * 5 >= len(lines)

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The messages of people; what the app says of itself is skipped."""
        member = source.member("_chat.txt") or source.only(".txt")
        if member is None:
            raise FormatError(
                f"{source.path} holds no _chat.txt. Give the file or zip that WhatsApp exported."
            )
        order = options.date_order or _order_of_dates(source, member, report)
        report.note(f"Times are read as those of {options.zone}; WhatsApp writes none.")
        zone = ZoneInfo(options.zone)
        for entry in _entries(source, member, report):
            place = f"line {entry.number}"
            moment = _moment(entry.head, order, zone)
            if moment is None:
                report.skip(place, "its date can't be read")
                continue
            line = _line(entry, place, moment, report)
            if line is not None and report.accept(line):
                yield line


def _plain(line: str) -> str:
    return line.translate(_MARKS).translate(_SPACES)


def _entries(source: Source, member: str, report: Report | None = None) -> Iterator[_Entry]:
    """Entries with the lines that belong to them."""
    open_entry: _Entry | None = None
    for number, raw in source.lines(member):
        head = _START.fullmatch(_plain(raw))
        if head is not None:
            if open_entry is not None:
                yield open_entry
            # The text itself keeps its marks: the first tells whose it is, and emoji need some.
            open_entry = _Entry(number, head, _rest_of(raw, head))
        elif open_entry is not None:
            open_entry = replace(open_entry, rest=f"{open_entry.rest}\n{raw}")
        elif raw.strip() and report is not None:
            report.skip(f"line {number}", "it stands before the first dated line")
    if open_entry is not None:
        yield open_entry


def _rest_of(raw: str, head: regex.Match[str]) -> str:
    """The part of the raw line behind the time, with its marks."""
    wanted = len(head["rest"])
    kept, i = 0, len(raw)
    while kept < wanted:
        i -= 1
        kept += ord(raw[i]) not in _MARKS
    while i > 0 and raw[i - 1] == _LRM:
        i -= 1
    return raw[i:]


def _line(entry: _Entry, place: str, moment: datetime, report: Report) -> Line | None:
    found = _WHO.fullmatch(entry.rest)
    if found is None or _SYSTEM.search(found["name"]):
        report.skip(place, "the app itself says it")
        return None
    name, text = found["name"].translate(_MARKS).strip().lstrip("~").strip(), found["text"]
    by_app = text.startswith(_LRM)
    text = text.replace(_LRM, "").strip()
    if _DELETED.fullmatch(text):
        report.skip(place, "the message was deleted")
        return None
    text = _EDITED.sub("", text)
    media = _MEDIA.match(text)
    if media is not None:
        text, attachment = text[media.end() :].strip(), (media["file"] or media["named"] or media[0]).strip()
        return Line(text, place, name, moment, attachment=attachment)
    if by_app:
        report.skip(place, "the app itself says it")
        return None
    return Line(text, place, name, moment)


def _order_of_dates(source: Source, member: str, report: Report) -> DateOrder:
    """Day or month first, from all dates of the file.

    A number above 12 decides. Without one, the order in which time runs backwards less often; in a tie the day is
    taken to come first, and the report says so.
    """
    day_first = month_first = False
    backwards = {"day": 0, "month": 0}
    last: dict[str, tuple[int, int, int]] = {}
    seen = False
    for _, raw in source.lines(member):
        head = _START.fullmatch(_plain(raw))
        if head is None or len(head["a"]) == 4:
            continue
        seen = True
        a, b, year = int(head["a"]), int(head["b"]), int(head["c"])
        day_first, month_first = day_first or a > 12, month_first or b > 12
        for order, key in (("day", (year, b, a)), ("month", (year, a, b))):
            backwards[order] += key < last.get(order, key)
            last[order] = key
    if day_first != month_first:
        return "day" if day_first else "month"
    if day_first:
        report.note(
            "Some dates have the day first and some the month; what doesn't fit the commoner is skipped."
        )
    if backwards["day"] != backwards["month"]:
        return "day" if backwards["day"] < backwards["month"] else "month"
    if seen and not day_first:
        report.ambiguous_dates = True
        report.note(
            "Whether 03/04 means April or March can't be told from this file; April was taken."
            " Set the date order to change that."
        )
    return "day"


def _moment(head: regex.Match[str], order: DateOrder, zone: ZoneInfo) -> datetime | None:
    a, b, c = head["a"], head["b"], head["c"]
    if len(a) == 4:
        year, month, day = int(a), int(b), int(c)
    elif order == "day":
        day, month, year = int(a), int(b), int(c)
    else:
        month, day, year = int(a), int(b), int(c)
    if year < 100:
        year += 2000
    hour = _hour(int(head["hour"]), (head["before"] or head["after"] or "").lower())
    try:
        return datetime(year, month, day, hour, int(head["minute"]), int(head["second"] or 0), tzinfo=zone)
    except ValueError:
        return None


def _hour(hour: int, period: str) -> int:
    if period in _AFTERNOON or (period in _NOON and hour < 11):
        return hour if hour >= 12 else hour + 12
    if period in _MORNING and hour == 12:
        return 0
    return hour
