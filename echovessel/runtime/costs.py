"""What calls cost: each is logged by purpose, and a limit per day and month holds over all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from echovessel.clock import day_of, from_micros, start_of_day
from echovessel.errors import SpendingLimit
from echovessel.memory.calls import Call, Calls
from echovessel.memory.memory import Memory
from echovessel.models.language import LanguageModel, Piece, Reply, Request, Usage
from echovessel.runtime.spending import SpendingLimits
from echovessel.runtime.streams import closing

NEAR = 0.8  # of a limit: from here on it is shown


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent in a period, and how it stands to the limit. US dollars.

    `share` is None without a limit; 1 and more is at the limit.
    """

    period: str
    cost: float
    limit: float | None
    unpriced: int

    def __str__(self) -> str:
        limit = "" if self.limit is None else f" of ${self.limit:.2f}"
        unknown = f" and {self.unpriced} calls of unknown price" if self.unpriced else ""
        return f"${self.cost:.2f}{limit} this {self.period}{unknown}"

    @property
    def share(self) -> float | None:
        """Spent over limit."""
        if self.limit is None:
            return None
        return self.cost / self.limit if self.limit else 1.0

    @property
    def near(self) -> bool:
        """Whether the limit is close enough to say so."""
        return self.share is not None and self.share >= NEAR

    @property
    def reached(self) -> bool:
        """Whether nothing is left."""
        return self.share is not None and self.share >= 1.0


def spent(memory: Memory, limits: SpendingLimits) -> tuple[Spent, ...]:
    """What this day and this month cost so far, in the zone of the scope."""
    zone = memory.personas.zone_of(memory.context.scope)
    return spent_in(memory.calls, limits, zone, memory.context.clock.now())


def spent_in(calls: Calls, limits: SpendingLimits, zone: str, now: datetime) -> tuple[Spent, ...]:
    """The same, in any zone."""
    today = day_of(now, zone)
    day, month = (
        calls.total(from_micros(start_of_day(first, zone))) for first in (today, today.replace(day=1))
    )
    return (
        Spent("day", day.cost, limits.day, day.unpriced),
        Spent("month", month.cost, limits.month, month.unpriced),
    )


@dataclass(slots=True)
class _Answered:
    """What came of a call so far."""

    reply: Reply | None = None


class Metered:
    """A language model whose calls are logged, and held to the limits.

    Parameters
    ----------
    inner : LanguageModel
    memory : Memory
        In the scope for which the calls are made.
    limits : SpendingLimits
    """

    def __init__(self, inner: LanguageModel, memory: Memory, limits: SpendingLimits) -> None:
        self.inner = inner
        self._memory = memory
        self._limits = limits

    async def complete(self, request: Request) -> Reply:
        """The whole answer.

        A request that is marked `beyond_limit` is made at the limit too.

        Raises
        ------
        SpendingLimit
            A limit is reached, and the user chose to stop there.
        ModelError
            No useful answer came.
        """
        async with self._metered(request) as call:
            call.reply = await self.inner.complete(request)
            return call.reply

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The answer as it comes; raises as `complete` does."""
        async with self._metered(request) as call, closing(self.inner.stream(request)) as pieces:
            async for piece in pieces:
                call.reply = piece.reply or call.reply
                yield piece

    @asynccontextmanager
    async def _metered(self, request: Request) -> AsyncIterator[_Answered]:
        """One call: held back at the limit, and logged however it ends."""
        if not request.beyond_limit:
            await asyncio.to_thread(self.check)
        started, call, ended = time.perf_counter(), _Answered(), "failed"
        try:
            yield call
        except (asyncio.CancelledError, GeneratorExit):
            ended = "cancelled"
            raise
        finally:
            await self._log(request, call.reply, ended, started)

    def check(self) -> None:
        """Raise `SpendingLimit` when a limit is reached and holds calls back."""
        if self._limits.at_limit == "warn":
            return
        for period in spent(self._memory, self._limits):
            if period.reached:
                raise SpendingLimit(
                    f"This {period.period}'s limit of ${period.limit:.2f} for language models is reached"
                    f" (${period.cost:.2f}). Raise it under [spending] in config.toml, or wait for the next one."
                )

    async def _log(self, request: Request, reply: Reply | None, ended: str, started: float) -> None:
        # With the last piece of a stream the answer is there, whatever becomes of its reader.
        outcome = ended if reply is None else "cut" if reply.finish == "length" else "ok"
        usage = reply.usage if reply is not None else Usage()
        call = Call(
            str(request.purpose),
            request.role,
            reply.model if reply is not None else "",
            request.stamp,
            round((time.perf_counter() - started) * 1000),
            usage.input_tokens,
            usage.output_tokens,
            usage.cost if reply is not None else None,
            outcome,
        )
        await asyncio.to_thread(self._memory.calls.record, call)
