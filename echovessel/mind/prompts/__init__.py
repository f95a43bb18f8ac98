"""Prompts as files: one per purpose and language, with a version and named fields."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import regex

from echovessel.models.language import Request, Say
from echovessel.text import Language

_FIELD = regex.compile(r"\{\{\s*(\w+)\s*\}\}")
_HEAD, _USER = "\n---\n", "\n=== user ===\n"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt in one language.

    The file opens with TOML (``version``, ``fields``), then ``---``, the system text, a line ``=== user ===`` and the
    user text. ``{{name}}`` stands for a field.
    """

    name: str
    language: Language
    version: int
    fields: frozenset[str]
    system: str
    user: str
    digest: str

    @property
    def stamp(self) -> str:
        """Name, language, version and hash, as logged with each call."""
        return f"{self.name}.{self.language} v{self.version} {self.digest}"

    def fill(self, **values: str) -> tuple[Say, Say]:
        """The system and the user message, with each field in its place.

        Raises
        ------
        TypeError
            A field is missing or unknown: a mistake in the code, not of the user.
        """
        if values.keys() != self.fields:
            raise TypeError(f"{self.name} takes {sorted(self.fields)}, given {sorted(values)}")

        def filled(text: str) -> str:
            return _FIELD.sub(lambda match: values[match[1]], text)

        return Say("system", filled(self.system)), Say("user", filled(self.user))

    def request(self, *, values: dict[str, str], **options: Any) -> Request:
        """A request made from this prompt; `options` are further fields of `Request`."""
        return Request(self.fill(**values), stamp=self.stamp, **options)


@cache
def prompt_file(name: str, language: Language) -> PromptFile:
    """The prompt of that name in that language; both languages of a prompt have the same fields and version."""
    raw = (resources.files("echovessel.mind.prompts") / f"{name}.{language}.md").read_text(encoding="utf-8")
    head, _, body = raw.partition(_HEAD)
    system, _, user = body.partition(_USER)
    facts = tomllib.loads(head)
    fields = frozenset(facts["fields"])
    if found := set(_FIELD.findall(body)) ^ fields:
        raise TypeError(f"{name}.{language}.md: the head and the text differ in the fields {sorted(found)}")
    digest = hashlib.sha256(raw.encode()).hexdigest()[:12]
    return PromptFile(name, language, facts["version"], fields, system.strip(), user.strip(), digest)
