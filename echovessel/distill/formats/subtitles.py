"""Subtitles: SRT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.source import Source

_TIME = regex.compile(r"\s*(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}.*")
_TAG = regex.compile(r"<[^<>]{1,40}>|\{\\[^{}]{1,40}\}")
# "TOM: hello", "- Tom: hello" and "汤姆：你好"; a clock time or a plain clause is no speaker.
_SPEAKER = regex.compile(
    r"(?:-\s*)?(?P<name>\p{Lu}[\p{L}.'’ -]{0,30}|\p{Han}{2,6})\s?[:：]\s*(?P<text>\S.*)", regex.DOTALL
)
_SOUND = regex.compile(r"\s*(?:-\s*)?[\[(（【♪][^\])）】]*[\])）】♪]\s*")


class Srt:
    """SRT; where a title names its speaker, that is kept."""

    name = "srt"
    title = "subtitles"

    def recognises(self, source: Source) -> bool:
        """A number, then a stretch of time, among the first lines."""
        member = source.only(".srt")
        if member is None:
            return False
        lines = [line.strip() for line in source.head(member).splitlines()[:20] if line.strip()]
        return any(a.isdigit() and _TIME.fullmatch(b) for a, b in pairwise(lines))

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """A title a line, without markup; sounds in brackets are skipped. Film time is no date."""
        member = source.one(".srt", what="subtitles")
        report.note("Subtitles count from the film's beginning: the lines have an order and no dates.")
        place, body = "", list[str]()
        waiting = ""
        for number, raw in chain(source.lines(member), [(0, "")]):
            text = _TAG.sub("", raw).strip()
            if _TIME.fullmatch(raw):
                place, body = f"title {waiting or '?'}, line {number}", []
            elif text and not place:
                waiting = text if text.isdigit() else waiting
            elif text:
                body.append(text)
            elif place:
                line = _line("\n".join(body), place)
                if _SOUND.fullmatch(line.text):
                    report.skip(place, "it is a sound")
                elif report.accept(line):
                    yield line
                place, waiting = "", ""


def _line(text: str, place: str) -> Line:
    found = _SPEAKER.fullmatch(text)
    return Line(text, place) if found is None else Line(found["text"].strip(), place, found["name"].strip())
