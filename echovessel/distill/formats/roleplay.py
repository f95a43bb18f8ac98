"""Character chats: SillyTavern's JSONL and RisuAI's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import items, json_object, opening
from echovessel.distill.formats.moments import epoch, iso
from echovessel.distill.source import Source

# "2023-07-12@20h28m01s", as SillyTavern names files and dates chats; older ones put spaces between.
_TAVERN_DATE = regex.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})\s?@\s?(\d{1,2})h\s?(\d{1,2})m(?:\s?(\d{1,2})s)?(?:\s?\d+ms)?"
)
_WORDED_DATE = "%B %d, %Y %I:%M%p"
_RISU = ("risuChat", "risuAllChats")


class SillyTavern:
    """SillyTavern's JSONL: a head with the names, then a message a line. Of several answers the chosen one is read."""

    name = "sillytavern"
    title = "SillyTavern"

    def recognises(self, source: Source) -> bool:
        """Lines of JSON with `mes`."""
        member = source.only(".jsonl")
        if member is None:
            return False
        first = [json_object(line) for line in source.head(member).splitlines()[:3]]
        return any(found is not None and "mes" in found and "name" in found for found in first) or (
            first[:1] != [] and first[0] is not None and {"user_name", "character_name"} <= first[0].keys()
        )

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Each line with the speaker it names; one that names none stays without."""
        member = source.one(".jsonl", what="chats")
        zone = ZoneInfo(options.zone)
        for number, raw in source.lines(member):
            place = f"line {number}"
            message = json_object(raw)
            if message is None:
                if raw.strip():
                    report.skip(place, "it is no whole JSON")
            elif "mes" not in message:
                if number > 1:
                    report.skip(place, "it is no message")
            elif message.get("is_system") or (message.get("extra") or {}).get("type") == "narrator":
                report.skip(place, "the program itself says it")
            else:
                line = Line(
                    str(message["mes"] or "").strip(),
                    place,
                    str(message.get("name") or "").strip(),
                    _tavern_date(message.get("send_date"), zone, report),
                )
                if report.accept(line):
                    yield line


class RisuAI:
    """RisuAI's chats, one or all of a character."""

    name = "risuai"
    title = "RisuAI"

    def recognises(self, source: Source) -> bool:
        """A file that says it is a chat of RisuAI."""
        member = source.only(".json")
        return member is not None and opening(source, member).get("type") in _RISU

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Both sides; who the character is, the file doesn't always say."""
        member = source.one(".json", what="chats")
        whole = opening(source, member).get("type") == "risuAllChats"
        for number, chat in enumerate(
            items(source, member, "data.item" if whole else "data", report), start=1
        ):
            if not isinstance(chat, dict) or not isinstance(chat.get("message"), list):
                report.skip(f"chat {number}", "it is no chat")
                continue
            name = str(chat.get("name") or f"chat {number}") if whole else ""
            for position, message in enumerate(chat["message"], start=1):
                place = f"message {position}" + (f" of {name}" if name else "")
                if not isinstance(message, dict) or message.get("role") not in ("user", "char"):
                    report.skip(place, "it is no message")
                    continue
                # Without a name of its own a line is the character's or the user's, as its role says.
                line = Line(
                    str(message.get("data") or "").strip(),
                    place,
                    str(message.get("name") or message["role"]),
                    epoch(message.get("time")) if message.get("time") else None,
                    conversation=name,
                    external_id=str(message["chatId"]) if message.get("chatId") else None,
                )
                if report.accept(line):
                    yield line


def _tavern_date(value: Any, zone: ZoneInfo, report: Report) -> datetime | None:
    """Milliseconds, ISO, ``July 12, 2023 8:28pm`` or ``2023-07-12@20h28m01s``."""
    if value in (None, ""):
        return None
    if isinstance(value, int | float) or str(value).isdigit():
        return epoch(value)
    report.note(f"Times without a zone are read as those of {zone.key}.")
    if found := _TAVERN_DATE.match(str(value)):
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        try:
            return datetime(year, month, day, hour, minute, second, tzinfo=zone)
        except ValueError:
            return None
    try:
        return datetime.strptime(str(value), _WORDED_DATE).replace(tzinfo=zone)
    except ValueError:
        return iso(value, zone=zone)
