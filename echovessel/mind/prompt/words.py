"""The words of a reply's prompt, by language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from echovessel.text import Language


class Words:
    """The sentences of one language."""

    def __init__(self, language: Language, sentences: dict[str, str], version: int) -> None:
        self.language: Language = language
        self.stamp = f"reply.{language} v{version}"
        self._sentences = sentences

    def __call__(self, key: str, **values: str) -> str:
        """A sentence with its fields filled in."""
        return self._sentences[key].format(**values)


@cache
def words(language: Language) -> Words:
    """The words of a language; both languages hold the same keys."""
    text = (resources.files("echovessel.mind.prompt") / "words.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Words(language, table[language], table["version"])
