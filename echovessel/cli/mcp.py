"""`echovessel mcp`: the memory as tools for an assistant."""

from __future__ import annotations

from echovessel.cli.options import DEFAULT_HOME, Home, Persona, User


def mcp(persona: Persona = None, user: User = None, home: Home = DEFAULT_HOME) -> None:
    """Serve recall, remember, forget and about over the Model Context Protocol, on standard input and output.

    An assistant starts this itself; tell it the command: echovessel mcp --persona NAME --user NAME
    """
    from echovessel.runtime.mcp import build_mcp
    from echovessel.runtime.vessel import Vessel

    with Vessel.open(home, persona=persona, user=user, create=False) as vessel:
        build_mcp(vessel).run()
