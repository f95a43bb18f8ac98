"""The talk that goes on over a memory on the page, and what the page keeps of it while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

from echovessel.errors import InputError
from echovessel.runtime.streams import closing
from echovessel.runtime.turn import Step, Turn

if TYPE_CHECKING:
    from echovessel.mind.consolidation import Consolidated
    from echovessel.runtime.vessel import Vessel

KEPT = 20
STOPPED = "stopped"


class Talking:
    """What is said over one memory, by whichever browser shows it.

    Attributes
    ----------
    turns : list of Turn
        The latest turns, the newest last. They hold what was said, so `drop` lets go of them with what is forgotten.
    became : tuple of Consolidated
        What the talk became when it was ended last.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.became: tuple[Consolidated, ...] = ()
        self._task: asyncio.Task[None] | None = None

    @property
    def latest(self) -> Turn | None:
        """The turn at hand, or the last one."""
        return self.turns[-1] if self.turns else None

    @property
    def busy(self) -> bool:
        """Whether a reply is under way."""
        return self._task is not None and not self._task.done()

    async def say(self, vessel: Vessel, text: str) -> AsyncIterator[Step]:
        """One turn, step by step. It runs to its end even when nobody reads on, so that a closed tab loses no reply.

        Raises
        ------
        InputError
            There is nothing in the text, or a reply is still under way.
        """
        if self.busy:
            raise InputError("A reply is still under way. Wait for it, or stop it.")
        steps: asyncio.Queue[Step | None] = asyncio.Queue()
        task = self._task = asyncio.create_task(self._run(vessel, text, steps))
        while (step := await steps.get()) is not None:
            yield step
        await asyncio.wait([task])
        failure = None if task.cancelled() else task.exception()
        if failure is not None:
            raise failure

    def stop(self) -> None:
        """End the reply that is under way; what was said so far is kept."""
        if self._task is not None:
            self._task.cancel()

    async def end(self, vessel: Vessel) -> tuple[Consolidated, ...]:
        """End the talk, and make memories of it and of what still waits."""
        became = await vessel.turns.close_session()
        if vessel.model is not None:
            from echovessel.runtime.forming import consolidator

            became += await consolidator(vessel).run_pending()
        self.became = tuple(became)
        return self.became

    def drop(self) -> None:
        """Let go of the turns: something that they may hold was forgotten."""
        self.turns.clear()

    async def _run(self, vessel: Vessel, text: str, steps: asyncio.Queue[Step | None]) -> None:
        begun = False
        try:
            async with closing(vessel.turns.say(text)) as told:
                async for step in told:
                    begun = True
                    self._note(step.turn)
                    steps.put_nowait(step)
        except asyncio.CancelledError:
            if begun and self.turns:
                self.turns[-1] = replace(self.turns[-1], why=STOPPED)
            raise
        finally:
            steps.put_nowait(None)

    def _note(self, turn: Turn) -> None:
        if self.turns and self.turns[-1].id == turn.id:
            self.turns[-1] = turn
            return
        self.turns.append(turn)
        del self.turns[:-KEPT]
