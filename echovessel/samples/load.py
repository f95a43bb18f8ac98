"""The sample personas: read, and put into a memory."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from importlib import resources

from echovessel.clock import Clock, FixedClock
from echovessel.errors import NotFoundError
from echovessel.memory.memory import Memory
from echovessel.samples.conversation import Conversation
from echovessel.samples.gold import talk_of
from echovessel.samples.store import store_persona, store_talk

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
    labelled = talk_of(talk)
    store_persona(memory, labelled)
    store_talk(memory, labelled)
