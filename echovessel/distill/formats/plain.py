"""Text and Markdown: ``Name: words`` line by line, or a diary under its dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.source import Source

_ENDINGS = (".txt", ".md", ".markdown")
_MARKUP = r"(?:[-*>]\s+)?(?:\*\*|__)?"
_SAID = regex.compile(
    _MARKUP
    + r"(?P<name>[\p{L}\p{N}][\p{L}\p{N} .'’_-]{0,39}?)(?:\*\*|__)?\s?[:：](?:\*\*|__)?\s*(?P<text>\S.*)"
)
_DAY = regex.compile(
    r"(?:#{1,6}\s*|\*\*)?(?P<y>\d{4})[-/.年](?P<m>\d{1,2})[-/.月](?P<d>\d{1,2})日?(?:\*\*)?"
    r"(?:[ ,，]+(?:\p{L}{3,9}|(?:星期|周)[一二三四五六日天]))?\s*"
)
_HEAD_LINES = 200


class PlainText:
    """A script of ``Name: words``; a line without a name goes on with the one before."""

    name = "text"
    title = "text"

    def recognises(self, source: Source) -> bool:
        """At least two lines, and half of them, begin with a name and a colon, and one name comes back."""
        member = source.only(*_ENDINGS)
        if member is None or not member.lower().endswith(_ENDINGS):
            return False
        lines = [line for line in source.head(member).splitlines()[:_HEAD_LINES] if line.strip()]
        names = Counter(found["name"] for line in lines if (found := _SAID.fullmatch(line.strip())))
        return names.total() >= 2 and names.total() * 2 >= len(lines) and max(names.values()) >= 2

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Each speech, with the lines that go on with it; headings are skipped."""
        member = source.one(*_ENDINGS, what="texts")
        held: Line | None = None
        for number, raw in source.lines(member):
            text = raw.strip()
            found = _SAID.fullmatch(text)
            if found:
                if held is not None and report.accept(held):
                    yield held
                held = Line(found["text"].strip(), f"line {number}", found["name"].strip())
            elif text.startswith("#"):
                report.skip(f"line {number}", "it is a heading")
            elif text and held is None:
                report.skip(f"line {number}", "nobody says it")
            elif text and held is not None:
                held = Line(f"{held.text}\n{text}", held.place, held.speaker)
        if held is not None and report.accept(held):
            yield held


class Diary:
    """A diary: a date alone in its line, and what was written on that day; a paragraph is a line of its writer's."""

    name = "diary"
    title = "diary"
    speaker = "me"

    def recognises(self, source: Source) -> bool:
        """A line that is a date and nothing else, among the first that say anything."""
        member = source.only(*_ENDINGS)
        if member is None or not member.lower().endswith(_ENDINGS):
            return False
        lines = [line for line in source.head(member).splitlines()[:_HEAD_LINES] if line.strip()]
        return any(_DAY.fullmatch(line.strip()) for line in lines[:5])

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Paragraphs at noon of their day; what stands before the first date is skipped."""
        day: datetime | None = None
        paragraph: list[str] = []
        start, zone = 0, ZoneInfo(options.zone)
        report.note(f"A diary names no hours: each entry is put at noon of its day, in {options.zone}.")
        for number, raw in chain(source.lines(source.one(*_ENDINGS, what="texts")), [(0, "")]):
            text = raw.strip()
            heading = _DAY.fullmatch(text)
            if text and not heading:
                start = start if paragraph else number
                paragraph.append(text)
                continue
            if paragraph and day is None:
                report.skip(f"line {start}", "it stands before the first date")
            elif paragraph:
                line = Line("\n".join(paragraph), f"line {start}", self.speaker, day)
                if report.accept(line):
                    yield line
            paragraph = []
            if heading:
                day = _noon(heading, zone) or day
                if _noon(heading, zone) is None:
                    report.skip(f"line {number}", "there is no such day")


def _noon(found: regex.Match[str], zone: ZoneInfo) -> datetime | None:
    try:
        return datetime(int(found["y"]), int(found["m"]), int(found["d"]), 12, tzinfo=zone)
    except ValueError:
        return None
