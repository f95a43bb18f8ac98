"""How text is folded, cut and told apart by script: one place for search, recall and aliases."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib import resources
from typing import Literal

Language = Literal["zh", "en"]

# Unified ideographs with their extensions, compatibility forms, and the iteration mark.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_PIECES = re.compile(f"[{HAN}]+|[^\\W{HAN}]+(?:['\u2019][^\\W{HAN}]+)*")
_SURROGATES = re.compile("[\ud800-\udfff]")
EMOJI = "\u2190-\u21ff\u2300-\u27bf\u2900-\u2bff\U0001f000-\U0001faff"
_EMOJI = re.compile(f"[{EMOJI}]")


@cache
def _simplified() -> dict[int, str]:
    """Traditional to simplified characters, from OpenCC's table; the first choice where it lists several."""
    table = (resources.files("opencc") / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if "\t" in line)
    return {ord(traditional): choices.split()[0] for traditional, choices in pairs}


def clean(text: str) -> str:
    """The text without what no database or model can hold: lone surrogates become U+FFFD, NUL is dropped."""
    return _SURROGATES.sub("\ufffd", text).replace("\x00", "")


def fold(text: str) -> str:
    """What two spellings of one word have in common.

    NFKC (full-width letters, ligatures), casefold, and traditional characters to simplified ones.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold().translate(_simplified())


def is_han(character: str) -> bool:
    """Whether a character is a Chinese one."""
    return not character.isascii() and _HAN_CHARACTER.match(character) is not None


def pieces(text: str) -> list[str]:
    """Words of Latin and other scripts, and runs of Han, in order, from text already folded."""
    return _PIECES.findall(text)


def emoji(text: str) -> list[str]:
    """Emoji and pictographs, one by one."""
    return _EMOJI.findall(text)


def language_of(text: str) -> Language:
    """``zh`` when at least a third of the words and characters are Han, else ``en``."""
    han = 0 if text.isascii() else len(_HAN_CHARACTER.findall(text))
    if not han:
        return "en"
    words = sum(1 for piece in pieces(text) if not is_han(piece[0]))
    return "zh" if han * 3 >= han + words else "en"


def count_tokens(text: str) -> int:
    """About how many tokens a language model would count: one per Han character, four thirds per other word."""
    han = len(_HAN_CHARACTER.findall(text))
    words = sum(1 for piece in pieces(text) if not is_han(piece[0]))
    return han + -(-words * 4 // 3)
