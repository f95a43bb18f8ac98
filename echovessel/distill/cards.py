"""Character cards V1, V2 and V3, as JSON or inside a PNG; and a persona as a V3 card."""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.memory.memory import Memory
from echovessel.memory.records import CoreLabel

_PNG = b"\x89PNG\r\n\x1a\n"
_LARGEST = 64 * 1024 * 1024
_CHUNKS = ("ccv3", "chara")  # the newer one counts where a file has both


@dataclass(frozen=True, slots=True)
class Entry:
    """Something of a lorebook, told when one of its keys is said."""

    keys: tuple[str, ...]
    content: str
    name: str = ""
    enabled: bool = True
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A character card.

    Attributes
    ----------
    spec : ``"1"``, ``"2"`` or ``"3"``
    greetings : tuple of str
        The first message, then the others to choose from.
    examples : str
        Example talks, as they stand in the card.
    lore : tuple of Entry
    notes : str
        The maker's notes to people; no part of the character.
    """

    spec: str
    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    greetings: tuple[str, ...] = ()
    examples: str = ""
    system: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()
    creator: str = ""
    lore: tuple[Entry, ...] = ()
    nickname: str = ""
    post_history: str = ""

    def filled(self, text: str, *, user: str = "you") -> str:
        """A text of the card with ``{{char}}`` and ``{{user}}`` put in."""
        shown = self.nickname or self.name
        for mark, name in (("{{char}}", shown), ("<BOT>", shown), ("{{user}}", user), ("<USER>", user)):
            text = text.replace(mark, name).replace(mark.title(), name).replace(mark.upper(), name)
        return text


def read_card(path: str | os.PathLike[str]) -> Card:
    """The card in a JSON or PNG file.

    Raises
    ------
    FormatError
        There is none, or it is broken.
    """
    path = Path(path).expanduser()
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(f"{path} is too large for a character card.")
        raw = path.read_bytes()
    except OSError as error:
        raise FormatError(f"{path} can't be read: {error.strerror or error}.") from error
    if raw.startswith(_PNG):
        raw = _inside(raw, path)
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} holds no character card: it is no whole JSON.") from error
    return _card(value, path)


def card_of(memory: Memory, *, now: datetime | None = None) -> dict[str, Any]:
    """A persona as a V3 card: what its shared blocks say. No message and nothing of any user goes with it."""
    persona = memory.personas.get(memory.context.persona)
    texts = dict.fromkeys((CoreLabel.PERSONA, CoreLabel.SELF, CoreLabel.STYLE), "")
    for block in memory.core.all():
        if block.label in texts:
            texts[block.label] = block.text
    moment = int((now or memory.context.clock.now()).timestamp())
    return {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {
            "name": persona.name,
            "description": texts[CoreLabel.PERSONA],
            "personality": texts[CoreLabel.SELF],
            "scenario": "",
            "first_mes": "",
            "mes_example": "",
            "creator_notes": f"Kind of persona: {persona.kind}.",
            "system_prompt": "",
            "post_history_instructions": texts[CoreLabel.STYLE],
            "alternate_greetings": [],
            "group_only_greetings": [],
            "tags": [],
            "creator": "",
            "character_version": "",
            "extensions": {"echovessel": {"kind": persona.kind}},
            "creation_date": moment,
            "modification_date": moment,
        },
    }


def into_png(picture: bytes, card: dict[str, Any]) -> bytes:
    """A PNG with a V3 card inside, in place of any it had.

    Raises
    ------
    FormatError
        The picture is no PNG.
    """
    if not picture.startswith(_PNG):
        raise FormatError("The picture is no PNG.")
    parts = [_PNG]
    for kind, body in _pieces(picture, "The picture"):
        if kind == b"tEXt" and body.split(b"\0", 1)[0].decode("latin-1").lower() in _CHUNKS:
            continue
        if kind == b"IEND":
            text = b"ccv3\0" + base64.b64encode(json.dumps(card, ensure_ascii=False).encode())
            parts.append(_piece(b"tEXt", text))
        parts.append(_piece(kind, body))
    return b"".join(parts)


def blank_picture() -> bytes:
    """A plain grey PNG for a card without a portrait, 400 by 600 pixels."""
    width, height = 400, 600
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\x80" * width) * height)
    return _PNG + _piece(b"IHDR", head) + _piece(b"IDAT", pixels) + _piece(b"IEND", b"")


def _inside(raw: bytes, path: Path) -> bytes:
    found: dict[str, bytes] = {}
    for kind, body in _pieces(raw, str(path)):
        if kind == b"tEXt":
            key, _, text = body.partition(b"\0")
            found[key.decode("latin-1").lower()] = text
    for name in _CHUNKS:
        if name in found:
            try:
                return base64.b64decode(found[name], validate=False)
            except binascii.Error as error:
                raise FormatError(f"{path}: its {name} chunk is no Base64.") from error
    raise FormatError(f"{path} is a picture without a character card inside.")


def _pieces(raw: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at + 12 <= len(raw):
        (size,) = struct.unpack_from(">I", raw, at)
        kind, body = raw[at + 4 : at + 8], raw[at + 8 : at + 8 + size]
        if len(body) < size:
            break
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + size
    raise FormatError(f"{name} is cut off.")


def _piece(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _card(value: Any, path: Path) -> Card:
    if not isinstance(value, dict):
        raise FormatError(f"{path} holds no character card.")
    spec = {"chara_card_v2": "2", "chara_card_v3": "3"}.get(str(value.get("spec")), "1")
    data = value.get("data") if spec != "1" else value
    if not isinstance(data, dict) or not _text(data, "name"):
        raise FormatError(f"{path} holds no character card: it has no name.")
    if spec == "1" and not any(key in data for key in ("description", "personality", "first_mes")):
        raise FormatError(f"{path} holds no character card: it describes nobody.")
    greetings = [_text(data, "first_mes"), *_texts(data.get("alternate_greetings"))]
    return Card(
        spec,
        _text(data, "name"),
        _text(data, "description"),
        _text(data, "personality"),
        _text(data, "scenario"),
        tuple(greeting for greeting in greetings if greeting),
        _text(data, "mes_example"),
        _text(data, "system_prompt"),
        _text(data, "creator_notes"),
        tuple(_texts(data.get("tags"))),
        _text(data, "creator"),
        tuple(_lore(data.get("character_book"))),
        _text(data, "nickname"),
        _text(data, "post_history_instructions"),
    )


def _lore(book: Any) -> Iterator[Entry]:
    entries = book.get("entries") if isinstance(book, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and _text(entry, "content"):
            yield Entry(
                tuple(_texts(entry.get("keys"))),
                _text(entry, "content"),
                _text(entry, "name"),
                entry.get("enabled") is not False,
                entry.get("constant") is True,
            )


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value.strip() if isinstance(value, str) else ""


def _texts(values: Any) -> list[str]:
    given = values if isinstance(values, list) else []
    return [value.strip() for value in given if isinstance(value, str) and value.strip()]
