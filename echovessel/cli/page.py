"""`echovessel page`: the page, on one's own personas."""

from __future__ import annotations

from typing import Annotated

import typer

from echovessel.cli.console import out
from echovessel.cli.options import DEFAULT_HOME, Home

PORT = 7860


def page(
    port: Annotated[int, typer.Option(help="Where to listen; the next free port when it is taken.")] = PORT,
    browser: Annotated[bool, typer.Option(help="Show the page once it answers.")] = True,
    home: Home = DEFAULT_HOME,
) -> None:
    """Open the page on your own personas. With none yet, it begins with writing one."""
    from echovessel.workbench.app import opened_home, serve

    def ready(address: str) -> None:
        moved = "" if f":{port}/" in address or not port else f" (port {port} is taken)"
        out().print(f"EchoVessel is at {address}{moved}. Stop it with Ctrl+C.", soft_wrap=True)

    given = home.expanduser()
    opened = opened_home(given)
    try:
        folder = given.parent if given.is_file() else given
        serve(*opened, port=port, open_browser=browser, home=folder, ready=ready)
    finally:
        for one in opened:
            one.close()
