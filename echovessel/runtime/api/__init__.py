"""The HTTP API of a daemon: talk, memory and audit, and an endpoint for any chat client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI

from echovessel import __version__
from echovessel.runtime.api import audit, chat, memories, openai
from echovessel.runtime.api.door import Door
from echovessel.runtime.api.refusals import answer_errors
from echovessel.runtime.daemon import Health
from echovessel.runtime.vessel import Vessel

__all__ = ["build_api"]


def build_api(vessels: Mapping[str, Vessel], *, health: Callable[[], Health]) -> Door:
    """The API on open personas of one memory file.

    Parameters
    ----------
    vessels : mapping
        Personas by name, at least one; the first is who speaks where none is named.
    health : callable
        How the daemon does; it may block.

    Returns
    -------
    Door
        An ASGI application. Programs of this machine need no token; all others do.
    """
    # No page of documentation: it would fetch its scripts from elsewhere. /openapi.json describes everything.
    app = FastAPI(
        title="EchoVessel",
        version=__version__,
        description="Talk with the personas of one machine, and see and mend what they remember.",
        docs_url=None,
        redoc_url=None,
    )
    app.state.vessels, app.state.health = vessels, health
    answer_errors(app)
    routers: tuple[Any, ...] = (chat.router, memories.router, audit.router, openai.router)
    for router in routers:
        app.include_router(router)
    tokens = next(iter(vessels.values())).memory.tokens
    return Door(app, user_of=tokens.user_of)
