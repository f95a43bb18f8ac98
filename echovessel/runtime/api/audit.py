"""What happened, over HTTP: how the daemon does, traces of turns, costs, the audit of thinking."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from echovessel.memory.calls import Call
from echovessel.memory.cycles import Cycle
from echovessel.memory.records import Persona, Session
from echovessel.memory.traces import Trace
from echovessel.runtime.api.asked import Asked, Vessels, here
from echovessel.runtime.api.door import NEAR
from echovessel.runtime.costs import spent

router = APIRouter()
_OF_A_PERSONA = "/api/personas/{persona}"
Limit = Annotated[int, Query(ge=1, le=1000)]


@router.get("/health", tags=["daemon"])
def health(request: Request) -> dict[str, Any]:
    """Whether it runs and nothing fails; more of it for those who may know."""
    found = request.app.state.health()
    return {"well": found.well, **(asdict(found) if request.scope[NEAR] else {})}


@router.get("/api/personas", tags=["talk"])
def personas(request: Request) -> list[Persona]:
    """The personas that run here."""
    vessels: Vessels = request.app.state.vessels
    return [vessel.memory.personas.get(name) for name, vessel in vessels.items()]


@router.get(f"{_OF_A_PERSONA}/sessions", tags=["audit"])
def sessions(vessel: Asked) -> list[Session]:
    """Stretches of talk, and whether they were made into memories."""
    return vessel.memory.sessions.list()


@router.get(f"{_OF_A_PERSONA}/traces", tags=["audit"])
def traces(vessel: Asked, limit: Limit = 50) -> list[Trace]:
    """Turns step by step, the newest first; kept when `traces` is set under [server]."""
    return vessel.memory.traces.list(limit=limit)


@router.get(f"{_OF_A_PERSONA}/traces/{{turn}}", tags=["audit"])
def trace(vessel: Asked, turn: str) -> Trace:
    """One turn step by step."""
    return vessel.memory.traces.get(turn)


@router.get(f"{_OF_A_PERSONA}/cycles", tags=["audit"])
def cycles(vessel: Asked, limit: Limit = 50) -> list[Cycle]:
    """Reflections and slow ticks: what each read, spent and wrote, and what was refused."""
    return vessel.memory.cycles.list(limit=limit)


@router.get(f"{_OF_A_PERSONA}/costs", tags=["audit"], dependencies=[Depends(here)])
def costs(vessel: Asked, limit: Limit = 200) -> dict[str, Any]:
    """What calls of language models cost, how that stands to the limits, and the latest calls."""
    periods = [asdict(one) | {"share": one.share} for one in spent(vessel.memory, vessel.config.spending)]
    calls: list[Call] = vessel.memory.calls.list(limit=limit)
    return {"periods": periods, "calls": [asdict(call) for call in calls]}
