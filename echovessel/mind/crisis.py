"""Words of crisis: how a reply meets somebody who may be in danger. The hook can be replaced by another."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Protocol

import regex

from echovessel.text import Language, language_of


@dataclass(frozen=True, slots=True)
class Crisis:
    """Somebody may be in danger.

    `language` is theirs; `resources` says where help can be had, and is empty when they were told before.
    """

    language: Language
    resources: str = ""


class CrisisHook(Protocol):
    """Looks at what somebody said."""

    def look(self, text: str) -> Crisis | None:
        """Whether it speaks of danger to themselves, and where help can be had."""


class WordsOfCrisis:
    """Finds plain words of self-harm in Chinese and English, but for figures of speech ("this is killing me", 笑死).

    It errs on the side of looking: a quote or a film title may set it off, which costs a warmer answer.
    """

    def look(self, text: str) -> Crisis | None:
        """Whether such words stand in the text."""
        words, language = _words(), language_of(text)
        plain = words.figures.sub(" ", text)
        return Crisis(language, words.resources[language]) if words.danger.search(plain) else None


@dataclass(frozen=True, slots=True)
class _Words:
    danger: regex.Pattern[str]
    figures: regex.Pattern[str]
    resources: dict[Language, str]


@cache
def _words() -> _Words:
    table = tomllib.loads((resources.files("echovessel.mind") / "crisis.toml").read_text(encoding="utf-8"))

    def any_of(key: str) -> regex.Pattern[str]:
        # Latin phrases stand between word borders; Han has none.
        english = "|".join(table["en"][key])
        chinese = "|".join(table["zh"][key])
        return regex.compile(rf"\b(?:{english})\b|(?:{chinese})", regex.IGNORECASE)

    return _Words(
        any_of("danger"),
        any_of("figures"),
        {"en": table["en"]["resources"], "zh": table["zh"]["resources"]},
    )
