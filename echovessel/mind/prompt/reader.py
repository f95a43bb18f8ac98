"""What the sections are filled from: the memory as one talk may read it, at one moment, in one language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from echovessel.clock import day_of
from echovessel.memory.memory import Memory
from echovessel.memory.records import CoreLabel, Message, Node, NodeKind, NodeStatus, ScopeKind
from echovessel.mind.fence import quoted
from echovessel.mind.prompt.sections import Cut, Entry
from echovessel.mind.prompt.spoken import unforged
from echovessel.mind.prompt.words import Words
from echovessel.mind.told import names, when, when_it_was
from echovessel.text import fold
from echovessel.timewords import day_in_words

EARLIER = 20  # sessions that are looked at for the last talk
MOST_OPEN = 24  # promises, and expectations: their share of the default budget holds about as many lines


@dataclass
class Reader:
    """Reads memory for one prompt, and holds what was shown already, so that nothing stands in two sections."""

    memory: Memory
    words: Words
    now: datetime
    session: str = ""
    shown: set[str] = field(default_factory=set)

    @cached_property
    def zone(self) -> str:
        """Where the reader's days are counted."""
        return self.memory.personas.zone_of(self.memory.context.scope)

    @cached_property
    def today(self) -> date:
        """The reader's day."""
        return day_of(self.now, self.zone)

    @cached_property
    def _names(self) -> tuple[str, str]:
        return names(self.memory)

    @property
    def persona_name(self) -> str:
        """What the persona is called."""
        return self._names[0]

    @property
    def speaker(self) -> str:
        """What the user or group is called."""
        return self._names[1]

    @property
    def in_group(self) -> bool:
        """Whether several people talk."""
        return self.memory.context.scope.kind is ScopeKind.GROUP

    @cached_property
    def last_talk(self) -> datetime | None:
        """When the persona last spoke in an earlier session than the one that is going on."""
        for session in self.memory.sessions.list(limit=EARLIER):
            if session.id == self.session or session.scope != self.memory.context.scope:
                continue
            said = [m.sent_at for m in self.memory.log.by_session(session.id) if m.sender == "persona"]
            if said and said[-1] <= self.now:
                return said[-1]
        return None

    def block(self, label: CoreLabel) -> str:
        """A core block's text, which can forge none of our headings and fences; empty when there is none."""
        if (
            label in (CoreLabel.USER, CoreLabel.RELATIONSHIP)
            and self.memory.context.scope.kind is not ScopeKind.USER
        ):
            return ""
        found = self.memory.core.get(label)
        return unforged(found.text) if found else ""

    def nodes(self, kind: NodeKind, **filters: object) -> list[Node]:
        """Current memories of a kind."""
        return self.memory.nodes.list(kinds=[kind], **filters)  # type: ignore[arg-type]

    def open(self, kind: NodeKind) -> list[Node]:
        """Open promises or expectations, soonest due first, those without a day last; no more than a prompt shows.

        Those further down can still rise by recall.
        """
        return self.nodes(kind, status=NodeStatus.OPEN, soonest_due=True, limit=MOST_OPEN)

    def take(self, candidates: Sequence[tuple[str, str, str]], cut: list[Cut]) -> tuple[Entry, ...]:
        """Entries for those that no section holds yet, neither by id nor in the same words.

        Parameters
        ----------
        candidates : sequence of (id, text that is compared, line that is shown)
        """
        entries = []
        for ident, text, line in candidates:
            entry, key = Entry(line, ident), fold(text)
            if ident in self.shown or key in self.shown:
                cut.append(Cut(ident, entry.tokens, "repeated"))
                continue
            self.shown |= {ident, key}
            entries.append(entry)
        return tuple(entries)

    def when(self, moment: datetime) -> str:
        """A moment as a day in words."""
        return when(moment, self.today, self.zone, self.words.language)

    def clock(self, zone: str) -> str:
        """The local time with the weekday."""
        local = self.now.astimezone(ZoneInfo(zone))
        if self.words.language == "zh":
            return f"{local:%Y-%m-%d} 星期{'一二三四五六日'[local.weekday()]} {local:%H:%M}"
        return f"{local:%A}, {local:%Y-%m-%d %H:%M}"

    def line(self, node: Node) -> str:
        """A node with its time anchor."""
        text = quoted(node.text)
        if node.kind is NodeKind.THOUGHT:
            return self.words("thought", text=text)
        told = when_it_was(node, self.today, self.zone, self.words.language)
        return self.words("happened", when=told, text=text)

    def due(self, node: Node) -> str:
        """A promise or an expectation with its day."""
        text = quoted(node.text)
        if node.due_on is None:
            return text
        key = "overdue" if node.due_on < self.today else "due"
        return self.words(key, text=text, when=day_in_words(node.due_on, self.today, self.words.language))

    def name_of(self, message: Message) -> str:
        """Who said a message."""
        if message.sender == "persona":
            return self.persona_name
        return quoted(message.sender_name, limit=80) or self.speaker

    def quote(self, message: Message) -> str:
        """A message with its time anchor, as said by whom."""
        told, text = self.when(message.sent_at), quoted(message.text)
        if message.sender == "persona":
            return self.words("said_by_you", when=told, text=text)
        return self.words("said_by", when=told, name=self.name_of(message), text=text)

    def among(self, nodes: Sequence[Node], ids: Collection[str]) -> list[Node]:
        """Nodes, those with these ids first."""
        return sorted(nodes, key=lambda node: node.id not in ids)
