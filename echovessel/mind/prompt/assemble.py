"""The prompt of a reply, put together from memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall
from echovessel.memory.records import Message, NodeKind, Sender
from echovessel.mind.bond import bond_lines
from echovessel.mind.crisis import Crisis
from echovessel.mind.fence import quoted
from echovessel.mind.prompt import fill
from echovessel.mind.prompt.budget import fitted
from echovessel.mind.prompt.reader import Reader
from echovessel.mind.prompt.sections import Cut, Entry, Section
from echovessel.mind.prompt.spoken import unforged
from echovessel.mind.prompt.words import words
from echovessel.models.language import Purpose, Request, Say
from echovessel.text import Language, language_of

BUDGET = 8_000
RECENT = 60  # turns of the recent conversation that are looked at
TALK = ("conversation", "heard")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the ledger."""

    section: str
    tokens: int
    entries: int
    cut: int
    why: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reply is made from.

    Attributes
    ----------
    says : tuple of Say
        As a model gets it: the system text, then the recent talk, what was just said last.
    sections : tuple of Section
        In their order; those without content are left out, unless something was cut from them.
    language : ``"en"`` or ``"zh"``
    recall : Recall, optional
    heard : tuple of Message
        What is being answered.
    budget : int
        Tokens that it was to fit into.
    stamp : str
        Version of its wording.
    crisis : Crisis, optional
        Somebody may be in danger.
    """

    says: tuple[Say, ...]
    sections: tuple[Section, ...]
    language: Language
    recall: Recall | None
    heard: tuple[Message, ...]
    now: datetime
    budget: int
    stamp: str
    crisis: Crisis | None = None

    @property
    def system(self) -> str:
        """The system text."""
        return self.says[0].text

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return sum(section.tokens for section in self.sections)

    @property
    def ledger(self) -> list[Row]:
        """Each section's tokens, and what was cut from it and why."""
        rows = []
        for section in self.sections:
            why = ", ".join(sorted({cut.why for cut in section.cut}))
            rows.append(Row(section.name, section.tokens, len(section.entries), len(section.cut), why))
        return rows

    def section(self, name: str) -> Section | None:
        """The section of that name, if it stands in the prompt."""
        return next((section for section in self.sections if section.name == name), None)

    def request(self) -> Request:
        """What the model is asked."""
        return Request(
            self.says,
            purpose=Purpose.REPLY,
            role="main",
            stamp=self.stamp,
            beyond_limit=self.crisis is not None,
        )


def recent_talk(memory: Memory, heard: Sequence[Message]) -> tuple[Message, ...]:
    """The talk so far, in order: this scope's own turns before the burst, whatever the channel."""
    burst = {message.id for message in heard}
    until = min((message.sent_at for message in heard), default=None)
    return tuple(
        message
        for message in memory.log.last(RECENT)
        if message.scope == memory.context.scope
        and message.id not in burst
        and message.sender is not Sender.SYSTEM
        and message.text.strip()
        and (until is None or message.sent_at <= until)
    )


def surely_told(
    memory: Memory,
    recent: Sequence[Message],
    heard: Sequence[Message],
    *,
    now: datetime,
    budget: int = BUDGET,
    crisis: Crisis | None = None,
) -> frozenset[str]:
    """Which turns of the recent talk stand in the prompt whatever else does, so that recall can leave them out."""
    r = _reader(memory, recent, heard, now)
    return frozenset(
        fitted([*_core(r, crisis), *_talk(r, recent, heard)], budget, shares_only=True)[-2].items
    )


def assemble(
    memory: Memory,
    recall: Recall | None,
    heard: Sequence[Message],
    *,
    now: datetime,
    recent: Sequence[Message] | None = None,
    budget: int = BUDGET,
    instructions: str = "",
    crisis: Crisis | None = None,
) -> Prompt:
    """Put the prompt of a reply together; reads memory, writes nothing.

    Parameters
    ----------
    memory : Memory
        In the scope of the talk.
    recall : Recall, optional
        What rose for what was heard; its hits stand under "what you remember".
    heard : sequence of Message
        The stored burst that is being answered; stands last, and once.
    recent : sequence of Message, optional
        What `recent_talk` gave, where it was read already.
    budget : int
        Tokens to fit into. Who the persona is, and what was heard, are never cut.
    instructions : str
        What a client of the API adds to this one call; fenced, and never part of who the persona is.
    crisis : Crisis, optional
        What the crisis hook found in what was heard.
    """
    recent = recent_talk(memory, heard) if recent is None else recent
    r = _reader(memory, recent, heard, now)
    risen = {hit.id for hit in recall.hits} if recall else set[str]()
    # What stands word for word in the talk needs no second place; what rose may yet be cut from the talk.
    r.shown |= ({m.id for m in recent} - risen) | {m.id for m in heard}
    kept, awaited = r.open(NodeKind.INTENTION), r.open(NodeKind.EXPECTATION)
    about = fill.named(r, recall)
    own = {node.id for node in (*kept, *awaited, *(portrait for _, portrait in about if portrait))}
    bond = bond_lines(r)  # first, since a name to be called by says nothing among what merely rose
    recalled = fill.recalled(r, recall, own)
    who, clock, danger, style = _core(r, crisis)
    sections = [
        *(who, clock, danger, fill.mood(r), style),
        *fill.entities(r, about),
        fill.pending(r),
        fill.days(r),
        recalled,
        fill.speaker(r, bond),
        fill.self_image(r),
        fill.on_your_mind(r, heard),
        fill.still_open(r, "promises", r.among(kept, risen)),
        fill.still_open(r, "expecting", awaited),
        fill.context(r, instructions),
        *_talk(r, recent, heard),
    ]
    chosen = tuple(s for s in _once(sections, budget) if s.entries or s.cut)
    system = "\n\n".join(s.text for s in chosen if s.name not in TALK and s.entries)
    told = {ident for s in chosen if s.name == "conversation" for ident in s.items}
    says = (Say("system", system), *_says(r, [*(m for m in recent if m.id in told), *heard]))
    return Prompt(says, chosen, r.words.language, recall, tuple(heard), now, budget, r.words.stamp, crisis)


def _reader(memory: Memory, recent: Sequence[Message], heard: Sequence[Message], now: datetime) -> Reader:
    language = language_of("\n".join(m.text for m in [*recent[-6:], *heard]))
    return Reader(memory, words(language), now, session=heard[-1].session if heard else "")


def _core(r: Reader, crisis: Crisis | None) -> tuple[Section, Section, Section, Section]:
    """What is never cut, but for what was heard."""
    return fill.who(r), fill.now(r), _crisis(r, crisis), fill.style(r)


def _talk(r: Reader, recent: Sequence[Message], heard: Sequence[Message]) -> tuple[Section, Section]:
    """The talk so far, and what was just said."""
    told, last = (tuple(Entry(_said(r, m), m.id) for m in messages) for messages in (recent, heard))
    return Section("conversation", "", told, plain=True), Section("heard", "", last, plain=True)


def _once(sections: Sequence[Section], budget: int) -> list[Section]:
    """The sections as they fit, where a turn that rose stands in the talk if it fits there, else among what rose."""
    while True:
        chosen = fitted(sections, budget)
        by_name = {section.name: section for section in chosen}
        twice = set(by_name["conversation"].items) & set(by_name["recalled"].items)
        if not twice:
            return chosen
        sections = [_without(s, twice) if s.name == "recalled" else s for s in sections]


def _without(section: Section, ids: Collection[str]) -> Section:
    gone = [entry for entry in section.entries if entry.id in ids]
    kept = tuple(entry for entry in section.entries if entry.id not in ids)
    cut = tuple(Cut(entry.id, entry.tokens, "repeated") for entry in gone)
    return replace(section, entries=kept, cut=(*section.cut, *cut))


def _crisis(r: Reader, crisis: Crisis | None) -> Section:
    """How to meet somebody in danger; never cut."""
    if crisis is None:
        return Section("crisis", "", ())
    lines = [r.words("crisis", speaker=r.speaker)]
    if crisis.resources:
        lines.append(r.words("crisis_resources", resources=crisis.resources))
    return Section("crisis", "", tuple(Entry(line) for line in lines), plain=True)


def _said(r: Reader, message: Message) -> str:
    if message.sender is Sender.PERSONA or not (r.in_group or message.sender is Sender.OTHER):
        return unforged(message.text, headings=True)
    # Only in a group does a name have to say who speaks; on one line, so that nobody speaks in another's name.
    return f"{r.name_of(message)}: {quoted(unforged(message.text, headings=True))}"


def _says(r: Reader, messages: Sequence[Message]) -> list[Say]:
    """Chat turns; those of one side in a row are one, since some models want the sides to take turns."""
    says: list[Say] = []
    for message in messages:
        role: str = "assistant" if message.sender is Sender.PERSONA else "user"
        text = _said(r, message)
        if says and says[-1].role == role:
            says[-1] = replace(says[-1], text=f"{says[-1].text}\n{text}")
        else:
            says.append(Say(role, text))  # type: ignore[arg-type]
    return says
