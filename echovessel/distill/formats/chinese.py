"""WeChat and QQ: the text, CSV and JSON that the common export tools write, and QQ's own text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import items, opening
from echovessel.distill.formats.moments import epoch, iso
from echovessel.distill.source import Source

_CLOCK = (
    r"(?P<date>\d{4}[-/]\d{1,2}[-/]\d{1,2}) (?P<hour>\d{1,2}):(?P<minute>\d{2}):(?P<second>\d{2})"
    r"(?: (?P<half>[AP]M))?"
)
# "2023-07-12 20:28:01 小明(12345)" or "...<a@b.c>" in QQ; WeChat tools leave the number out, or put the name first.
_HEAD = regex.compile(rf"{_CLOCK} (?P<name>.*?)(?:\((?P<number>\d+)\)|<(?P<mail>[^<>]+)>)?\s*")
_NAME_FIRST = regex.compile(rf"(?P<name>\S.*?) {_CLOCK}\s*")
_QQ_OPENING = ("消息记录（此消息记录为文本格式", "消息记录(此消息记录为文本格式", "消息分组:", "消息对象:")
_BY_SERVICE = ("系统消息", "10000")
_TEXT_TYPES = ("1", "文本", "文本消息", "text", "")
_MEDIA_TYPES = {
    "3": "图片",
    "34": "语音",
    "43": "视频",
    "47": "表情",
    "48": "位置",
    "42": "名片",
    "49": "文件或链接",
}
_SYSTEM_TYPES = ("10000", "10002", "系统消息", "系统")

_TIME = ("StrTime", "CreateTime", "createTime", "create_time", "time", "timestamp", "时间", "formattedTime")
_TEXT = ("StrContent", "content", "msg", "message", "内容", "text", "parsedContent")
_NAMES = ("Remark", "NickName", "senderDisplayName", "accountName", "发送者", "发送人")
_ACCOUNTS = ("Sender", "sender", "talker")  # an account's id, where no name is written
_MINE = ("IsSender", "is_sender", "isSend", "isSelf", "is_self")
_IDS = ("MsgSvrID", "MsgSvrId", "msgSvrId", "serverId", "localId", "id")


class QQ:
    """QQ's message manager, as text."""

    name = "qq"
    title = "QQ"

    def recognises(self, source: Source) -> bool:
        """The words that open every such file."""
        member = source.only(".txt")
        return member is not None and any(mark in source.head(member)[:2_000] for mark in _QQ_OPENING)

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The messages under their heads; a file may hold several talks."""
        member = source.one(".txt", what="text files")
        yield from _headed(source, member, options, report)


class WeChatText:
    """WeChat talks as text: a head with time and name, then what was said."""

    name = "wechat-text"
    title = "WeChat (text)"

    def recognises(self, source: Source) -> bool:
        """The first line that isn't empty is such a head."""
        member = source.only(".txt")
        if member is None:
            return False
        first = next((line for line in source.head(member).splitlines() if line.strip()), "")
        return _head(first) is not None

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The messages under their heads."""
        member = source.one(".txt", what="text files")
        yield from _headed(source, member, options, report)


class WeChatTable:
    """WeChat talks as CSV or JSON, with the column names of the common tools."""

    name = "wechat"
    title = "WeChat (CSV or JSON)"

    def recognises(self, source: Source) -> bool:
        """Columns that only these tools write together."""
        member = source.only(".csv", ".json")
        if member is None:
            return False
        if member.lower().endswith(".csv"):
            columns = set(next(csv.reader(source.head(member).splitlines()[:1]), ()))
        else:
            columns = {path.rsplit(".", 1)[-1] for path in opening(source, member)}
        return bool(columns & {"StrContent", "MsgSvrID", "msgSvrId", "IsSender", "isSend", "is_sender"})

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Texts with their speakers; photos, voice and the like as attachments."""
        member = source.one(".csv", ".json", what="tables")
        zone = ZoneInfo(options.zone)
        report.note(f"Times without a zone are read as those of {zone.key}.")
        for number, row in _rows(source, member, report):
            line = _of_row(row, number, zone, report)
            if line is not None and report.accept(line):
                yield line


def _head(line: str) -> regex.Match[str] | None:
    found = _HEAD.fullmatch(line) or _NAME_FIRST.fullmatch(line)
    return found if found is not None and found["name"].strip() else None


def _headed(source: Source, member: str, options: Options, report: Report) -> Iterator[Line]:
    zone = ZoneInfo(options.zone)
    report.note(f"Times are read as those of {zone.key}; the file writes no zone.")
    chat, head, start = "", None, 0
    body: list[str] = []
    for number, raw in source.lines(member):
        line = raw.lstrip("\ufeff")
        if line.startswith("消息对象:"):
            yield from _closed(head, body, start, chat, zone, report)
            head, chat = None, line.partition(":")[2].strip()
        elif (found := _head(line)) is not None:
            yield from _closed(head, body, start, chat, zone, report)
            head, start, body = found, number, []
        elif head is not None and not line.startswith("====="):
            body.append(line)
        elif line.strip() and not line.startswith(("消息", "=====")):
            report.skip(f"line {number}", "it stands before the first message")
    yield from _closed(head, body, start, chat, zone, report)


def _closed(
    head: regex.Match[str] | None, body: list[str], start: int, chat: str, zone: ZoneInfo, report: Report
) -> Iterator[Line]:
    if head is None:
        return
    place, name = f"line {start}", head["name"].strip()
    number = head.groupdict().get("number")
    if name in _BY_SERVICE or number in _BY_SERVICE:
        report.skip(place, "the app itself says it")
        return
    moment = _moment(head, zone)
    if moment is None:
        report.skip(place, "its date can't be read")
        return
    text = "\n".join(body).strip()
    alone = regex.fullmatch(r"\[(图片|表情|语音|视频|文件|动画表情)\]", text)
    line = Line(
        "" if alone else text, place, name, moment, conversation=chat, attachment=alone[1] if alone else ""
    )
    if report.accept(line):
        yield line


def _moment(head: regex.Match[str], zone: ZoneInfo) -> datetime | None:
    year, month, day = (int(part) for part in regex.split(r"[-/]", head["date"]))
    hour = int(head["hour"])
    if head["half"]:
        hour = hour % 12 + (12 if head["half"] == "PM" else 0)
    try:
        return datetime(year, month, day, hour, int(head["minute"]), int(head["second"]), tzinfo=zone)
    except ValueError:
        return None


def _rows(source: Source, member: str, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    if member.lower().endswith(".csv"):
        with source.text(member) as stream:
            for number, row in enumerate(csv.DictReader(stream), start=2):
                yield (
                    number,
                    {str(key).lstrip("\ufeff"): value for key, value in row.items() if key is not None},
                )
        return
    found = opening(source, member)
    prefix = next(
        (p for p in ("messages.item", "data.item", "item") if any(k.startswith(p) for k in found)), "item"
    )
    for number, row in enumerate(items(source, member, prefix, report), start=1):
        if isinstance(row, dict):
            yield number, row
        else:
            report.skip(f"message {number}", "it is no message")


def _of_row(row: dict[str, Any], number: int, zone: ZoneInfo, report: Report) -> Line | None:
    place = f"row {number}"
    kind = str(_first(row, ("Type", "type", "msgType", "localType", "类型")) or "").strip()
    if kind in _SYSTEM_TYPES:
        report.skip(place, "the app itself says it")
        return None
    value = _first(row, _TIME)
    moment = epoch(value) if str(value).isdigit() else iso(value, zone=zone)
    if moment is None:
        report.skip(place, "its date can't be read")
        return None
    media = "" if kind in _TEXT_TYPES else _MEDIA_TYPES.get(kind, kind)
    # What stands in the text column of a photo or a link is markup of the app, nothing anybody said.
    text = str(_first(row, _TEXT) or "").strip() if not media else ""
    mine = str(_first(row, _MINE) or "").strip().lower() in ("1", "true")
    name = str(_first(row, _NAMES) or ("我" if mine else _first(row, _ACCOUNTS)) or "").strip()
    ident = _first(row, _IDS)
    return Line(
        text,
        place,
        name,
        moment,
        external_id=str(ident) if ident not in (None, "", "0", 0) else None,
        attachment=media,
    )


def _first(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)
