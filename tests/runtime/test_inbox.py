"""Bursts: what makes one, and what never does."""

from __future__ import annotations

import asyncio
import logging

import pytest

from echovessel.memory.records import Sender
from echovessel.runtime.inbox import Inbox
from echovessel.runtime.turn import Saying

SOON = 0.02


def said(text: str, who: str = "", *, talk: str = "main", ident: str | None = None) -> Saying:
    sender = Sender.OTHER if who else Sender.USER
    return Saying((text,), "discord", talk, sender, who, ident)


def bursts(*script: Saying | float, slow: float = 0.0) -> list[Saying]:
    """What is handed on when these lines come, with pauses of so many seconds."""
    got: list[Saying] = []

    async def handle(saying: Saying) -> None:
        got.append(saying)
        await asyncio.sleep(slow)

    async def run() -> None:
        inbox = Inbox(handle, wait=SOON)
        for step in script:
            if isinstance(step, Saying):
                inbox.put(step)
            else:
                await asyncio.sleep(step)
        await inbox.close()

    asyncio.run(run())
    return got


def test_lines_that_follow_closely_are_one_burst_with_their_own_ids() -> None:
    (burst,) = bursts(said("One.", ident="a"), 0.001, said("Two.", ident="b"))

    assert burst.lines == ("One.", "Two.")
    assert [message.external_id for message in burst.messages()] == ["a", "b"]


def test_a_pause_ends_a_burst() -> None:
    assert [one.lines for one in bursts(said("One."), 4 * SOON, said("Two."))] == [("One.",), ("Two.",)]


def test_a_burst_never_mixes_senders() -> None:
    got = bursts(said("A1", "Ann"), said("A2", "Ann"), said("B1", "Ben"), said("A3", "Ann"))

    assert [(one.sender_name, one.lines) for one in got] == [
        ("Ann", ("A1", "A2")),
        ("Ben", ("B1",)),
        ("Ann", ("A3",)),
    ]


def test_conversations_do_not_wait_for_each_other() -> None:
    got = bursts(said("Here.", talk="one"), said("There.", talk="two"), slow=0.2)

    assert {one.conversation for one in got} == {"one", "two"}


def test_lines_that_come_during_a_turn_make_the_next_burst() -> None:
    got = bursts(said("One."), 2.5 * SOON, said("Two."), said("Three."), slow=5 * SOON)

    assert [one.lines for one in got] == [("One.",), ("Two.", "Three.")]


def test_closing_answers_what_was_heard_without_waiting() -> None:
    got: list[Saying] = []

    async def handle(saying: Saying) -> None:
        got.append(saying)

    async def run() -> None:
        inbox = Inbox(handle, wait=60)
        inbox.put(said("Last words."))
        await asyncio.sleep(0)
        await asyncio.wait_for(inbox.close(), 5)
        inbox.put(said("Too late."))

    asyncio.run(run())

    assert [one.lines for one in got] == [("Last words.",)]


def test_somebody_who_never_pauses_is_answered_all_the_same() -> None:
    got: list[Saying] = []

    async def handle(saying: Saying) -> None:
        got.append(saying)

    async def run() -> None:
        inbox = Inbox(handle, wait=10, most_wait=2 * SOON)
        inbox.put(said("And then"))
        await asyncio.sleep(SOON)
        inbox.put(said("and then"))
        await asyncio.sleep(4 * SOON)
        assert len(got) == 1
        await inbox.close()

    asyncio.run(run())


def test_a_burst_that_fails_leaves_nobody_waiting(caplog: pytest.LogCaptureFixture) -> None:
    got: list[str] = []

    async def handle(saying: Saying) -> None:
        got.append(saying.query)
        if saying.query == "One.":
            raise ValueError("broken")

    async def run() -> None:
        inbox = Inbox(handle, wait=SOON)
        inbox.put(said("One."))
        await asyncio.sleep(3 * SOON)
        inbox.put(said("Two."))
        await inbox.close()

    with caplog.at_level(logging.CRITICAL):
        asyncio.run(run())

    assert got == ["One.", "Two."]
