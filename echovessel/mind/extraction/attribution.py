"""Whose fact it is: a quote that speaks of somebody else than the fact does contradicts it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import regex

from echovessel.memory.records import Sender, Subject
from echovessel.mind.extraction import meant
from echovessel.mind.extraction.quotes import stands_in
from echovessel.mind.extraction.talk import Line
from echovessel.text import fold, language_of

# "I ..." as the subject, and not 我妈 or "my sister", of whom the rest then tells.
_I_LEAD = regex.compile(
    r"^(?:and |but |so |because )?(?:i|i'm|i've|i'd|i'll)\b"
    r"|^我(?!的|们|家|妈|爸|姐|妹|哥|弟|爷|奶|外|姥|老|姑|舅|叔|姨|朋友|同|闺蜜|室友|邻居|男|女|儿|孩|狗|猫)"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """What a fact says of whom.

    Attributes
    ----------
    text : str
    subject : Subject, optional
        None for what only has to be told: a promise.
    names : collection of str
        Names of the third party that it is about.
    known : bool
        Whether that third party was known before this talk.
    """

    text: str
    subject: Subject | None
    names: Collection[str] = ()
    known: bool = False


def clash(fact: Fact, line: Line, quote: str, *, people: Collection[str], persona: str, user: str) -> str:
    """Why a quote can't carry a fact; empty where it can.

    Parameters
    ----------
    line, quote
        The message, and its words.
    people : collection of str
        Names of all persons and pets of the talk.
    persona, user : str
        What the two who talk are called.
    """
    text = line.message.text
    if meant.greeting(quote):
        return "a greeting is no fact"
    if meant.question(quote, text):
        return "it was asked, not told"
    if fact.subject is None:
        return ""
    if fact.subject is Subject.USER:
        return _of_user(fact, line, quote, people, user)
    if fact.subject is Subject.PERSONA:
        return _of_persona(line, quote, persona)
    return _of_other(fact, line, quote)


def _of_user(fact: Fact, line: Line, quote: str, people: Collection[str], user: str) -> str:
    if line.sender is not Sender.USER:
        return "it is about the user, who didn't say it"
    # A fact that names the other one, or the user's own ("Mei's mother"), hands on what the words say.
    told = any(stands_in(name, fact.text) for name in people) or _owns(user, fact.text)
    if meant.led_by_another(quote, people) and not told:
        return "its words speak of somebody else than the user"
    if meant.addressed(quote):
        return "its words speak to the persona, not of the user"
    return "it is only what somebody else says" if meant.hearsay(fact.text, quote) else ""


def _of_persona(line: Line, quote: str, persona: str) -> str:
    if line.sender is Sender.PERSONA:
        if meant.addressed(quote):
            return "its words speak of the other side"
        # Chinese leaves "I" out; an English message without it explains something.
        text = line.message.text
        explains = language_of(text) == "en" and not meant.first_person(text)
        return "its words don't speak of the persona" if explains else ""
    if meant.second_person(quote) or stands_in(persona, quote):
        return ""
    return "it is about the persona, and its words speak of the speaker"


def _of_other(fact: Fact, line: Line, quote: str) -> str:
    if line.sender is Sender.PERSONA:
        # Of its own people it tells news; of anybody else it explains.
        told = fact.known or meant.first_person(line.message.text)
        return "" if told else "only the persona says so"
    if line.speaker in fact.names:
        return ""
    own = _I_LEAD.search(fold(quote)) and not meant.third_person(quote)
    if own and not any(stands_in(name, quote) for name in fact.names):
        return "its words speak of the speaker, not of a third party"
    return ""


def _owns(name: str, text: str) -> bool:
    key, folded = fold(name), fold(text)
    return any(key + mark in folded for mark in ("'s ", "’s ", "的"))
