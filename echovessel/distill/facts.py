"""What somebody says of themselves in plain words, found by pattern, each with its quote."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

import regex

from echovessel.distill.archive import Line
from echovessel.text import Language, fold, language_of

_SENTENCE = regex.compile(r"[^.!?。！？；;\n]+[.!?。！？；;]*")
# A question, a condition, a joke, the past or what others say states nothing of today.
_NOT_STATED = regex.compile(
    r"[?？]|\b(?:if|unless|wish|imagine|pretend|suppose|would|could|might|maybe|lol|jk|haha|kidding)\b"
    r"|\b(?:feels? like|felt like|as though|used to|(?:s?he|they|who) (?:said|says|thinks?|told))\b"
    r"|如果|要是|假如|假装|也许|可能|大概|开玩笑|哈哈|吗[。！]?$|是不是|梦见|[他她]们?说|以前|小时候",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that a speaker said of themselves.

    Attributes
    ----------
    attribute : str
        ``name``, ``work``, ``home``, ``origin``, ``age``, ``family``, ``likes``, ``dislikes``, ``habit`` or ``trait``.
    value : str
        What was said of it, in the speaker's words.
    quote : str
        The sentence, as it stands in the archive.
    line : Line
        Where.
    """

    attribute: str
    value: str
    quote: str
    line: Line


def facts(lines: Iterable[Line]) -> list[Fact]:
    """Facts in the order in which they were said.

    Only plain statements in the first person; questions, conditions, jokes and forwarded words state nothing. A fact
    missed is better than a wrong one.
    """
    found: list[Fact] = []
    for line in lines:
        if line.forwarded:
            continue
        for sentence in _SENTENCE.findall(line.text):
            if _NOT_STATED.search(sentence):
                continue
            for attribute, pattern in _patterns(language_of(sentence)):
                match = pattern.search(sentence)
                if match and (value := match["value"].strip(" ,，、.。!！~～")):
                    found.append(Fact(attribute, value, sentence.strip(), line))
    return found


def latest(found: Iterable[Fact]) -> dict[tuple[str, str], list[Fact]]:
    """Facts that say the same of the same attribute, together; a name, a home or a work replaces the one before.

    Returns
    -------
    Facts by (attribute, folded value), the latest said last; of attributes that hold one value at a time only the last.
    """
    grouped: dict[tuple[str, str], list[Fact]] = {}
    for fact in found:
        key = (fact.attribute, fold(fact.value))
        if fact.attribute in ONE_AT_A_TIME:
            for other in [known for known in grouped if known[0] == fact.attribute and known != key]:
                del grouped[other]
        grouped.setdefault(key, []).append(fact)
    return grouped


ONE_AT_A_TIME = frozenset({"name", "work", "home", "age"})


@cache
def _patterns(language: Language) -> list[tuple[str, regex.Pattern[str]]]:
    table = tomllib.loads((resources.files("echovessel.distill") / "facts.toml").read_text(encoding="utf-8"))
    return [(name, regex.compile(p)) for name, ps in table[language].items() for p in ps]
