"""The sample personas: read, and put into a memory."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from importlib import resources

from echovessel.clock import Clock, FixedClock
from echovessel.errors import NotFoundError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Actor, CoreLabel, Mood
from echovessel.samples.conversation import Conversation
from echovessel.samples.gold import talk_of
from echovessel.samples.store import store_talk

SAMPLES = ("lin", "mara")


@cache
def sample_named(name: str) -> Conversation:
    """One of the two labelled talks that ship.

    Raises
    ------
    NotFoundError
        No such sample.
    """
    if name not in SAMPLES:
        raise NotFoundError(f"no sample {name!r}. There are: {', '.join(SAMPLES)}.")
    with resources.as_file(resources.files("echovessel.samples") / f"{name}.json") as path:
        return Conversation.read(path)


def sample_clock(talk: Conversation) -> Clock:
    """A clock that stands an hour after the last turn, so that "three days ago" is what it was in the talk."""
    return FixedClock(talk.sessions[-1].turns[-1].at + timedelta(hours=1))


def fill(memory: Memory, talk: Conversation) -> None:
    """Put a talk with its gold memory into a memory: all six layers, as a perfect extraction would have left them."""
    memory.personas.set_name(talk.persona.name)
    memory.personas.set_zone(talk.zone)
    owner = next((speaker.name for speaker in talk.speakers if speaker.role == "user"), "")
    if owner:
        memory.personas.set_name(owner, scope=memory.context.scope)
    for label, text in (
        (CoreLabel.PERSONA, talk.persona.persona),
        (CoreLabel.SELF, talk.persona.self),
        (CoreLabel.STYLE, talk.persona.style),
        (CoreLabel.USER, talk.about_user),
        (CoreLabel.RELATIONSHIP, talk.relationship),
    ):
        if text:
            memory.core.set(label, text, actor=Actor.IMPORT)
    store_talk(memory, talk_of(talk))
    for session in talk.sessions:
        felt = session.mood_end
        memory.moods.set(Mood(felt.mood, felt.energy, felt.last_user_signal, session.turns[-1].at))
