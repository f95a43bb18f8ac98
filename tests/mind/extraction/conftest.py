"""A talk with Mei, read by a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, NewMessage, Scope, Sender
from echovessel.mind.extraction import Extraction, Written, extract, write
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import ScriptedModel

EMBEDDER = HashEmbedder()


@pytest.fixture
def clock() -> FixedClock:
    """Noon of Wednesday, 18 March 2026, UTC."""
    return FixedClock(datetime(2026, 3, 18, 12, tzinfo=UTC))


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    """The empty memory of the persona Lin, in the scope of the user Mei."""
    with Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("mei"),
        clock=clock,
        zone="UTC",
        embedder=EMBEDDER.identity,
    ) as memory:
        memory.personas.set_name("Lin")
        memory.personas.set_name("Mei", scope=memory.context.scope)
        yield memory


class Talks:
    """Stores talks and has them read: the answer is what the model would return."""

    def __init__(self, memory: Memory, clock: FixedClock) -> None:
        self.memory = memory
        self.clock = clock
        self.asked = ""
        self._count = 0

    def say(self, *lines: str, at: datetime | None = None, session: str | None = None) -> list[Message]:
        """Store lines such as "Mei: hello" or "Lin: hello" as one session."""
        self._count += 1
        moment = at or self.clock.now()
        stored = []
        for line in lines:
            name, _, text = line.partition(": ")
            sender = {"Mei": Sender.USER, "Lin": Sender.PERSONA, "System": Sender.SYSTEM}.get(
                name, Sender.OTHER
            )
            shown = name if sender is Sender.OTHER or self.memory.context.scope.kind == "group" else ""
            message = NewMessage(
                text,
                sender=sender,
                sender_name=shown,
                sent_at=moment,
                session=session or f"talk {self._count}",
            )
            stored.append(self.memory.log.add(message))
        return stored

    def read(self, messages: list[Message], *answers: Any) -> Extraction:
        """What is made of stored messages."""
        model = ScriptedModel(list(answers))
        session = self.memory.sessions.get(messages[0].session)
        found = asyncio.run(extract(self.memory, EMBEDDER, model, session, messages=messages))
        self.asked = "\n".join(say.text for request in model.requests for say in request.says)
        return found

    def write(self, found: Extraction) -> Written:
        """Write it in one transaction."""
        with self.memory.context.store.write():
            return write(self.memory, found)

    def form(self, *lines: str, at: datetime | None = None, **answer: Any) -> Written:
        """Say, read and write."""
        return self.write(self.read(self.say(*lines, at=at), answer))

    def texts(self) -> list[str]:
        """Current memories, the latest known first."""
        return [node.text for node in self.memory.nodes.list()]


@pytest.fixture
def talks(memory: Memory, clock: FixedClock) -> Talks:
    return Talks(memory, clock)


@pytest.fixture
def event() -> Callable[..., dict[str, Any]]:
    """An event as a model returns it; `on` are pairs of message number and words."""

    def make(text: str, *on: tuple[int, str], **fields: Any) -> dict[str, Any]:
        sources = [{"message": number, "words": words} for number, words in on]
        return {"text": text, "subject": "user", "sources": sources} | fields

    return make
