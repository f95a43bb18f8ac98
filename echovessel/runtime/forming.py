"""Forming memories for a vessel: what the daemon does while nobody talks, and what ends a talk.

The mind is imported when it is first needed, so that opening a vessel stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from echovessel.errors import ModelError
from echovessel.memory.records import Scope, SessionState

if TYPE_CHECKING:
    from echovessel.memory.cycles import Cycle
    from echovessel.mind.consolidation import Consolidated, Consolidator
    from echovessel.runtime.vessel import Vessel


def consolidator(vessel: Vessel) -> Consolidator:
    """What makes memories of the persona's closed sessions."""
    from echovessel.mind.consolidation import Consolidator

    return Consolidator(vessel.memory, vessel.embedder, vessel.model, settings=vessel.config.mind)


async def consolidate(vessel: Vessel) -> list[Consolidated]:
    """Make memories of every closed session of the persona, whoever it was with; without a model they wait.

    Raises
    ------
    ModelError
        Some failed, and are tried again later; the others are done.
    """
    from echovessel.mind.consolidation import State

    found = await consolidator(vessel).run_pending()
    failed = [one for one in found if one.state is State.FAILED]
    if failed:
        raise ModelError(f"{len(failed)} talks could not be made into memories yet: {failed[0].why}")
    return found


async def think(vessel: Vessel, scope: Scope) -> Cycle:
    """One slow tick in a scope."""
    from echovessel.mind.slow_tick import slow_tick

    there = vessel.within(scope)
    return await slow_tick(there.memory, there.embedder, there.model, settings=there.config.mind)


def quiet_scopes(vessel: Vessel) -> list[Scope]:
    """Where there has been talk, but none is under way."""
    sessions = vessel.memory.sessions.list(everywhere=True)
    talking = {session.scope for session in sessions if session.state is SessionState.OPEN}
    return [scope for scope in dict.fromkeys(one.scope for one in sessions) if scope not in talking]
