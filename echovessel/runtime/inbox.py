"""The inbox of a channel: lines that follow each other closely get one answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from echovessel.runtime.turn import Saying

WAIT = 1.5  # seconds of silence after which somebody has finished
MOST_WAIT = 10.0  # seconds after which a burst is answered although more keeps coming
MOST = 20  # lines of a burst
_log = logging.getLogger(__name__)

Handler = Callable[[Saying], Awaitable[None]]


@dataclass
class _Talk:
    """The lines of one conversation that wait for their turn."""

    waiting: list[Saying] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class Inbox:
    """Gathers lines into bursts, and hands them on one after another.

    A burst is from one sender: when another speaks in between, what was said before makes a burst of its own, so that
    each is answered as whom they are. Lines that come while a turn runs wait for the next one; other conversations
    go on meanwhile.

    Parameters
    ----------
    handle : callable
        Runs the turn of a burst, ``await handle(saying)``. What it raises is logged, and the next burst comes.
    wait : float
        Seconds of silence that end a burst.
    most_wait : float
        Seconds after which it ends anyway.
    """

    def __init__(self, handle: Handler, *, wait: float = WAIT, most_wait: float = MOST_WAIT) -> None:
        self._handle = handle
        self._wait = wait
        self._most_wait = most_wait
        self._talks: dict[tuple[str, str], _Talk] = {}
        self._closed = False

    def put(self, saying: Saying) -> None:
        """Something was said. Call it in the event loop; it never waits. After `close` it does nothing."""
        if self._closed:
            return
        key = (saying.channel, saying.conversation)
        talk = self._talks.setdefault(key, _Talk())
        talk.waiting.append(saying)
        talk.came.set()
        if talk.task is None:
            talk.task = asyncio.get_running_loop().create_task(self._run(key, talk))

    async def close(self) -> None:
        """Answer what was heard already without further waiting, then stop."""
        self._closed = True
        for talk in self._talks.values():
            talk.came.set()
        await asyncio.gather(*[talk.task for talk in self._talks.values() if talk.task is not None])

    async def _run(self, key: tuple[str, str], talk: _Talk) -> None:
        while talk.waiting:
            await self._silence(talk)
            try:
                await self._handle(_taken(talk.waiting))
            except Exception as error:  # noqa: BLE001
                # One burst that fails must not leave its conversation waiting.
                _log.error("a burst could not be handled", exc_info=error)
        del self._talks[key]

    async def _silence(self, talk: _Talk) -> None:
        """Until nobody has spoken for a moment, or the burst is long enough."""
        until = asyncio.get_running_loop().time() + self._most_wait
        while not self._closed and len(talk.waiting) < MOST:
            talk.came.clear()
            left = min(self._wait, until - asyncio.get_running_loop().time())
            try:
                await asyncio.wait_for(talk.came.wait(), left)
            except TimeoutError:
                return


def _taken(waiting: list[Saying]) -> Saying:
    """The first sender's lines, taken from those that wait."""
    first = waiting[0]
    count = next((i for i, one in enumerate(waiting) if not _together(first, one)), len(waiting))
    burst = waiting[: min(count, MOST)]
    del waiting[: len(burst)]
    if len(burst) == 1:
        return first
    messages = [message for one in burst for message in one.messages()]
    return replace(
        first,
        lines=tuple(message.text for message in messages),
        external_id=tuple(message.external_id for message in messages),
    )


def _together(one: Saying, other: Saying) -> bool:
    return (one.place, one.record, one.instructions) == (other.place, other.record, other.instructions)
