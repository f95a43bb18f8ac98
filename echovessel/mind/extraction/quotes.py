"""Quotes found in the messages they name, whatever the model did to spaces, width and quotation marks."""

from __future__ import annotations

from functools import lru_cache

import regex

from echovessel.text import fold, is_han

_PASSED_OVER = regex.compile(r"[\s/|*_`\p{Cf}\p{Pd}\p{Pi}\p{Pf}\"'\u2018\u2019\u300c-\u300f‹›<>]")
_CLOSES = {"”": "“", "’": "‘", "」": "「", "』": "『"}
_CUT = regex.compile(r"\.{3,}|\u2026+|\[\.\.\.\]")


def find_quote(quote: str, text: str) -> str:
    """The words of a text that a quote means, to the letter; empty where they don't stand there.

    Case, width, traditional characters, spaces, line breaks, dashes and quotation marks may differ. Dots for words
    left out are followed: the parts must stand there in order, and what comes back reaches from the first to the last.
    """
    folded, places = _folded(text)
    parts = [part for piece in _CUT.split(quote) if (part := _folded(piece)[0])]
    if not parts or not _says_enough("".join(parts), folded):
        return ""
    start, at = -1, 0
    for part in parts:
        found = folded.find(part, at)
        if found < 0:
            return ""
        start, at = (found if start < 0 else start), found + len(part)
    begin, end = places[start], places[at - 1] + 1
    if text[end : end + 1] in _CLOSES and text.count(_CLOSES[text[end]], begin, end) > text.count(
        text[end], begin, end
    ):
        end += 1
    return text[begin:end].strip()


def stands_in(words: str, text: str) -> bool:
    """Whether words stand in a text, spaces and width aside."""
    wanted = _folded(words)[0]
    return bool(wanted) and wanted in _folded(text)[0]


def clause_of(quote: str, text: str) -> tuple[str, str]:
    """The clause that a quote stands in, and the mark that ends it; the quote itself where it isn't found."""
    start = text.find(quote)
    if start < 0:
        return quote, quote[-1:]
    borders = [match.end() for match in _BORDER.finditer(text)]
    begin = max((border for border in borders if border <= start), default=0)
    end = min((border for border in borders if border >= start + len(quote)), default=len(text))
    clause = text[begin:end].strip()
    return clause, clause[-1:]


_BORDER = regex.compile(r"[,;:.!?，；：。！？\n]+(?=\s|$|[^\x00-\x7f])|[，；：。！？\n]+")


def _says_enough(part: str, whole: str) -> bool:
    """Two Han characters, four letters, or all there is: "I" stands in any message."""
    return part == whole or len(part) >= (2 if any(map(is_han, part)) else 4)


@lru_cache(maxsize=512)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """The text as it is compared, and where each of its characters came from."""
    characters, places = [], []
    for place, character in enumerate(text):
        if _PASSED_OVER.match(character):
            continue
        for piece in fold(character):
            characters.append(piece)
            places.append(place)
    return "".join(characters), tuple(places)
