"""Forming memories for a vessel: what the daemon does while nobody talks, and what ends a talk."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from echovessel.memory.records import Scope, Session, SessionState

if TYPE_CHECKING:
    from echovessel.runtime.vessel import Vessel


def ready() -> bool:
    """Whether the mind can make memories."""
    return find_spec("echovessel.mind.consolidation") is not None


def consolidator(vessel: Vessel) -> Any:
    """What makes memories of the vessel's closed sessions."""
    made = import_module("echovessel.mind.consolidation").Consolidator
    return made(vessel.memory, vessel.embedder, vessel.model, settings=vessel.config.mind)


async def consolidate(vessel: Vessel) -> list[Any]:
    """Make memories of every closed session of the persona, whoever it was with; without a model they wait."""
    found: list[Any] = await consolidator(vessel).run_pending()
    return found


async def think(vessel: Vessel, scope: Scope) -> Any:
    """One slow tick in a scope."""
    tick = import_module("echovessel.mind.slow_tick").slow_tick
    there = vessel.within(scope)
    return await tick(there.memory, there.embedder, there.model, settings=vessel.config.mind)


def quiet_scopes(vessel: Vessel) -> list[Scope]:
    """Where there has been talk, but none is under way."""
    sessions = vessel.memory.sessions.list(everywhere=True)
    talking = {session.scope for session in sessions if session.state is SessionState.OPEN}
    return [scope for scope in _in_order(sessions) if scope not in talking]


def _in_order(sessions: list[Session]) -> list[Scope]:
    return list(dict.fromkeys(session.scope for session in sessions))
