"""A persona that talks with Mei in June 2026, on a clock that moves when told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import Actor, CoreLabel, Message, NewMessage, Scope, Sender
from echovessel.mind.prompt import Prompt, assemble


@pytest.fixture
def clock() -> FixedClock:
    """Noon of Monday, 1 June 2026, UTC."""
    return FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    """An empty memory of the persona Lin in the scope of the user Mei."""
    with Memory.open(":memory:", persona="lin", scope=Scope.user("mei"), clock=clock, zone="UTC") as memory:
        memory.personas.set_name("Lin")
        memory.personas.set_name("Mei", scope=memory.context.scope)
        memory.core.set(CoreLabel.PERSONA, "A restorer of tapes.", actor=Actor.MANUAL)
        yield memory


@pytest.fixture
def say(memory: Memory, clock: FixedClock) -> Callable[..., Message]:
    """Store a message, sent now."""

    def say(text: str, sender: str = "user", **fields: object) -> Message:
        return memory.log.add(NewMessage(text, sender=Sender(sender), **fields))  # type: ignore[arg-type]

    return say


@pytest.fixture
def prompt(memory: Memory, clock: FixedClock) -> Callable[..., Prompt]:
    """The prompt of a reply to messages; recall goes by words alone."""

    def prompt(*heard: Message, **options: object) -> Prompt:
        query = "\n".join(message.text for message in heard)
        recent = {message.id for message in memory.log.last(60)}
        recall = memory.recall(query, exclude=recent, weights=options.pop("weights", None))  # type: ignore[arg-type]
        return assemble(memory, recall, heard, now=clock.now(), **options)  # type: ignore[arg-type]

    return prompt
