"""Whose fact it is: a quote that speaks of somebody else than the fact does contradicts it."""

from __future__ import annotations

from collections.abc import Collection

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


def clash(
    told: str,
    line: Line,
    quote: str,
    subject: Subject | None,
    *,
    names: Collection[str],
    people: Collection[str],
    persona: str,
) -> str:
    """Why a quote can't carry a fact about this subject; empty where it can.

    Parameters
    ----------
    told : str
        The fact.
    line, quote
        The message, and its words.
    subject : Subject, optional
        None for what only has to be told: a promise.
    names : collection of str
        Names of the third party that the fact is about.
    people : collection of str
        Names of all persons and pets of the talk.
    persona : str
        The persona's name.
    """
    text = line.message.text
    if meant.greeting(quote):
        return "a greeting is no fact"
    if meant.question(quote, text):
        return "it was asked, not told"
    if subject is None:
        return ""
    by_persona = line.sender is Sender.PERSONA
    if subject is Subject.USER:
        if line.sender is not Sender.USER:
            return "it is about the user, who didn't say it"
        if meant.led_by(quote, people) and not meant.first_person(quote):
            return "its words speak of somebody else than the user"
        if meant.addressed(quote):
            return "its words speak to the persona, not of the user"
        return "it is only what somebody else says" if meant.hearsay(told, quote) else ""
    if subject is Subject.PERSONA:
        return _of_persona(quote, by_persona=by_persona, persona=persona)
    if by_persona:
        return "only the persona says so"
    if line.speaker in names:
        return ""
    own = _I_LEAD.search(fold(quote)) and not meant.third_person(quote)
    if own and not any(stands_in(name, quote) for name in names):
        return "its words speak of the speaker, not of a third party"
    return ""


def _of_persona(quote: str, *, by_persona: bool, persona: str) -> str:
    if by_persona:
        # Chinese leaves "I" out; an English sentence without it explains something.
        if language_of(quote) == "en" and not meant.first_person(quote):
            return "its words don't speak of the persona"
        return "its words speak of the other side" if meant.addressed(quote) else ""
    if meant.second_person(quote) or stands_in(persona, quote):
        return ""
    return "it is about the persona, and its words speak of the speaker"
