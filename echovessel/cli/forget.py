"""`echovessel forget`: show what would go, and let it go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echovessel.cli.options import DEFAULT_HOME, Home, opened_memory
from echovessel.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from echovessel.memory.memory import Memory
    from echovessel.memory.records import Forgotten
    from echovessel.memory.targets import Target

SHOWN = 20
LOOKED_AT = 500  # of a large file most may belong to other talks


def forget(
    message: Annotated[str | None, typer.Option(help="A message, by id (`search` shows ids).")] = None,
    node: Annotated[str | None, typer.Option(help="An event, thought or promise, by id.")] = None,
    session: Annotated[
        str | None, typer.Option(help="A session with all its messages, by id (`status` shows ids).")
    ] = None,
    entity: Annotated[str | None, typer.Option(help="Somebody or something, by name or id.")] = None,
    alias: Annotated[
        str | None, typer.Option(help="One name of an entity; with --entity where several bear it.")
    ] = None,
    core_line: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="LABEL LINE", help="A whole line of the block persona, self, style, user or relationship."
        ),
    ] = None,
    user: Annotated[str | None, typer.Option(help="All that a user and the persona share.")] = None,
    group: Annotated[str | None, typer.Option(help="All that a group and the persona share.")] = None,
    persona: Annotated[str | None, typer.Option(help="A persona with all it knows.")] = None,
    imported: Annotated[
        str | None, typer.Option("--import", help="What one import brought, by id (`status` shows ids).")
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All personas of the file.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without this it is only shown.")] = False,
    keep_derived: Annotated[
        bool,
        typer.Option("--keep-derived", help="Keep memories that rest on it, without the words quoted."),
    ] = False,
    finish: Annotated[
        bool, typer.Option("--finish", help="Wipe what another open program kept the last time.")
    ] = False,
    whose: Annotated[
        str | None, typer.Option("--of", help="Of which persona; that of config.toml when left out.")
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option("--in", help="In which talks: user:NAME, group:NAME or shared; your own when left out."),
    ] = None,
    home: Home = DEFAULT_HOME,
) -> None:
    """Forget one thing for good. Without --yes it only lists what would go, and what derives from it."""
    given = {
        "--message": message,
        "--node": node,
        "--session": session,
        "--entity": entity if alias is None else None,
        "--alias": alias,
        "--core-line": core_line,
        "--user": user,
        "--group": group,
        "--persona": persona,
        "--import": imported,
        "--everything": everything or None,
        "--finish": finish or None,
    }
    named = [option for option, value in given.items() if value is not None]
    if len(named) != 1:
        found = ", ".join(named) or "none"
        raise typer.BadParameter(f"name one thing, by one of {', '.join(given)}; found {found}.")
    if finish:
        _finish(home)
        return
    if user is not None or group is not None:
        scope = f"user:{user}" if group is None else f"group:{group}"
    with _reached(home, persona or whose, scope, whole=everything) as memory:
        target = _target(memory, named[0], str(given[named[0]]), entity=entity, core_line=core_line)
        derived = "keep" if keep_derived else "drop"
        planned = memory.forget(target, dry_run=True, derived=derived)  # type: ignore[arg-type]
        _show(memory, planned, keep_derived=keep_derived)
        if not yes:
            typer.echo("Nothing has been deleted. To do it, add --yes.")
            return
        memory.forget(target, derived=derived)  # type: ignore[arg-type]
        typer.echo("Forgotten. The text is in no table, index, log or free page of the file.")


@contextmanager
def _reached(home: Path, persona: str | None, scope: str | None, *, whole: bool) -> Iterator[Memory]:
    """The memory from which a target is seen. The whole file may lack the persona, and even hold none."""
    from echovessel.memory.memory import Memory
    from echovessel.runtime.upkeep import whole_file

    with ExitStack() as open_until:
        try:
            memory = open_until.enter_context(opened_memory(home, persona, scope=scope))
        except NotFoundError:
            if not whole:
                raise
            memory = Memory(open_until.enter_context(whole_file(home)))
        yield memory


def _finish(home: Path) -> None:
    from echovessel.memory.forget import Forget
    from echovessel.runtime.upkeep import whole_file

    with whole_file(home) as context:
        Forget(context).finish()
    typer.echo("The file holds no trace of deleted text.")


def _target(
    memory: Memory, option: str, text: str, *, entity: str | None, core_line: tuple[str, str] | None
) -> Target:
    from echovessel.memory.records import CoreLabel
    from echovessel.memory.targets import Target

    if core_line is not None:
        label, line = core_line
        if label not in list(CoreLabel):
            raise InputError(f"there is no core block {label!r}. There are: {', '.join(CoreLabel)}.")
        return Target.core_line(label, line)
    if option == "--entity":
        return Target.entity(_entity(memory, text))
    if option == "--alias":
        return Target.alias(_entity(memory, entity or text), text)
    if option == "--everything":
        return Target.everything()
    make = {
        "--message": Target.message,
        "--node": Target.node,
        "--session": Target.session,
        "--user": Target.user,
        "--group": Target.group,
        "--persona": Target.persona,
        "--import": Target.imported,
    }
    return make[option](text)


def _entity(memory: Memory, who: str) -> str:
    """The id of whom a name or an id means."""
    found = memory.directory.find(who)
    if len(found) > 1:
        listed = "; ".join(f"{one.id} ({', '.join(one.aliases)})" for one in found)
        raise InputError(f"several go by {who!r}. Name one by its id, with --entity: {listed}.")
    return found[0].id if found else memory.directory.get(who).id


def _show(memory: Memory, planned: Forgotten, *, keep_derived: bool) -> None:
    counts = ", ".join(f"{n} {table.replace('_', ' ')}" for table, n in planned.counts.items())
    typer.echo(f"Goes: {counts or 'nothing'}")
    derived = set(planned.derived)
    first = [node for node in planned.nodes if node not in derived]
    stays = "Stays, without the words quoted, though it rests on it"
    _list("Messages", planned.messages, lambda one: _said(memory, one))
    _list("Memories", first, lambda one: _thought(memory, one))
    _list(
        stays if keep_derived else "Goes too, as it rests on it",
        planned.derived,
        lambda one: _thought(memory, one),
    )
    _list("Stays, though nothing names it any more", planned.orphans, lambda one: _name(memory, one))


def _list(heading: str, ids: Collection[str], shown: Callable[[str], str]) -> None:
    """The first few of these; what belongs to other people's talks is counted, not shown."""
    lines = []
    for one in islice(ids, LOOKED_AT):
        with suppress(NotFoundError):
            lines.append(shown(one))
        if len(lines) == SHOWN:
            break
    if ids:
        typer.echo(f"{heading}:")
    for line in lines:
        typer.echo(f"  {line}")
    if len(lines) < len(ids):
        left = len(ids) - len(lines)
        typer.echo(f"  ... and {left} more" if lines else f"  {left} in other talks")


def _said(memory: Memory, message: str) -> str:
    found = memory.log.get(message)
    return f"{message}  {found.sender_name or found.sender}: {' '.join(found.text.split())}"


def _thought(memory: Memory, node: str) -> str:
    found = memory.nodes.get(node)
    return f"{node}  [{found.kind}] {' '.join(found.text.split())}"


def _name(memory: Memory, entity: str) -> str:
    return f"{entity}  {memory.directory.get(entity).name}"
