"""What a model returned, held against the talk and against what it was shown: whatever contradicts them is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from echovessel.memory.memory import Memory
from echovessel.memory.node_checks import MAX_ATTRIBUTE
from echovessel.memory.records import (
    NewNode,
    NodeKind,
    NodeStatus,
    Origin,
    RelationalTag,
    Sender,
    Source,
    Subject,
)
from echovessel.mind.extraction import meant
from echovessel.mind.extraction.attribution import Fact, clash
from echovessel.mind.extraction.dates import days_of
from echovessel.mind.extraction.links import Links
from echovessel.mind.extraction.parties import Parties
from echovessel.mind.extraction.quotes import find_quote
from echovessel.mind.extraction.records import Became, Draft, Refusal, Settled
from echovessel.mind.extraction.schema import Answer, Event, Expectation, Outcome, Promise, Quote, Said
from echovessel.mind.extraction.shown import Shown
from echovessel.mind.extraction.talk import Chunk, Line, Talk
from echovessel.mind.extraction.when import Lean, Window
from echovessel.text import count_tokens, fold, language_of

_E = TypeVar("_E", Event, Expectation)

REPORTED_CONFIDENCE = 0.6
EMOTIONS = 3
_NOT_FACTS = {
    Said.QUESTION: "it was asked, not told",
    Said.HYPOTHETICAL: "it was only supposed",
    Said.JOKE: "it was said as a joke",
    Said.CANCELLED: "it was called off",
    Said.REQUEST: "it was a request",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A quote where it stands."""

    line: Line
    words: str

    @property
    def source(self) -> Source:
        """As a node keeps it."""
        return Source(message=self.line.message.id, quote=self.words)


class Checker:
    """Checks what a model found in one chunk.

    Attributes
    ----------
    dropped : list of Refusal
        What was refused so far, and why.
    """

    def __init__(self, memory: Memory, talk: Talk, chunk: Chunk, shown: Shown, parties: Parties) -> None:
        self._talk = talk
        self._chunk = chunk
        self._shown = shown
        self._parties = parties
        self.dropped: list[Refusal] = []
        self._links = Links(memory, shown, parties, self._refuse)

    def event(self, item: Event) -> Draft | None:
        """A fact as it may be stored, or None with the reason in `dropped`."""
        rule = self._unfit(item)
        if rule:
            self._refuse(rule, item.text)
            return None
        named = self._named(item.entities)
        item, sound = self._owned(item)
        if not sound:
            return None
        window = self._days(item, [each.line for each in sound], "past")
        node = NewNode(
            self._spoken(item.text, sound),
            subject=item.subject,
            attribute=" ".join(fold(item.attribute).split())[:MAX_ATTRIBUTE].strip(),
            impact=item.impact,
            emotions=item.emotions[:EMOTIONS],
            tags=item.tags,
            confidence=REPORTED_CONFIDENCE if item.said is Said.REPORTED else 1.0,
            origin=Origin.EXTRACTION,
            sources=_sources(sound),
        )
        node = _happened(node, window)
        return self._links.of(node, item.about, named, item.repeats, item.replaces, self._shown.facts)

    def promise(self, item: Promise) -> Draft | None:
        """A promise of the persona, in its own words."""
        found = self._found(item.text, item.sources)
        own = [each for each in found if each.line.sender is Sender.PERSONA]
        if found and not own:
            self._refuse("the persona didn't say so itself", item.text)
        sound = self._sound(item.text, None, "", own)
        if not sound:
            return None
        node = NewNode(
            self._spoken(item.text, sound),
            kind=NodeKind.INTENTION,
            subject=Subject.PERSONA,
            tags=(RelationalTag.COMMITMENT,),
            due_on=self._due(item, sound),
            origin=Origin.EXTRACTION,
            sources=_sources(sound),
        )
        return self._links.of(node, "", self._named(item.entities), item.repeats, (), self._shown.promises)

    def expectation(self, item: Expectation) -> Draft | None:
        """Something that lies ahead."""
        rule = _NOT_FACTS.get(item.said, "")
        if rule:
            self._refuse(rule, item.text)
            return None
        named = self._named(item.entities)
        moved, sound = self._owned(item)
        if not sound:
            return None
        node = NewNode(
            self._spoken(moved.text, sound),
            kind=NodeKind.EXPECTATION,
            subject=moved.subject,
            due_on=self._due(moved, sound),
            origin=Origin.EXTRACTION,
            sources=_sources(sound),
        )
        return self._links.of(node, moved.about, named, moved.repeats, (), self._shown.expectations)

    def outcome(self, item: Outcome) -> Became | None:
        """What became of a promise or an expectation that was shown."""
        promise, expected = self._shown.promises.get(item.known), self._shown.expectations.get(item.known)
        node = promise or expected
        if node is None:
            self._refuse("it was never shown", f"{item.known} {item.outcome}")
            return None
        # A thing awaited is told by somebody else than the one who awaits it.
        found = [
            each
            for each in self._found(node.text, item.sources)
            if not meant.question(each.words, each.line.message.text)
            and (promise or each.line.sender is not Sender.PERSONA)
        ]
        if not found:
            self._refuse("nothing that was said shows it", f"{item.known} {item.outcome}")
            return None
        status = {
            "kept": NodeStatus.KEPT if promise else NodeStatus.FULFILLED,
            "fulfilled": NodeStatus.KEPT if promise else NodeStatus.FULFILLED,
            "broken": NodeStatus.BROKEN if promise else NodeStatus.EXPIRED,
            "cancelled": NodeStatus.EXPIRED,
        }[item.outcome]
        return Became(node.id, status, found[0].source)

    def answer(self, item: Answer) -> Settled | None:
        """Whether two names mean one, as somebody else than the persona said it."""
        question = self._shown.questions.get(item.question)
        if question is None:
            self._refuse("it was never asked", item.question)
            return None
        found = [
            each
            for each in self._found(item.question, item.sources)
            if each.line.sender is not Sender.PERSONA
            and not meant.question(each.words, each.line.message.text)
        ]
        if not found:
            self._refuse("nobody answered it", item.question)
            return None
        return Settled(question.id, item.same)

    # Inside

    def _found(self, text: str, quotes: Iterable[Quote]) -> list[Found]:
        """The quotes that stand in the messages they name, in the order of the talk."""
        found: dict[int, Found] = {}
        for quote in quotes:
            line = self._chunk.by_number.get(quote.message)
            words = "" if line is None else find_quote(quote.words, line.message.text)
            if line is None or not words:
                self._refuse(f"message {quote.message} doesn't hold the words {quote.words!r:.80}", text)
            else:
                found.setdefault(quote.message, Found(line, words))
        if found and not self._chunk.fresh.intersection(found):
            self._refuse("it rests on what was read before", text)
            return []
        return [found[number] for number in sorted(found)]

    def _owned(self, item: _E) -> tuple[_E, list[Found]]:
        """The item with its owner, and the quotes that bear it out; none when it is refused.

        In a talk of several "the user" names nobody: the fact goes to whoever said it.
        """
        found = self._found(item.text, item.sources)
        if self._talk.group and item.subject is Subject.USER and found:
            told = [each for each in found if each.line.sender is not Sender.PERSONA and each.line.named]
            speakers = {each.line.speaker for each in told}
            if len(speakers) != 1:
                self._refuse("in a talk of several it doesn't say whose fact it is", item.text)
                return item, []
            (speaker,) = speakers
            self._parties.speaker(speaker)
            item, found = item.model_copy(update={"subject": Subject.OTHER, "about": speaker}), told
        if item.subject is Subject.USER and not self._talk.group:
            item = self._anothers(item, found)
        if item.subject is Subject.OTHER and item.about:
            rule = self._parties.take(item.about)
            if rule:
                self._refuse(rule, item.text)
                return item, []
            item = item.model_copy(update={"about": self._parties.shown_as(item.about)})
        return item, self._sound(item.text, item.subject, item.about, found)

    def _anothers(self, item: _E, found: Sequence[Found]) -> _E:
        """A fact whose text and words both open with a third party is that one's, whatever the model calls it."""
        people = self._parties.people()
        name = meant.leader(item.text, people)
        if not name or not found or not all(meant.led_by_another(each.words, people) for each in found):
            return item
        self._refuse(f"it is about {name}, not the user, and is kept so", item.text)
        return item.model_copy(update={"subject": Subject.OTHER, "about": name})

    def _named(self, names: Iterable[str]) -> list[str]:
        return [self._parties.shown_as(name) for name in names if not self._parties.take(name)]

    def _unfit(self, item: Event) -> str:
        """Why an event is no fact, by what the model itself says of it; empty where it is one."""
        if item.said is Said.REPORTED and item.subject is not Subject.OTHER:
            return "it is only what somebody else says"
        if item.subject is Subject.USER and meant.asked(item.text):
            return "that somebody asked, greeted or thanked is no fact"
        return _NOT_FACTS.get(item.said, "")

    def _sound(self, text: str, subject: Subject | None, about: str, found: Sequence[Found]) -> list[Found]:
        """Quotes that don't contradict what is made of them; the first reason is kept when none is left."""
        reasons: list[str] = []
        sound: list[Found] = []
        fact = Fact(
            text,
            subject,
            self._parties.names_of(about) if about else (),
            known=bool(about) and self._parties.known(about) is not None,
        )
        both = {"persona": self._talk.persona, "user": self._talk.speaker}
        for each in found:
            following = self._chunk.next_of(each.line)
            later = "" if following is None else following.message.text
            reason = clash(fact, each.line, each.words, people=self._parties.people(), **both)
            reason = reason or meant.mismatch(text, each.words, each.line.message.text, later)
            if reason:
                reasons.append(reason)
            else:
                sound.append(each)
        if found and not sound:
            self._refuse(reasons[0], text)
        return sound

    def _days(self, item: Event | Promise | Expectation, lines: Sequence[Line], lean: Lean) -> Window | None:
        window, rule = days_of(item, lines, lean)
        if rule:
            self._refuse(rule, f"{item.text} [{item.when or item.first_day}]")
        return window

    def _due(self, item: Promise | Expectation, found: Sequence[Found]) -> date | None:
        window = self._days(item, [each.line for each in found], "future")
        due = None if window is None else window.last or window.first
        if due is not None and due < min(each.line.said for each in found):
            self._refuse("it would have been due before it was said", f"{item.text} [{item.when}]")
            return None
        return due

    def _spoken(self, text: str, found: Sequence[Found]) -> str:
        """The text in the speaker's language: where the model fell into another, the speaker's own words."""
        ours = language_of(text)
        said = [each for each in found if count_tokens(each.words) >= 3]
        if not said or any(
            ours in (language_of(each.words), language_of(each.line.message.text)) for each in said
        ):
            return text
        self._refuse("it is in another language than what was said; the words themselves stand in", text)
        return "\n".join(f"{each.line.speaker}：“{each.words}”" if language_of(each.words) == "zh"
                         else f"{each.line.speaker}: “{each.words}”" for each in said)  # fmt: skip

    def _refuse(self, rule: str, text: str) -> None:
        self.dropped.append(Refusal(rule, text))


def _sources(found: Iterable[Found]) -> tuple[Source, ...]:
    return tuple(each.source for each in found)


def _happened(node: NewNode, window: Window | None) -> NewNode:
    """With its days; a stretch with an open end is how long something holds."""
    if window is None:
        return node
    if window.first is None or window.last is None:
        return replace(node, valid_from=window.first, valid_to=window.last)
    return replace(node, occurred_from=window.first, occurred_to=window.last)
