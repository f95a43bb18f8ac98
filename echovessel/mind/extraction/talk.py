"""A stretch of talk as the model reads it: numbered messages with speaker, local time and date, in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from zoneinfo import ZoneInfo

from echovessel.clock import day_of
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, ScopeKind, Sender, Session
from echovessel.mind.fence import fenced, quoted
from echovessel.mind.told import names
from echovessel.text import Language, count_tokens, language_of

CHUNK_TOKENS = 6_000
OVERLAP = 6
MAX_LINE = 4_000
UNKNOWN = {"zh": "不明", "en": "somebody unknown"}


@dataclass(frozen=True, slots=True)
class Line:
    """A message under the number it is shown by.

    `said` is its day where the scope's days are counted; `named` tells whether it is known who speaks.
    """

    number: int
    message: Message
    speaker: str
    said: date
    named: bool = True

    @property
    def sender(self) -> Sender:
        """Who wrote it."""
        return self.message.sender


@dataclass(frozen=True)
class Chunk:
    """Lines that are read in one go. The first `before` were read with the chunk before, or in an earlier pass."""

    lines: tuple[Line, ...]
    before: int
    language: Language
    zone: str

    @cached_property
    def by_number(self) -> dict[int, Line]:
        """The lines by the number they are shown under."""
        return {line.number: line for line in self.lines}

    @cached_property
    def fresh(self) -> frozenset[int]:
        """Numbers of the lines that were not read before."""
        return frozenset(line.number for line in self.lines[self.before :])

    def next_of(self, line: Line) -> Line | None:
        """The next line, when the same speaker goes on."""
        following = self.by_number.get(line.number + 1)
        return following if following is not None and following.speaker == line.speaker else None

    def topics(self, most: int) -> list[str]:
        """What people say that is new, in at most so many parts of neighbouring messages: to look up what is known."""
        heard = [
            line.message.text
            for line in self.lines
            if line.number in self.fresh and line.sender is not Sender.PERSONA
        ]
        size = -(-len(heard) // most) or 1
        return ["\n".join(heard[start : start + size]) for start in range(0, len(heard), size)]

    def shown(self) -> str:
        """The lines as data between tags."""
        return fenced("talk", map(self._shown, self.lines))

    def _shown(self, line: Line) -> str:
        local = line.message.sent_at.astimezone(ZoneInfo(self.zone))
        if self.language == "zh":
            day = f"{local:%Y-%m-%d} 星期{'一二三四五六日'[local.weekday()]} {local:%H:%M}"
        else:
            day = f"{local:%A %Y-%m-%d %H:%M}"
        return f"[{line.number}] {day} {line.speaker}: {quoted(line.message.text, limit=MAX_LINE)}"


@dataclass(frozen=True)
class Talk:
    """The new messages of a session, with a few before them.

    Attributes
    ----------
    persona, speaker : str
        What the persona is called, and the user or group it talks with.
    language : ``"zh"`` or ``"en"``
        That of the talk.
    group : bool
        Whether several people talk: then "the user" names nobody, and a fact belongs to whoever said it by name.
    """

    lines: tuple[Line, ...]
    before: int
    persona: str
    speaker: str
    language: Language
    zone: str
    group: bool

    @classmethod
    def of(cls, memory: Memory, session: Session, messages: Sequence[Message]) -> Talk:
        """The talk of these messages; what the session held before them comes first, as context."""
        scope, personas = memory.context.scope, memory.personas
        persona, speaker = names(memory)
        called = persona, speaker or "user"
        new = [message for message in messages if _said(message)]
        ids = {message.id for message in new}
        told = [message for message in memory.log.by_session(session.id) if _said(message)]
        first = next((index for index, message in enumerate(told) if message.id in ids), 0)
        earlier = [message for message in told[:first] if message.id not in ids][-OVERLAP:]
        # What the persona says at length is mostly explanation; the language is that of the people.
        heard = [message.text for message in new if message.sender is not Sender.PERSONA]
        language = language_of("\n".join(heard or [message.text for message in new]))
        zone = personas.zone_of(scope)
        group = scope.kind is ScopeKind.GROUP
        lines = []
        for number, message in enumerate([*earlier, *new], 1):
            speaker = _name(message, *called, group=group)
            said = day_of(message.sent_at, zone)
            lines.append(Line(number, message, speaker or UNKNOWN[language], said, bool(speaker)))
        return cls(tuple(lines), len(earlier), *called, language, zone, group)

    def chunks(self, *, tokens: int = CHUNK_TOKENS) -> Iterator[Chunk]:
        """The talk in pieces of about so many tokens, each after the last few lines of the one before."""
        start, total = self.before, 0
        for index in range(self.before, len(self.lines)):
            total += count_tokens(self.lines[index].message.text)
            last = index + 1 == len(self.lines)
            if total >= tokens or last:
                begin = max(start - OVERLAP, 0)
                yield Chunk(self.lines[begin : index + 1], start - begin, self.language, self.zone)
                start, total = index + 1, 0


def _said(message: Message) -> bool:
    """System lines are nobody's, and a deleted message says nothing."""
    return message.sender is not Sender.SYSTEM and message.deleted_at is None and bool(message.text.strip())


def _name(message: Message, persona: str, speaker: str, *, group: bool) -> str:
    """Who speaks; empty where nobody knows."""
    if message.sender is Sender.PERSONA:
        return persona
    own = speaker if message.sender is Sender.USER and not group else ""
    return quoted(message.sender_name, limit=80) or own
