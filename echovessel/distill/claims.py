"""What is said of a persona, each with the quotes that bear it out."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from itertools import islice, pairwise

import regex

from echovessel.distill.archive import Line
from echovessel.distill.exemplars import Exchange
from echovessel.distill.facts import Fact, latest
from echovessel.distill.style import BURST, LEAST, StyleProfile
from echovessel.memory.records import CoreLabel, NodeKind, RelationalTag, Subject
from echovessel.text import Language, count_tokens, emoji, fold

QUOTES = 3  # shown for a claim of style; a fact keeps all of its own
EACH = 12  # values of one attribute, the most often said first
_PERSONA = ("name", "work", "home", "origin", "age", "family")
_SELF = ("likes", "dislikes", "habit", "trait")
_HAN_AND_LATIN = regex.compile(r"(?=.*\p{Han})(?=.*[A-Za-z]{2})", regex.DOTALL)
_END = regex.compile(r"[\p{P}~～\p{So}]\s*$")
_MARKS = {"!": "[!！]", "…": "…|\\.{3,}|。{2,}", "~": "[~～]"}
_MARK_LEAST = {"!": 25, "…": 10, "~": 8}  # of 100 lines, from when it is worth a sentence


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the archive, to the letter, with the line they stand in."""

    text: str
    line: Line

    @property
    def place(self) -> str:
        """Where it stands in the file."""
        return self.line.place


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a claim leaves in memory, beside its line in a block.

    Attributes
    ----------
    kind : NodeKind
        ``event`` or ``thought``.
    subject : Subject
    attribute : str
        Short key of a fact that can change; may be empty.
    about : str
        Name of the third party when the subject is ``other``.
    names : tuple of str
        Third parties in it.
    shared : bool
        Whether it is the persona's own life, which every talk may know of.
    impact : float
        -10..10.
    first, last : date, optional
        The days on which it happened.
    """

    kind: NodeKind
    subject: Subject
    attribute: str = ""
    about: str = ""
    names: tuple[str, ...] = ()
    shared: bool = False
    impact: float = 0.0
    emotions: tuple[str, ...] = ()
    tags: tuple[RelationalTag, ...] = ()
    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said of the persona.

    Attributes
    ----------
    label : CoreLabel
        The block it goes into.
    kind : str
        What it is about: an attribute such as ``home``, a trait of style such as ``length``, or ``exchange``.
    text : str
        What is said, in the archive's language.
    quotes : tuple of Quote
        What bears it out; never empty.
    accepted : bool
        Whether it is to be written.
    confidence : float
        0..1, from the number of messages that say so.
    memory : Remembered, optional
        What it leaves in memory; None for what only goes into a block.
    in_block : bool
        Whether it is a line of its block.
    """

    label: CoreLabel
    kind: str
    text: str
    quotes: tuple[Quote, ...]
    accepted: bool = True
    confidence: float = 1.0
    memory: Remembered | None = None
    in_block: bool = True


def wording(language: Language) -> dict[str, str]:
    """The sentences of a language, by kind of claim."""
    return _table()[language]


@cache
def _table() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files("echovessel.distill") / "blocks.toml").read_text(encoding="utf-8"))


def of_facts(found: Iterable[Fact], *, language: Language) -> list[Claim]:
    """Claims of what somebody said of themselves; the surest of each attribute first."""
    words, grouped = wording(language), latest(found)
    claims = []
    for attribute in (*_PERSONA, *_SELF):
        groups = [group for (name, _), group in grouped.items() if name == attribute]
        groups.sort(key=lambda group: -len(group))
        for group in groups[:EACH]:
            last = group[-1]
            day = "?" if last.line.sent_at is None else f"{last.line.sent_at:%Y-%m-%d}"
            text = words[attribute].format(value=" ".join(last.value.split()), day=day)
            label = CoreLabel.PERSONA if attribute in _PERSONA else CoreLabel.SELF
            claims.append(
                Claim(label, attribute, text, tuple(Quote(fact.quote, fact.line) for fact in group))
            )
    return claims


def of_exchanges(chosen: Iterable[Exchange], *, language: Language) -> list[Claim]:
    """Claims that show an answer with what it answered; the one quote is the persona's."""
    words = wording(language)
    return [
        Claim(
            CoreLabel.STYLE,
            "exchange",
            words["exchange"].format(cue=_in_a_line(each.cue.text), answer=_in_a_line(each.answer.text)),
            (Quote(each.answer.text, each.answer),),
        )
        for each in chosen
    ]


def of_style(voice: StyleProfile, mine: Sequence[Line], *, language: Language) -> list[Claim]:
    """Claims of how somebody writes, in plain words; none from fewer than 20 lines.

    Only what stands out is said: a voice of middling length, with middling marks, gets few sentences.
    """
    if voice.lines < LEAST:
        return []
    words = wording(language)
    lines = [line for line in mine if line.text.strip() and not line.forwarded]
    claims = []

    def say(kind: str, shows: Callable[[str], object], **values: object) -> None:
        quotes = tuple(islice((Quote(line.text, line) for line in lines if shows(line.text)), QUOTES))
        if quotes:
            claims.append(Claim(CoreLabel.STYLE, kind, words[kind].format(**values), quotes))

    def listed(kind: str, items: Iterable[str]) -> None:
        given = [item for item in items if item]
        if given:
            say(
                kind,
                lambda text: any(item in fold(text) for item in map(fold, given)),
                list=between.join(given),
            )

    between = words["between"]
    low, middle, high = (round(value) for value in voice.length)
    say("length", lambda text: low <= count_tokens(text) <= high, low=low, middle=middle, high=high)
    if voice.burst >= 1.5:
        row = _row(lines)
        say("burst", lambda text: text in row, burst=f"{voice.burst:.1f}")
    if voice.bare_ends >= 0.6:
        say("bare", lambda text: not _END.search(text))
    elif voice.bare_ends <= 0.1:
        say("closed", _END.search)
    if language == "en" and voice.lower_case >= 0.6:
        say("lower", lambda text: text == text.lower())
    if voice.emoji_lines >= 0.05:
        share = round(100 * voice.emoji_lines)
        say("emoji", emoji, share=share, list=" ".join(symbol for symbol, _ in voice.emoji))
    elif voice.emoji_lines < 0.01:
        say("no_emoji", lambda text: not emoji(text))
    for mark, least in _MARK_LEAST.items():
        if voice.marks[mark] >= least:
            pattern = regex.compile(_MARKS[mark])
            say("mark", pattern.search, mark=mark, share=round(voice.marks[mark]))
    listed("particles", (word for word, count in voice.particles if count >= 3))
    listed("phrases", (phrase.text for phrase in voice.phrases[:10]))
    listed("openings", (word for word, _ in voice.openings[:5]))
    if voice.mixed >= 0.1:
        say("mixed", _HAN_AND_LATIN.search, share=round(100 * voice.mixed))
    return claims


def _row(lines: Sequence[Line]) -> set[str]:
    """Texts sent within two minutes of the last."""
    return {
        after.text
        for before, after in pairwise(lines)
        if before.sent_at and after.sent_at and after.sent_at - before.sent_at <= BURST
    }


def _in_a_line(text: str) -> str:
    return " / ".join(part.strip() for part in text.splitlines() if part.strip())
