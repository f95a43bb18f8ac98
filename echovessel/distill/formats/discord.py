"""Discord: the JSON of DiscordChatExporter, and the data package that Discord itself sends.

Formats: https://github.com/Tyrrrz/DiscordChatExporter and
https://support.discord.com/hc/en-us/articles/360004957991
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import items, opening
from echovessel.distill.formats.moments import iso
from echovessel.distill.source import Source
from echovessel.errors import FormatError

_SAID = ("Default", "Reply", "ApplicationCommand", "ContextMenuCommand", "ThreadStarterMessage")


class DiscordExporter:
    """JSON files of DiscordChatExporter: one channel with everybody's messages."""

    name = "discord"
    title = "DiscordChatExporter"

    def recognises(self, source: Source) -> bool:
        """A channel, and messages with an author."""
        member = source.only(".json")
        if member is None:
            return False
        found = opening(source, member)
        return "channel.id" in found and (
            "messages.item.author.id" in found or found.get("messages") == "start_array"
        )

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """What people said; joins, pins and calls are skipped."""
        member = source.one(".json", what="JSON files")
        for number, message in enumerate(items(source, member, "messages.item", report), start=1):
            place = f"message {number}"
            if not isinstance(message, dict):
                report.skip(place, "it is no message")
                continue
            place = f"message {message.get('id', number)}"
            line = _exported(message, place, report)
            if line is not None and report.accept(line):
                yield line


class DiscordPackage:
    """Discord's own data package: what one person wrote, in every channel."""

    name = "discord-package"
    title = "Discord data package"

    def recognises(self, source: Source) -> bool:
        """A folder or zip with an index of messages."""
        return source.packed and bool(_channels(source))

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The owner's messages; the package holds nobody else's."""
        channels = _channels(source)
        if not channels:
            raise FormatError(f"{source.path} holds no messages folder. Give the package as Discord sent it.")
        owner = _owner(source)
        report.note("A data package holds only what its owner wrote, not the answers.")
        for member in channels:
            folder = member.rsplit("/", 1)[0]
            chat = _name_of(source, f"{folder}/channel.json") or folder.rsplit("/", 1)[-1]
            rows = items(source, member, "item", report) if member.endswith(".json") else _csv(source, member)
            for number, row in enumerate(rows, start=1):
                place = f"message {number} of {chat}"
                line = _packed(row, place, chat, owner, report)
                if line is not None and report.accept(line):
                    yield line


def _exported(message: dict[str, Any], place: str, report: Report) -> Line | None:
    if message.get("type", "Default") not in _SAID:
        report.skip(place, "Discord itself says it")
        return None
    author = message.get("author") or {}
    moment = iso(message.get("timestamp"))
    if moment is None:
        report.skip(place, "its date can't be read")
        return None
    text = str(message.get("content") or "").strip()
    things = [*(message.get("attachments") or ()), *(message.get("stickers") or ())]
    attachment = next((str(thing.get("fileName") or thing.get("name") or "file") for thing in things), "")
    reference = (message.get("reference") or {}).get("messageId")
    return Line(
        text,
        place,
        str(author.get("nickname") or author.get("name") or ""),
        moment,
        external_id=str(message["id"]) if "id" in message else None,
        reply_to=str(reference) if reference else None,
        attachment=attachment,
    )


def _packed(row: Any, place: str, chat: str, owner: str, report: Report) -> Line | None:
    if not isinstance(row, dict):
        report.skip(place, "it is no message")
        return None
    moment = iso(row.get("Timestamp"))
    if moment is None:
        report.skip(place, "its date can't be read")
        return None
    text, attachment = str(row.get("Contents") or "").strip(), str(row.get("Attachments") or "").strip()
    ident = row.get("ID")
    return Line(
        text,
        place,
        owner,
        moment,
        conversation=chat,
        external_id=None if ident is None else str(ident),
        attachment=attachment,
    )


def _channels(source: Source) -> list[str]:
    return [
        member
        for member in source.members
        if member.lower().endswith(("/messages.json", "/messages.csv")) and "messages/" in member.lower()
    ]


def _csv(source: Source, member: str) -> Iterator[dict[str, str]]:
    with source.text(member) as stream:
        yield from csv.DictReader(stream)


def _owner(source: Source) -> str:
    member = source.member("account/user.json", "Account/user.json")
    user = _small(source, member) if member else {}
    return str(user.get("global_name") or user.get("username") or "")


def _name_of(source: Source, member: str) -> str:
    channel = _small(source, member) if member in source.members else {}
    guild = channel.get("guild")
    return " / ".join(
        str(p) for p in (guild.get("name") if isinstance(guild, dict) else None, channel.get("name")) if p
    )


def _small(source: Source, member: str) -> dict[str, Any]:
    """A small JSON object; an empty one where it can't be read, since it only gives a name."""
    with source.text(member) as stream:
        try:
            value = json.load(stream)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}
