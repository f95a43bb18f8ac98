"""What every labelled set is read into: talks, and what had to be left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from echovessel.samples.talk import (
    LabelledEntity,
    LabelledMemory,
    Question,
    Talk,
    TalkSession,
    Turn,
)

__all__ = [
    "LabelledEntity",
    "LabelledMemory",
    "LabelledSet",
    "Question",
    "Talk",
    "TalkSession",
    "Turn",
]


@dataclass(frozen=True)
class LabelledSet:
    """Talks read from the files of one set.

    Attributes
    ----------
    digest : str
        SHA-256 of the files' bytes, in the order they were read.
    left_out : Counter
        What could not be used, by reason.
    repaired : Counter
        What was read in spite of a slip in the file, by reason.
    apart : frozenset of str
        Categories that stay out of ``overall``.
    split : str
        The part that was read; empty for all of it.
    notes : tuple of str
        What a reader of the numbers should know: the licence, guessed zones.
    """

    name: str
    digest: str
    talks: tuple[Talk, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
    apart: frozenset[str] = frozenset()
    licence: str = ""
    notes: tuple[str, ...] = ()
    split: str = ""
