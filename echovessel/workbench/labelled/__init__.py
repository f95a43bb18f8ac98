"""Labelled sets behind one interface; one reader per format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError, InputError, NotFoundError
from echovessel.samples.manifest import Split
from echovessel.workbench.labelled.aligned import is_aligned, read_aligned
from echovessel.workbench.labelled.locomo import is_locomo, read_locomo
from echovessel.workbench.labelled.memdaily import is_memdaily, read_memdaily
from echovessel.workbench.labelled.own import is_own, read_own
from echovessel.workbench.labelled.realtalk import is_realtalk, read_realtalk
from echovessel.workbench.labelled.records import (
    LabelledEntity,
    LabelledMemory,
    LabelledSet,
    Question,
    Talk,
    TalkSession,
    Turn,
)
from echovessel.workbench.labelled.source import load

__all__ = [
    "READERS",
    "LabelledEntity",
    "LabelledMemory",
    "LabelledSet",
    "Question",
    "Talk",
    "TalkSession",
    "Turn",
    "read_labelled",
    "recognise",
]

READERS: dict[str, Callable[[Path], LabelledSet]] = {
    "locomo": read_locomo,
    "realtalk": read_realtalk,
    "memdaily": read_memdaily,
    "aligned": read_aligned,
    "own": read_own,
}

_MARKS: dict[str, Callable[[Any], bool]] = {
    "locomo": is_locomo,
    "realtalk": is_realtalk,
    "memdaily": is_memdaily,
    "aligned": is_aligned,
    "own": is_own,
}


def recognise(path: Path) -> str:
    """The format of a file, or of the first file in a folder, told by its content.

    Raises
    ------
    FormatError
        The file can't be read, or is in none of the known formats.
    """
    if path.suffix == ".toml" or (path / "dataset.toml").is_file():
        return "own"
    first = next(iter(sorted(path.glob("*.json"))), None) if path.is_dir() else path
    if first is None:
        raise FormatError(f"{path} holds no .json file. Give the folder, or a file, of a data set.")
    data = load(first).data
    for name, fits in _MARKS.items():
        if fits(data):
            return name
    raise FormatError(
        f"{first} is in no known format ({', '.join(READERS)}). Is it the published file, unchanged?"
    )


def read_labelled(
    path: Path | None = None, *, name: str | None = None, split: Split | None = None
) -> LabelledSet:
    """Read a labelled set.

    Parameters
    ----------
    path : Path, optional
        A file, or a folder of files. Our own set when left out.
    name : str, optional
        Which format it should be in; told by the content when left out.
    split : str, optional
        Only the ``tuning`` or the ``reporting`` part, of our own set.

    Raises
    ------
    FormatError
        Cut off, or of another format than `name`.
    InputError
        No path, for a set that is not ours.
    NotFoundError
        No reader of that name.
    """
    if name is not None and name not in READERS:
        raise NotFoundError(f"there is no data set {name!r}. Known ones: {', '.join(READERS)}.")
    if path is None:
        if name not in (None, "own"):
            raise InputError(f"{name} is not shipped. Say where its file is: --path FILE.")
        return read_own(split=split)
    found = recognise(path)
    if name is not None and found != name:
        raise FormatError(
            f"{path} is a file of {found}, not of {name}. Use --dataset {found}, or give another --path."
        )
    if found == "own":
        return read_own(path, split=split)
    if split is not None:
        raise InputError(f"{found} has no parts. Leave --split out.")
    return READERS[found](path)
