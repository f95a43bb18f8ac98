"""The one table that every reader fills: who said what, when, and where in the file it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from echovessel.distill.source import Source

DateOrder = Literal["day", "month"]
KEPT_SKIPS = 1_000  # so that a file of a million broken lines doesn't fill the memory with reasons


@dataclass(frozen=True, slots=True)
class Line:
    """One message of an archive.

    Attributes
    ----------
    text : str
    place : str
        Where it stands in the file, as a person finds it: ``line 12``, ``message 4711``.
    speaker : str
        The name as the archive gives it; empty where it gives none.
    sent_at : datetime, optional
        Aware; None where the archive has no times.
    conversation : str
        Which of several talks in one archive; empty for the only one.
    external_id : str, optional
        The archive's own id of the message.
    reply_to : str, optional
        The external id of the message it answers.
    attachment : str
        Name or kind of a photo, voice note or file that came with it.
    forwarded : bool
        The words are somebody else's.
    """

    text: str
    place: str
    speaker: str = ""
    sent_at: datetime | None = None
    conversation: str = ""
    external_id: str | None = None
    reply_to: str | None = None
    attachment: str = ""
    forwarded: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """Something in the file that became no line, and why."""

    place: str
    reason: str


@dataclass
class Report:
    """What a reader left out, and what it had to assume; filled while the lines are read.

    `ambiguous_dates` says that nothing in the file told day from month, and that a person should.
    """

    lines: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ambiguous_dates: bool = False

    def skip(self, place: str, reason: str) -> None:
        """Count something that became no line; the first thousand are kept with their place."""
        self.skipped[reason] += 1
        if len(self.skips) < KEPT_SKIPS:
            self.skips.append(Skip(place, reason))

    def accept(self, line: Line) -> bool:
        """Count a line; one without text and attachment is skipped."""
        if not line.text and not line.attachment:
            self.skip(line.place, "it is empty")
            return False
        self.lines += 1
        return True

    def note(self, sentence: str) -> None:
        """Say once what was assumed."""
        if sentence not in self.notes:
            self.notes.append(sentence)


@dataclass(frozen=True, slots=True)
class Options:
    """What the file doesn't say.

    Attributes
    ----------
    zone : str
        The time zone of times without one.
    date_order : ``"day"``, ``"month"`` or None
        Whether 03/04 is the third of April or March the fourth; found from the whole file when left out.
    """

    zone: str = "UTC"
    date_order: DateOrder | None = None


class Reader(Protocol):
    """Reads one format. One file in `echovessel.distill.formats` each."""

    name: str
    title: str

    def recognises(self, source: Source) -> bool:
        """Whether the content is of this format, told from its beginning alone."""

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The lines in the file's order, in bounded memory.

        A broken line is skipped and reported. A file that is not of this format at all raises `FormatError`.
        """
