"""The command line: parses, calls, prints. One file per group of commands."""

from __future__ import annotations

import sys

import typer

from echovessel.cli import bench
from echovessel.cli.demo import demo
from echovessel.errors import EchoVesselError

app = typer.Typer(
    name="echovessel",
    help="A local-first engine for digital personas that remember.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(bench.app, name="bench")
app.command()(demo)


def main() -> None:
    """Run the command line; an error raised on purpose is one sentence and exit code 1, wrong usage is 2."""
    try:
        app(prog_name="echovessel")
    except EchoVesselError as error:
        print(f"echovessel: {error}", file=sys.stderr)
        sys.exit(1)
