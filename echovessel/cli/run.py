"""`echovessel run`: the daemon."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import sys
from functools import partial
from typing import Annotated

import typer

from echovessel.cli.console import out
from echovessel.cli.options import DEFAULT_HOME, Home


def run(
    host: Annotated[str | None, typer.Option(help="Where to listen; as configured when left out.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; as configured when left out.")] = None,
    api: Annotated[bool, typer.Option(help="Whether to serve the HTTP API.")] = True,
    home: Home = DEFAULT_HOME,
) -> None:
    """Run the daemon: it makes memories of talks that ended, thinks in between, and serves the HTTP API.

    One runs per memory file. SIGTERM or Ctrl+C ends it in order, SIGHUP has config.toml read again. Its log goes to
    stderr, one JSON object a line, without what was said unless log_text is set.
    """
    from echovessel.runtime.daemon import Daemon
    from echovessel.runtime.logs import logged
    from echovessel.runtime.serve import application, listening, serve

    with Daemon(home) as daemon:
        settings = daemon.default.config.server
        there = f"EchoVessel runs for {daemon.file} (process {os.getpid()})"
        beside = None
        if api:
            built = application(daemon)
            at = listening(host or settings.host, settings.port if port is None else port)
            shown, number = at.getsockname()[:2]
            there += f" at http://{f'[{shown}]' if ':' in shown else shown}:{number}/"
            if not ipaddress.ip_address(shown.partition("%")[0]).is_loopback:
                there += ", to other machines with a token (echovessel token create USER)"
            beside = partial(serve, built, at)
        with logged(sys.stderr, text=settings.log_text) as lines:
            daemon.on_reload(lambda daemon: setattr(lines, "text", daemon.default.config.server.log_text))
            out().print(f"{there}. Stop it with Ctrl+C.", soft_wrap=True, markup=False)
            asyncio.run(daemon.run(serve=beside))
