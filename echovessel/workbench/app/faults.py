"""What the engine says when something can't be done, in the page's language.

The engine's own English sentence is the source. A table gives the same in the other language, found by the sentence
itself, so that one that was stored (why a turn failed) is told as well as one that was just raised.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Formatter

from echovessel.errors import EchoVesselError
from echovessel.text import Language

_QUOTES = "'\""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of the engine with its fields, and how it is told."""

    engine: str
    told: str
    pattern: re.Pattern[str]
    literal: int


@dataclass(frozen=True, slots=True)
class Faults:
    """The table of one language; `lines` with the most letters of their own first, so that the closest fits."""

    kinds: Mapping[str, str]
    terms: Mapping[str, str]
    lines: tuple[Line, ...]

    def line(self, said: str) -> Line | None:
        """The line that a sentence of the engine is, if there is one."""
        return next((line for line in self.lines if line.pattern.fullmatch(said)), None)

    def told(self, said: str) -> str | None:
        """The sentence in this language; None where the table doesn't have it."""
        line = self.line(said)
        if line is None:
            return None
        found = line.pattern.fullmatch(said)
        assert found is not None
        return line.told.format(**{name: self._field(value) for name, value in found.groupdict().items()})

    def _field(self, value: str) -> str:
        bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES else value
        return self.terms.get(bare) or self.told(bare) or bare


@cache
def faults(language: Language) -> Faults | None:
    """The table of a language; None for the engine's own."""
    file = resources.files("echovessel.workbench.app") / "faults.toml"
    found = tomllib.loads(file.read_text(encoding="utf-8")).get(language)
    if found is None:
        return None
    lines = [_line(engine, told) for engine, told in found["said"].items()]
    return Faults(found["kinds"], found["terms"], tuple(sorted(lines, key=lambda line: -line.literal)))


def in_words(fault: EchoVesselError | str, language: Language) -> str:
    """An error, or a stored one's sentence, as a person reads it on the page.

    A sentence that the table lacks is told by its kind, with the engine's own words behind it.
    """
    said = str(fault)
    table = faults(language)
    if table is None:
        return said[:1].upper() + said[1:]
    told = table.told(said)
    if told is not None:
        return told
    kinds = type(fault).__mro__ if isinstance(fault, EchoVesselError) else (EchoVesselError,)
    kind = next(table.kinds[one.__name__] for one in kinds if one.__name__ in table.kinds)
    return f"{kind}（{said}）" if said else kind


def _line(engine: str, told: str) -> Line:
    parts, literal = [], 0
    for text, field, _, _ in Formatter().parse(engine):
        parts.append(re.escape(text))
        literal += len(text)
        if field is not None:
            parts.append(f"(?P<{field}>.*)")
    return Line(engine, told, re.compile("".join(parts), re.DOTALL), literal)
