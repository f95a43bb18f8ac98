"""Every call is logged with how it ended, whole or streamed, and held back at the limit."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import pytest

from echovessel.errors import ModelError, SpendingLimit
from echovessel.memory.calls import Call
from echovessel.memory.memory import Memory
from echovessel.models.language import Piece, Purpose, Reply, Request, Say, Usage
from echovessel.runtime.costs import Metered
from echovessel.runtime.spending import SpendingLimits

ASKED = Request((Say("user", "Hello."),), purpose=Purpose.REPLY, role="main", stamp="reply.en v1")
WHOLE = Reply("Hi.", "small", Usage(3, 2, 0.25))


class Answers:
    """Answers as told: a reply, an error, or nothing at all."""

    def __init__(self, answer: Reply | BaseException | None) -> None:
        self.answer = answer
        self.asked = 0

    async def complete(self, request: Request) -> Reply:
        self.asked += 1
        assert self.answer is not None
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        yield Piece("Hi.")
        if self.answer is not None:
            yield Piece(reply=await self.complete(request))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", persona="lin") as memory:
        yield memory


def asked(memory: Memory, answer: Reply | BaseException | None, *, streamed: bool, **limits: object) -> Call:
    """The call as it was logged; errors pass by."""
    model = Metered(Answers(answer), memory, SpendingLimits(**limits))  # type: ignore[arg-type]

    async def ask() -> None:
        if streamed:
            [piece async for piece in model.stream(ASKED)]
        else:
            await model.complete(ASKED)

    with contextlib.suppress(ModelError, asyncio.CancelledError):
        asyncio.run(ask())
    (call,) = memory.calls.list()
    return call


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("answer", "outcome", "cost"),
    [
        (WHOLE, "ok", 0.25),
        (Reply("Hi", "small", Usage(3, 2, 0.5), finish="length"), "cut", 0.5),
        (ModelError("Away."), "failed", None),
        (asyncio.CancelledError(), "cancelled", None),
    ],
)
def test_a_call_is_logged_however_it_ends(
    memory: Memory, answer: Reply | BaseException, outcome: str, cost: float | None, streamed: bool
) -> None:
    call = asked(memory, answer, streamed=streamed)

    assert (call.outcome, call.cost, call.purpose, call.role, call.stamp) == (
        outcome,
        cost,
        "reply",
        "main",
        "reply.en v1",
    )
    assert (call.model, call.input_tokens) == (("small", 3) if cost else ("", 0))


def test_a_stream_that_ends_without_its_answer_has_failed(memory: Memory) -> None:
    assert asked(memory, None, streamed=True).outcome == "failed"


def test_a_stream_that_nobody_reads_on_is_cancelled(memory: Memory) -> None:
    async def leave() -> None:
        stream = Metered(Answers(WHOLE), memory, SpendingLimits()).stream(ASKED)
        assert await anext(stream) == Piece("Hi.")
        await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(leave())

    assert memory.calls.list()[0].outcome == "cancelled"


@pytest.mark.parametrize("streamed", [False, True])
def test_at_the_limit_nothing_is_asked_and_nothing_logged(memory: Memory, streamed: bool) -> None:
    asked(memory, WHOLE, streamed=streamed)
    inner = Answers(WHOLE)
    model = Metered(inner, memory, SpendingLimits(day=0.25, at_limit="stop"))

    async def ask() -> None:
        if streamed:
            await anext(model.stream(ASKED))
        else:
            await model.complete(ASKED)

    with pytest.raises(SpendingLimit, match=r"limit of \$0\.25"):
        asyncio.run(ask())

    assert inner.asked == 0
    assert len(memory.calls.list()) == 1
