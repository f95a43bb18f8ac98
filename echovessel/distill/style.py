"""How somebody writes, measured without a model."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import regex

from echovessel.distill.archive import Line
from echovessel.distill.phrases import Phrase, distinctive
from echovessel.text import Language, count_tokens, emoji, language_of

BURST = timedelta(minutes=2)
LEAST = 20  # lines; from fewer nothing is said of a voice
_PARTICLES = regex.compile(
    r"哈{2,}|嘿嘿|呵呵|嘻嘻|[呢啦吧呀哦噢嗯唉诶哎嘛咯喽啊呗哟](?=[\p{P}\s~～]|$)"
    r"|\b(?:haha(?:ha)*|lol|lmao|hmm+|heh|yeah|yep|nah|ugh|oh|well|like|y'know|tbh)\b",
    regex.IGNORECASE,
)
_MARKS = {
    "!": "[!！]",
    "?": "[?？]",
    "…": "…|\\.{3,}|。{2,}",
    "~": "[~～]",
    ",": "[,，]",
    ".": "[.。](?![.。])",
}
_LATIN_WORD = regex.compile(r"[A-Za-z]{2,}")
_HAN = regex.compile(r"\p{Han}")
_END = regex.compile(r"[\p{P}~～\p{So}]\s*$")


@dataclass(frozen=True, slots=True)
class StyleProfile:
    """Numbers of a voice.

    Attributes
    ----------
    lines : int
        How many it rests on.
    language : ``"en"`` or ``"zh"``
        The one most lines are in.
    length : (float, float, float)
        Tokens a line: the tenth, the middle and the ninetieth percentile.
    burst : float
        Lines in a row, on average, each within two minutes of the last.
    hours : tuple of 24 floats
        Share of the lines by local hour; all 0 for an archive without times.
    marks : dict
        Of 100 lines, how many hold each punctuation mark.
    bare_ends : float
        Share of the lines that end without punctuation or emoji.
    emoji, particles : tuple of (str, int)
        The commonest with their counts.
    emoji_lines : float
        Share of the lines with an emoji.
    openings, closings : tuple of (str, int)
        First and last words that come back.
    phrases : tuple of Phrase
        What sets this speaker apart.
    mixed : float
        Share of the lines that mix Chinese with Latin words.
    lower_case : float
        Share of the lines in Latin script without a capital letter.
    """

    lines: int
    language: Language
    length: tuple[float, float, float]
    burst: float
    hours: tuple[float, ...]
    marks: dict[str, float]
    bare_ends: float
    emoji: tuple[tuple[str, int], ...]
    emoji_lines: float
    particles: tuple[tuple[str, int], ...]
    openings: tuple[tuple[str, int], ...]
    closings: tuple[tuple[str, int], ...]
    phrases: tuple[Phrase, ...]
    mixed: float
    lower_case: float


def profile(mine: Sequence[Line], others: Sequence[Line], *, zone: str = "UTC") -> StyleProfile:
    """Measure how a speaker writes.

    Parameters
    ----------
    mine, others : sequence of Line
        The speaker's lines and everybody else's, in order.
    zone : str
        Where the hours of the day are counted.
    """
    texts = [line.text for line in mine if line.text.strip() and not line.forwarded]
    total = max(len(texts), 1)
    lengths = [count_tokens(text) for text in texts] or [0]
    latin = [text for text in texts if _LATIN_WORD.search(text) and not _HAN.search(text)]
    languages = Counter(language_of(text) for text in texts)
    return StyleProfile(
        len(texts),
        languages.most_common(1)[0][0] if languages else "en",
        _percentiles(lengths),
        _burst(mine),
        _hours(mine, zone),
        {mark: 100 * _share(texts, pattern) for mark, pattern in _MARKS.items()},
        sum(1 for text in texts if not _END.search(text)) / total,
        _common(symbol for text in texts for symbol in emoji(text)),
        sum(1 for text in texts if emoji(text)) / total,
        _common(found.lower() for text in texts for found in _PARTICLES.findall(text)),
        _common((_first(text) for text in texts), least=3),
        _common((_last(text) for text in texts), least=3),
        tuple(distinctive(texts, [line.text for line in others if not line.forwarded])),
        sum(1 for text in texts if _HAN.search(text) and _LATIN_WORD.search(text)) / total,
        sum(1 for text in latin if text == text.lower()) / max(len(latin), 1),
    )


def _percentiles(values: Sequence[int]) -> tuple[float, float, float]:
    if len(values) < 2:
        return (float(values[0]),) * 3
    tenths = statistics.quantiles(values, n=10, method="inclusive")
    return tenths[0], tenths[4], tenths[8]


def _burst(lines: Sequence[Line]) -> float:
    timed = [line for line in lines if line.sent_at is not None]
    bursts = 1
    for before, after in pairwise(timed):
        assert before.sent_at is not None
        assert after.sent_at is not None
        bursts += after.sent_at - before.sent_at > BURST
    return len(timed) / bursts if timed else 1.0


def _hours(lines: Sequence[Line], zone: str) -> tuple[float, ...]:
    local = ZoneInfo(zone)
    counts = Counter(line.sent_at.astimezone(local).hour for line in lines if line.sent_at is not None)
    total = sum(counts.values())
    return tuple(counts[hour] / total if total else 0.0 for hour in range(24))


def _share(texts: Sequence[str], pattern: str) -> float:
    return sum(1 for text in texts if regex.search(pattern, text)) / max(len(texts), 1)


def _common(found: object, *, most: int = 8, least: int = 2) -> tuple[tuple[str, int], ...]:
    counts = Counter(item for item in found if item)  # type: ignore[attr-defined]
    return tuple((item, n) for item, n in counts.most_common(most) if n >= least)


def _first(text: str) -> str:
    """The first word, or the first two Han characters."""
    found = regex.match(r"\s*(\p{Han}{1,2}|[\p{L}'’]+)", text)
    return found[1].lower() if found else ""


def _last(text: str) -> str:
    """The last word, or the last two Han characters, without punctuation."""
    found = regex.search(r"(\p{Han}{1,2}|[\p{L}'’]+)[^\p{L}]*$", text)
    return found[1].lower() if found else ""
