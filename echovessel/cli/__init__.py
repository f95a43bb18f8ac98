"""The command line: parses, calls, prints. One file per group of commands."""

from __future__ import annotations

import io
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from echovessel import __version__
from echovessel.cli import bench, token
from echovessel.cli.chat import chat
from echovessel.cli.demo import demo
from echovessel.cli.distill import distill
from echovessel.cli.forget import forget
from echovessel.cli.init import init
from echovessel.cli.keep import backup, doctor, reembed, status
from echovessel.cli.mcp import mcp
from echovessel.cli.page import page
from echovessel.cli.run import run
from echovessel.cli.talk import recall, remember, search
from echovessel.cli.vessels import export_, import_
from echovessel.errors import EchoVesselError

INTERRUPTED = 128  # and the signal's number, as shells have it

app = typer.Typer(
    name="echovessel",
    help="A local-first engine for digital personas that remember.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    init,
    demo,
    page,
    chat,
    run,
    mcp,
    distill,
    remember,
    recall,
    search,
    forget,
    status,
    doctor,
    backup,
    reembed,
):
    app.command()(command)
app.command(name="export")(export_)
app.command(name="import")(import_)
app.add_typer(bench.app, name="bench")
app.add_typer(token.app, name="token")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"echovessel {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(INTERRUPTED + number)


def _hang_up(number: int, frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGTERM)  # which a running server answers by ending in order


def main() -> None:
    """Run the command line; an error raised on purpose is one sentence and exit code 1, wrong usage is 2.

    Ended by SIGTERM, or as its terminal is closed, a command still cleans up: `demo` deletes its folder.
    """
    for name, handler in (("SIGTERM", _stop), ("SIGHUP", _hang_up)):
        ending = getattr(signal, name, None)  # Windows has no SIGHUP; under nohup it is ignored, and stays so
        if ending is not None and signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no Chinese is no reason to stop
    try:
        app(prog_name="echovessel")
    except EchoVesselError as error:
        print(f"echovessel: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED + signal.SIGINT)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"echovessel: {place}{error.strerror or error}", file=sys.stderr)
        sys.exit(1)
