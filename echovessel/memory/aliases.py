"""Names in text: every alias that occurs in it, found in one pass."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from unicodedata import category

import ahocorasick

from echovessel.errors import InputError
from echovessel.text import HAN, clean, emoji, fold

MAX_CHARACTERS = 100
# Apostrophes, hyphens and the dots inside transliterated names, as people and keyboards write them.
_VARIANTS = str.maketrans("\u2018\u2019\u02bc`\u2010\u2011\u2022\u2027\u30fb", "''''--···")
_VARIANT = re.compile(f"[{''.join(map(chr, _VARIANTS))}]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]")
# Scripts without spaces between words, or whose particles cling to names: Han, hiragana, Hangul, Thai, Lao,
# Tibetan, Burmese, Khmer.
_UNSPACED = re.compile(
    f"[{HAN}\u3041-\u309f\u1100-\u11ff\uac00-\ud7af\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]"
)
_HAN_ONE = re.compile(f"[{HAN}]")
# What may stand before and after a name of one Han character. 林 is meant in 我和林去 but not in 树林里.
_BEFORE_ONE = frozenset(
    "我你您他她它们和跟与同及或问找见约陪叫喊给帮请带等爱想看替对向从把被让像是有的了说着过去来又也都就还而但因为由比"
    "于在到啊呀吧吗呢哦嗯喂嗨送接告诉骂劝信怪夸谢求"
)
_AFTER_ONE = frozenset(
    "的了是说在和跟与同及也都就还又很不没会要想去来给对把被让吗呢吧啊呀哦嘛着过有最怎什那这我你您他她它今昨刚正已从为"
    "到比叫问找见约帮请喜觉做走回吃喝买送写看听聊讲一两"
)


class _Border(Enum):
    """Which characters run together with a name, so that it is only part of a longer word."""

    NONE = 0
    LETTER = 1
    KATAKANA = 2


@dataclass(frozen=True, slots=True)
class Mention:
    """An alias found in a text. `start` and `end` count characters of ``normal(text)``."""

    alias: str
    entities: tuple[str, ...]
    start: int
    end: int


def normal(text: str) -> str:
    """The form in which names are compared.

    Case, width and traditional characters folded; apostrophes, hyphens and middle dots made one; invisible
    characters dropped; white space collapsed, and none at the ends.
    """
    folded = fold(text)
    if _VARIANT.search(folded):
        folded = folded.translate(_VARIANTS)
    if not folded.isascii():
        folded = _INVISIBLE.sub("", folded)
    return " ".join(folded.split())


def alias_key(text: str) -> str:
    """The normal form of a name that may serve as an alias.

    Raises
    ------
    InputError
        Empty, longer than 100 characters, or so little that it would be found everywhere: one letter,
        digits or punctuation alone. One Han character is a name, and so is an emoji.
    """
    key = normal(clean(text))
    if len(key) > MAX_CHARACTERS:
        raise InputError(f"A name holds at most {MAX_CHARACTERS} characters, found {len(key)}.")
    letters = sum(category(character)[0] == "L" for character in key)
    if letters >= 2 or _HAN_ONE.search(key) or emoji(key):
        return key
    raise InputError(
        f"{text!r} can't serve as a name: it would be found everywhere. "
        "Use two letters or more, or a Chinese character."
    )


class AliasMatcher:
    """Finds aliases in text: Latin and the like on word borders, Han anywhere, the longest first.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Normal form of an alias (`alias_key`), and the id of an entity that goes by it.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        owners: dict[str, set[str]] = {}
        for alias, entity in pairs:
            owners.setdefault(alias, set()).add(entity)
        self._owners = {alias: tuple(sorted(entities)) for alias, entities in owners.items()}
        self._automaton = ahocorasick.Automaton()
        for alias in self._owners:
            self._automaton.add_word(alias, alias)
        self._automaton.make_automaton()

    def __len__(self) -> int:
        return len(self._owners)

    def match(self, text: str) -> list[Mention]:
        """Every alias that occurs in a text, in order; one inside a longer one is covered by it."""
        if not self._owners:
            return []
        folded = normal(text)
        found = []
        for last, alias in self._automaton.iter(folded):
            start, end = last + 1 - len(alias), last + 1
            if _stands_alone(folded, start, end):
                found.append((start, -end, alias))
        found.sort()
        mentions, covered = [], 0
        for start, minus_end, alias in found:
            if -minus_end > covered:
                covered = -minus_end
                mentions.append(Mention(alias, self._owners[alias], start, covered))
        return mentions

    def entities(self, text: str) -> set[str]:
        """Ids of all entities that a text names."""
        return {entity for mention in self.match(text) for entity in mention.entities}


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the words at ``text[start:end]`` are a name there, and no part of a longer word."""
    before = text[start - 1] if start else ""
    after = text[end : end + 1]
    if end - start == 1 and _HAN_ONE.match(text[start]):
        return _open(before, _BEFORE_ONE) and _open(after, _AFTER_ONE)
    if before and _clings(before, text[start]):
        return False
    return not after or not _clings(text[end - 1], after) or _is_plural_possessive(text, end)


def _open(neighbour: str, allowed: frozenset[str]) -> bool:
    return not neighbour or neighbour in allowed or not _HAN_ONE.match(neighbour)


def _clings(left: str, right: str) -> bool:
    border = _border(left)
    return border is not _Border.NONE and border is _border(right)


def _is_plural_possessive(text: str, end: int) -> bool:
    """``Scotts'`` names Scott; ``Scotts`` does not."""
    return text.startswith("s'", end) and (
        len(text) <= end + 2 or _border(text[end + 2]) is not _Border.LETTER
    )


@lru_cache(maxsize=4096)
def _border(character: str) -> _Border:
    if character.isascii():
        return _Border.LETTER if character.isalnum() or character == "_" else _Border.NONE
    if _KATAKANA.match(character):
        return _Border.KATAKANA
    if _UNSPACED.match(character):
        return _Border.NONE
    return _Border.LETTER if category(character)[0] in "LNM" else _Border.NONE
