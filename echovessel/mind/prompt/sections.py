"""What a prompt is made of: sections of entries, and what was cut from them."""

from __future__ import annotations

from dataclasses import dataclass, field

from echovessel.mind.fence import fenced
from echovessel.text import count_tokens


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a section.

    `id` names the node, message or block it comes from, so that it can be corrected; `tokens` says about how many it
    takes.
    """

    text: str
    id: str = ""
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", count_tokens(self.text) + 1)


@dataclass(frozen=True, slots=True)
class Cut:
    """An entry that did not get in: ``budget``, or ``repeated`` where an earlier section holds it."""

    id: str
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the prompt.

    Attributes
    ----------
    name : str
        Stable key: ``who``, ``now``, ``mood``, ``style``, ``entity:ID``, ``pending``, ``days``, ``recalled``,
        ``speaker``, ``self``, ``mind``, ``promises``, ``expecting``, ``context``, ``conversation``, ``heard``.
    title : str
        Its heading in the prompt; empty for the conversation.
    entries : tuple of Entry
    plain : bool
        Written by a person or by us, so it stands unfenced; what memory holds is fenced.
    cut : tuple of Cut
    """

    name: str
    title: str
    entries: tuple[Entry, ...]
    plain: bool = False
    cut: tuple[Cut, ...] = field(default=())

    @property
    def text(self) -> str:
        """As it stands in the prompt."""
        lines = [entry.text for entry in self.entries]
        body = "\n".join(lines) if self.plain else fenced("memory", lines)
        return f"{self.title}\n{body}" if self.title else body

    @property
    def tokens(self) -> int:
        """About how many tokens it takes, heading included."""
        return self.heading + sum(entry.tokens for entry in self.entries)

    @property
    def heading(self) -> int:
        """About how many tokens its heading takes."""
        return count_tokens(self.title)

    @property
    def items(self) -> tuple[str, ...]:
        """Ids of what it shows."""
        return tuple(entry.id for entry in self.entries if entry.id)
