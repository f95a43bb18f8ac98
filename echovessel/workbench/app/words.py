"""The words of the page, from one table in both languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import resources
from typing import get_args

from echovessel.text import Language
from echovessel.timewords import day_in_words, days_in_words

LANGUAGES: tuple[Language, ...] = get_args(Language)


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """Every key with its text in each language."""
    file = resources.files("echovessel.workbench.app") / "strings.toml"
    found: dict[str, Mapping[str, str]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return found


class Words:
    """The page's words in one language: ``words("empty_hits")``."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __call__(self, key: str, **fields: object) -> str:
        """The text of a key, with its fields filled in.

        Raises
        ------
        KeyError
            The table has no such key.
        """
        found = table()[key][self.language]
        return found.format(**fields) if fields else found

    def or_same(self, key: str, value: str) -> str:
        """The text of ``key_value``, or the value itself where it is no member of a closed list."""
        known = table().get(f"{key}_{value.replace('-', '_')}")
        return value if known is None else known[self.language]

    def day(self, day: date, today: date) -> str:
        """A day in words, with its date."""
        return f"{day_in_words(day, today, self.language)} · {day.isoformat()}"

    def days(self, first: date | None, last: date | None, today: date) -> str:
        """A stretch of days in words, with its dates; empty where neither end is known."""
        said = days_in_words(first, last, today, self.language)
        dates = dict.fromkeys(day.isoformat() for day in (first, last) if day is not None)
        return f"{said} · {' – '.join(dates)}" if said else ""


def preferred(header: str) -> Language:
    """The language of a browser, from its Accept-Language header; English where it names neither."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(header.split(",")):
        tag, _, rest = part.strip().partition(";")
        try:
            weight = float(rest.strip().removeprefix("q=")) if rest.strip() else 1.0
        except ValueError:
            weight = 0.0
        wanted.append((-weight, place, tag.strip().lower().partition("-")[0]))
    for weight, _, tag in sorted(wanted):
        for language in LANGUAGES:
            if tag == language and weight < 0:
                return language
    return "en"
