"""Options that several commands share, and how a vessel is opened for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echovessel.errors import InputError
from echovessel.runtime.home import HOME, memory_file

if TYPE_CHECKING:
    from echovessel.memory.memory import Memory

Home = Annotated[
    Path, typer.Option("--home", envvar="ECHOVESSEL_HOME", help="The vessel's folder, or a memory file.")
]
Persona = Annotated[
    str | None, typer.Option("--persona", help="Whose memory; that of config.toml when left out.")
]
User = Annotated[str | None, typer.Option("--user", help="Who asks; that of config.toml when left out.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

DEFAULT_HOME = Path(HOME)


@contextmanager
def opened_memory(
    home: Path, persona: str | None, user: str | None = None, *, scope: str | None = None
) -> Iterator[Memory]:
    """The memory in a folder, without its embedder: for commands that need no vectors. `scope` is a stored key."""
    from echovessel.memory.memory import Memory
    from echovessel.memory.records import Scope
    from echovessel.runtime.config import load

    path = memory_file(home)
    config = load(path.parent)
    seen = Scope.user(user or config.user) if scope is None else Scope.parse(scope)
    whose = persona or config.persona
    with Memory.open(path, persona=whose, scope=seen, zone=config.zone, create=False) as memory:
        yield memory


def moment(text: str, zone: str, *, end: bool = False) -> datetime:
    """A day or a time as it is typed; without a zone it is read in this one.

    Parameters
    ----------
    end : bool
        Whether a bare day means its end instead of its beginning.

    Raises
    ------
    InputError
        It is neither.
    """
    from echovessel.clock import zone as zone_named

    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InputError(f"{text!r} is no date. Write 2026-03-02, or 2026-03-02T18:30+08:00.") from error
    if end and found.time() == time.min and len(text.strip()) <= len("2026-03-02"):
        found += timedelta(days=1) - timedelta(microseconds=1)
    return found if found.tzinfo else found.replace(tzinfo=zone_named(zone))
