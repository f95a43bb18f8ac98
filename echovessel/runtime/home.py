"""Where a vessel lives: a folder with its memory file and, if you wrote one, its settings."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from echovessel.errors import NotFoundError, StoreReadOnly

HOME = "~/.echovessel"
FILE = "memory.db"


def memory_file(home: str | os.PathLike[str]) -> Path:
    """The memory file of a vessel's folder; a file stands for itself.

    Raises
    ------
    NotFoundError
        There is none.
    """
    path = Path(home).expanduser()
    if not path.is_file():
        path = path / FILE
    if not path.is_file():
        raise NotFoundError(
            f"There is no memory in {path.parent}. Make one: echovessel init {shlex.quote(str(path.parent))}"
        )
    return path


def make_home(folder: Path) -> None:
    """Make the folder of a vessel, for its owner alone: memories are nobody else's business.

    Raises
    ------
    StoreReadOnly
        It can't be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreReadOnly(f"{folder} can't be made: {error.strerror}. Choose another folder.") from error


def to_restore(file: str | os.PathLike[str]) -> str:
    """How to go back to a backup: what a killed program left of its log would be replayed over the copy."""
    path = Path(file)
    return (
        f"close every EchoVessel, delete {path.name}-wal and {path.name}-shm in {path.parent} if they are there, "
        f"and put the backup there as {path.name}"
    )
