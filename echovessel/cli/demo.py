"""`echovessel demo`: the page, on the two sample personas."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from echovessel.cli.console import err, out

PORT = 7860


def demo(
    port: Annotated[int, typer.Option(help="Where to listen; the next free port when it is taken.")] = PORT,
    browser: Annotated[bool, typer.Option(help="Show the page once it answers.")] = True,
) -> None:
    """Open the page on the sample personas, in a temporary folder that is deleted afterwards."""
    from echovessel.workbench.app import opened_samples, serve

    def ready(address: str) -> None:
        moved = "" if f":{port}/" in address or not port else f" (port {port} is taken)"
        out().print(f"EchoVessel is at {address}{moved}. Stop it with Ctrl+C.", soft_wrap=True)

    with TemporaryDirectory(prefix="echovessel-demo-", ignore_cleanup_errors=True) as home:
        with err().status("Filling the sample memories ..."):
            opened = opened_samples(Path(home))
        try:
            serve(*opened, port=port, open_browser=browser, ready=ready)
        finally:
            for one in opened:
                one.vessel.close()
