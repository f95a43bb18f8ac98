"""Character cards in and out."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.distill.cards import Entry, card_of, into_png, read_card
from echovessel.errors import FormatError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope

V1 = {"name": "Lin", "description": "Keeps a lighthouse.", "first_mes": "You came, {{user}}."}
BOOK = {
    "entries": [
        {"keys": ["lamp", "灯"], "content": "The lamp is old.", "enabled": True, "constant": True},
        {"keys": ["boat"], "content": "It leaks.", "enabled": False, "name": "Boat"},
        {"keys": ["empty"], "content": ""},
        "odd",
    ]
}
V2 = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": V1 | {"alternate_greetings": ["晚上好。", 5, ""], "tags": ["sea"], "character_book": BOOK},
}
V3 = V2 | {"spec": "chara_card_v3", "spec_version": "3.0", "data": V2["data"] | {"nickname": "L"}}  # type: ignore[operator]


def piece(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(**chunks: Any) -> bytes:
    texts = b"".join(
        piece(b"tEXt", key.encode() + b"\0" + base64.b64encode(json.dumps(card).encode()))
        for key, card in chunks.items()
    )
    head = piece(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + texts + piece(b"IDAT", zlib.compress(b"\0\0")) + piece(b"IEND", b"")


@pytest.mark.parametrize(("card", "spec"), [(V1, "1"), (V2, "2"), (V3, "3")])
@pytest.mark.parametrize("packed", ["json", "png"])
def test_every_version_is_read(tmp_path: Path, card: dict[str, Any], spec: str, packed: str) -> None:
    path = tmp_path / f"card.{packed}"
    path.write_bytes(png(chara=card) if packed == "png" else json.dumps(card).encode("utf-8-sig"))

    found = read_card(path)

    assert (found.spec, found.name, found.description) == (spec, "Lin", "Keeps a lighthouse.")
    assert found.filled(found.greetings[0], user="Mei") == "You came, Mei."
    if spec != "1":
        assert found.greetings[1:] == ("晚上好。",)
        assert found.lore == (
            Entry(("lamp", "灯"), "The lamp is old.", constant=True),
            Entry(("boat",), "It leaks.", "Boat", enabled=False),
        )


def test_the_newer_chunk_counts(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    path.write_bytes(png(chara=V2, ccv3=V3))

    assert read_card(path).nickname == "L"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{", "no whole JSON"),
        (b"[]", "no character card"),
        (b'{"name": "x"}', "describes nobody"),
        (b'{"spec": "chara_card_v2", "data": {}}', "no name"),
        (png(), "without a character card"),
        (png(chara=V1)[:60], "cut off"),
    ],
)
def test_what_is_no_card_is_refused_in_a_sentence(tmp_path: Path, raw: bytes, why: str) -> None:
    (tmp_path / "card").write_bytes(raw)

    with pytest.raises(FormatError, match=why):
        read_card(tmp_path / "card")


def test_a_persona_goes_out_as_a_card_and_comes_back(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    with Memory.open(tmp_path / "m.db", persona="lin", scope=Scope.user("mei"), clock=clock) as memory:
        memory.core.set("persona", "Keeps a lighthouse.", actor="manual")
        memory.core.set("style", "短句。", actor="manual")
        memory.core.set("user", "Mei has a secret.", actor="manual")
        card = card_of(memory)

    (tmp_path / "lin.png").write_bytes(into_png(png(chara=V1), card))
    back = read_card(tmp_path / "lin.png")

    assert (back.spec, back.name, back.description) == ("3", "lin", "Keeps a lighthouse.")
    assert card["data"]["post_history_instructions"] == "短句。"
    assert card["data"]["creation_date"] == 1780315200
    assert "secret" not in json.dumps(card)
