"""Telegram Desktop's export in JSON (`result.json`): one chat, or all of an account.

Format: https://core.telegram.org/import-export
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import items, opening
from echovessel.distill.formats.moments import epoch, iso
from echovessel.distill.source import Source
from echovessel.errors import FormatError

_MEDIA = (
    "file_name",
    "file",
    "photo",
    "sticker_emoji",
    "media_type",
    "location_information",
    "contact_information",
)


class Telegram:
    """Telegram Desktop JSON exports."""

    name = "telegram"
    title = "Telegram"

    def recognises(self, source: Source) -> bool:
        """A chat with typed messages, or an account's list of chats."""
        member = source.member("result.json")
        if member is None or not member.endswith(".json"):
            return False
        found = opening(source, member)
        one = "messages.item.id" in found and "messages.item.type" in found and "messages.item.date" in found
        return one or "chats.list" in found

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Messages of people; service messages (calls, pins, members) are skipped."""
        member = source.member("result.json")
        if member is None:
            raise FormatError(
                f"{source.path} holds no result.json. Give the file or folder Telegram exported."
            )
        zone = ZoneInfo(options.zone)
        if "chats.list" in opening(source, member):
            # One chat is taken whole; an account's export is as large as its largest chat.
            for chat in items(source, member, "chats.list.item", report):
                name = str(chat.get("name") or chat.get("type") or chat.get("id") or "")
                yield from _of_chat(chat.get("messages") or (), name, zone, report)
        else:
            yield from _of_chat(items(source, member, "messages.item", report), "", zone, report)


def _of_chat(
    messages: Iterator[Any] | list[Any] | tuple[Any, ...], chat: str, zone: ZoneInfo, report: Report
) -> Iterator[Line]:
    for number, message in enumerate(messages, start=1):
        place = f"message {number}" + (f" of {chat}" if chat else "")
        if not isinstance(message, dict):
            report.skip(place, "it is no message")
            continue
        place = f"message {message.get('id', number)}" + (f" of {chat}" if chat else "")
        line = _line(message, place, chat, zone, report)
        if line is not None and report.accept(line):
            yield line


def _line(message: dict[str, Any], place: str, chat: str, zone: ZoneInfo, report: Report) -> Line | None:
    if message.get("type") != "message":
        report.skip(place, "Telegram itself says it")
        return None
    moment = _moment(message, zone, report)
    if moment is None:
        report.skip(place, "its date can't be read")
        return None
    text = _text(message.get("text", "")).strip()
    attachment = next((str(message[key]) for key in _MEDIA if message.get(key)), "")
    reply = message.get("reply_to_message_id")
    return Line(
        text,
        place,
        str(message.get("from") or ("Deleted account" if message.get("from_id") else "")),
        moment,
        conversation=chat,
        external_id=f"{chat}/{message['id']}" if "id" in message else None,
        reply_to=f"{chat}/{reply}" if reply is not None else None,
        attachment=attachment,
        forwarded=bool(message.get("forwarded_from")),
    )


def _moment(message: dict[str, Any], zone: ZoneInfo, report: Report) -> datetime | None:
    if "date_unixtime" in message:
        return epoch(message["date_unixtime"])
    report.note(f"Times are read as those of {zone.key}; this older export writes no zone.")
    return iso(message.get("date"), zone=zone)


def _text(text: Any) -> str:
    """Plain text, or a list of plain text and entities (links, bold, mentions)."""
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        return "".join(
            part if isinstance(part, str) else str(part.get("text", ""))
            for part in text
            if isinstance(part, str | dict)
        )
    return ""
