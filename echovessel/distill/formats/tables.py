"""CSV and JSONL of any origin, by the names of their columns."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import json_object
from echovessel.distill.formats.moments import epoch, iso
from echovessel.distill.source import Source

SPEAKER = ("speaker", "sender", "author", "name", "from", "user", "role", "说话人", "发送者", "昵称", "姓名")
TEXT = ("text", "message", "content", "body", "utterance", "line", "内容", "消息", "文本")
TIME = ("sent_at", "timestamp", "time", "date", "datetime", "created_at", "时间", "日期", "发送时间")
IDENT = ("id", "message_id", "消息id")
TALK = ("conversation", "conversation_id", "chat", "channel", "thread", "session", "dialogue_id", "会话")


class _Table(ABC):
    """A row is a line: a column of text, and where there are any, of speaker, time, talk and id."""

    name = ""
    title = ""
    ending = ""

    def recognises(self, source: Source) -> bool:
        """Columns of both a speaker and a text."""
        member = source.only(self.ending)
        if member is None or not member.lower().endswith(self.ending):
            return False
        columns = self._columns(source.head(member))
        return bool(columns & set(TEXT)) and bool(columns & set(SPEAKER))

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Each row with a text; times without a zone are those of the options."""
        member = source.one(self.ending, what=f"{self.title} files")
        zone = ZoneInfo(options.zone)
        for place, row in self._rows(source, member, report):
            fields = {str(key).strip().lstrip("\ufeff").casefold(): value for key, value in row.items()}
            moment = _moment(_first(fields, TIME), zone, report, place)
            line = Line(
                _word(fields, TEXT),
                place,
                _word(fields, SPEAKER),
                moment,
                conversation=_word(fields, TALK),
                external_id=_word(fields, IDENT) or None,
            )
            if report.accept(line):
                yield line

    @abstractmethod
    def _columns(self, head: str) -> set[str]:
        """The names of the columns, from the beginning of the file, in lower case."""

    @abstractmethod
    def _rows(self, source: Source, member: str, report: Report) -> Iterator[tuple[str, dict[Any, Any]]]:
        """Each row with its place."""


class Csv(_Table):
    """A table with commas, semicolons or tabs, and a row of headings."""

    name = "csv"
    title = "CSV"
    ending = ".csv"

    def _columns(self, head: str) -> set[str]:
        first = head.split("\n", 1)[0].strip("\r\ufeff")
        return {name.strip().strip('"').casefold() for name in first.split(_delimiter(first))}

    def _rows(self, source: Source, member: str, report: Report) -> Iterator[tuple[str, dict[Any, Any]]]:
        delimiter = _delimiter(source.head(member).split("\n", 1)[0])
        with source.text(member) as stream:
            rows = csv.DictReader(stream, delimiter=delimiter)
            while True:
                try:
                    row = next(rows)
                except StopIteration:
                    return
                except csv.Error as error:
                    report.skip(f"line {rows.line_num}", f"the table is broken there ({error})")
                    continue
                yield f"line {rows.line_num}", {key: value for key, value in row.items() if key is not None}


class Jsonl(_Table):
    """A JSON object a line."""

    name = "jsonl"
    title = "JSONL"
    ending = ".jsonl"

    def _columns(self, head: str) -> set[str]:
        row = json_object(head.split("\n", 1)[0])
        return set() if row is None else {str(key).casefold() for key in row}

    def _rows(self, source: Source, member: str, report: Report) -> Iterator[tuple[str, dict[Any, Any]]]:
        for number, raw in source.lines(member):
            row = json_object(raw)
            if row is not None:
                yield f"line {number}", row
            elif raw.strip():
                report.skip(f"line {number}", "it is no whole JSON object")


def _delimiter(heading: str) -> str:
    return max(",;\t", key=heading.count)


def _first(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _word(fields: dict[str, Any], names: tuple[str, ...]) -> str:
    value = _first(fields, names)
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _moment(value: Any, zone: ZoneInfo, report: Report, place: str) -> Any:
    if value is None:
        return None
    number = str(value).strip().replace(".", "", 1).isdigit()
    moment = epoch(value) if number else iso(value, zone=zone)
    if moment is None:
        report.note(
            f"Some times can't be read, the first in {place}; those lines keep their order without one."
        )
    elif not number and moment.tzinfo is zone:
        report.note(f"Times without a zone are read as those of {zone.key}.")
    return moment
