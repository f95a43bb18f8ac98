"""Upkeep of a memory file: make it, convert it, copy it, tell how much it holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from echovessel.clock import SystemClock
from echovessel.embedding import Embedder, EmbedderIdentity
from echovessel.errors import InputError, StoreDamaged, StoreFull, StoreReadOnly
from echovessel.memory import integrity
from echovessel.memory.calls import Calls
from echovessel.memory.census import Held, census, size
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.ids import IdMaker
from echovessel.memory.personas import machine_zone
from echovessel.memory.records import Scope
from echovessel.memory.reembed import Reembed
from echovessel.memory.vectors import Vectors
from echovessel.models.registry import embedder as embedder_named
from echovessel.runtime import config
from echovessel.runtime.costs import Spent, spent_in
from echovessel.runtime.home import FILE, make_home, memory_file
from echovessel.runtime.lock import running
from echovessel.runtime.vessel import Vessel


@dataclass(frozen=True, slots=True)
class Status:
    """What a file holds.

    Attributes
    ----------
    path : str
    size : int
        Bytes on the disk.
    held : tuple of Held
        Rows of each layer, by persona.
    pending : int
        Texts that wait for their vector; until then only their words find them.
    embedder : EmbedderIdentity, optional
        Who made the vectors.
    waiting : int
        Talks that ended and wait to be made into memories.
    daemon : int, optional
        Process of the daemon; None when none runs.
    model : str
        The language model that is set; empty for none.
    spent : tuple of Spent
        What the calls of this day and this month cost.
    """

    path: str
    size: int
    held: tuple[Held, ...]
    pending: int
    embedder: EmbedderIdentity | None
    waiting: int
    daemon: int | None
    model: str
    spent: tuple[Spent, ...]


@contextmanager
def whole_file(home: str | os.PathLike[str]) -> Iterator[Context]:
    """The memory file of a folder (or the file itself), opened for all its personas at once."""
    store = Store(memory_file(home))
    try:
        yield Context(store, "", Scope.shared(), SystemClock(), IdMaker())
    finally:
        store.close()


def create(home: str | os.PathLike[str], **settings: str) -> Path:
    """Make a vessel's folder, its `config.toml` with these settings, and its memory file with one persona.

    Returns
    -------
    The folder.

    Raises
    ------
    InputError
        There is a vessel already; nothing is overwritten.
    ConfigError
        A setting can't be used; nothing was made.
    MissingExtra
        The embedder's package is not installed; nothing was made.
    StoreReadOnly
        The folder can't be made.
    """
    folder = Path(home).expanduser()
    for name in (config.FILE, FILE):
        if (folder / name).exists():
            raise InputError(f"{folder / name} exists, and init overwrites nothing. Choose another folder.")
    model = embedder_named(config.check(settings, folder).embedder)
    make_home(folder)
    config.save(folder, settings)
    Vessel.open(folder, embedder=model).close()
    return folder


def status(home: str | os.PathLike[str]) -> Status:
    """What the file of a vessel holds, and what is going on in it."""
    file = memory_file(home)
    settings = config.load(file.parent)
    with whole_file(home) as context, context.store.read():
        vectors = Vectors(context)
        zone = settings.zone or machine_zone(context.clock.now())
        return Status(
            context.store.path,
            size(context.store),
            tuple(census(context.store)),
            vectors.pending_count(),
            vectors.identity(),
            context.store.value("SELECT count(*) FROM sessions WHERE state = 'pending'"),
            running(file),
            settings.model.main or settings.model.fast,
            spent_in(Calls(context), settings.spending, zone, context.clock.now()),
        )


def reembed(
    home: str | os.PathLike[str], embedder: Embedder, *, progress: Callable[[int, int], None] | None = None
) -> int:
    """Convert a file to another embedder, or make the vectors that are missing.

    The old vectors are valid until all new ones are there; broken off, the next run goes on.

    Parameters
    ----------
    progress : callable, optional
        Called as ``progress(done, total)`` after each batch.

    Returns
    -------
    How many vectors were made.
    """
    with whole_file(home) as context:
        return Reembed(context, embedder).run(progress=progress)


def backup(home: str | os.PathLike[str], target: str | os.PathLike[str], *, force: bool = False) -> Path:
    """A consistent copy of the memory file, also while others write to it; read through before it gets its name.

    Parameters
    ----------
    force : bool
        Whether a file at the target may be replaced.

    Returns
    -------
    The copy's path.

    Raises
    ------
    InputError
        Something is at the target already, or its folder is missing.
    StoreDamaged
        The copy isn't whole, as the memory file itself or the disk is damaged; it was not kept.
    StoreReadOnly
        The target can't be written.
    """
    copy = Path(target).expanduser()
    if copy.is_dir():
        raise InputError(f"{copy} is a folder. Name a file in it, such as {copy / 'memory-backup.db'}.")
    if copy.exists() and not force:
        raise InputError(
            f"{copy} exists, and a backup overwrites nothing unasked. Choose another name, or say --force."
        )
    if copy.exists() and copy.samefile(memory_file(home)):
        raise InputError(f"{copy} is the memory itself. Choose another name.")
    if not copy.parent.is_dir():
        raise InputError(f"There is no folder {copy.parent}. Make it first.")
    part = copy.with_name(copy.name + ".part")  # what bears the final name is whole
    with whole_file(home) as context:
        try:
            part.touch(mode=0o600, exist_ok=False)
        except FileExistsError as error:
            raise InputError(f"{part} is left from a backup that broke off. Delete it first.") from error
        except OSError as error:
            raise StoreReadOnly(
                f"{copy} can't be written: {error.strerror}. Choose another place."
            ) from error
        try:
            context.store.backup(part)
            if trouble := _broken(part):
                raise StoreDamaged(
                    f"The copy of {context.store.path} is damaged: {trouble}. It was not kept; run `echovessel doctor`."
                )
            part.replace(copy)
        except StoreFull as error:
            raise StoreFull(f"No space left for {copy}. Free some, or choose another place.") from error
        finally:
            part.unlink(missing_ok=True)
    return copy


def _broken(file: Path) -> str:
    """What is wrong with a copy; empty when it is whole."""
    copy = Store(file)
    try:
        return "; ".join([*integrity.pages(copy), *integrity.links(copy)])
    finally:
        copy.close()
