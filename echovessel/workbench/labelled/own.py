"""Our own labelled conversations: raw turns, gold memory, and questions by type."""

from __future__ import annotations

from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError, InputError
from echovessel.samples.conversation import UNANSWERABLE, Conversation
from echovessel.samples.gold import talk_of
from echovessel.samples.load import SAMPLES
from echovessel.samples.manifest import Manifest, Split
from echovessel.workbench.labelled.records import LabelledSet, Talk
from echovessel.workbench.labelled.source import SourceFile, digest_of, load, load_all

LICENCE = "CC BY 4.0"
CLONE = Path("datasets", "own", "dataset.toml")


def is_own(data: Any) -> bool:
    """Whether the content looks like one of our labelled conversations."""
    return (
        isinstance(data, dict) and {"persona", "speakers", "sessions", "memories", "queries"} <= data.keys()
    )


def read_own(path: Path | None = None, *, split: Split | None = None) -> LabelledSet:
    """Read one conversation, a folder of them, or a set with its manifest; each conversation is one talk.

    Unanswerable questions have no evidence and stay out of ``overall``; they are scored by silence.

    Parameters
    ----------
    path : Path, optional
        A file, a folder of files, a ``dataset.toml`` or the folder it lies in. When left out, the set in
        ``datasets/own`` where a clone is at hand, else the two conversations that ship with the package.
    split : str, optional
        Only the ``tuning`` or the ``reporting`` part of a set with a manifest.

    Raises
    ------
    FormatError
        A file is cut off, of another form, or its labels don't hold.
    InputError
        A part was asked for, and there is no manifest that says which it is.
    """
    folder = Path(str(resources.files("echovessel.samples")))
    clone = folder.parents[1] / CLONE
    manifest = clone if path is None and clone.is_file() else _manifest(path)
    notes: tuple[str, ...] = ()
    if manifest is not None:
        entries = Manifest.read(manifest).entries
        chosen = [entry for entry in entries if split in (None, entry.split)]
        files = [load(entry.file(manifest.parent)) for entry in chosen]
        if split:
            notes = (f"The {split} part: {len(chosen)} of {len(entries)} conversations.",)
    elif split is not None:
        raise InputError(f"Which conversations are for {split} stands in a dataset.toml; give its path.")
    elif path is not None:
        files = load_all(path)
    else:
        files = [load(folder / f"{name}.json") for name in SAMPLES]
        notes = ("Only the two conversations that ship: no clone here.",)
    talks = tuple(_talk(file) for file in files)
    return LabelledSet(
        "own",
        digest_of(files),
        talks,
        Counter(),
        apart=UNANSWERABLE,
        licence=LICENCE,
        notes=notes,
        split=split or "",
    )


def _manifest(path: Path | None) -> Path | None:
    if path is None or path.suffix == ".toml":
        return path
    inside = path / CLONE.name
    return inside if inside.is_file() else None


def _talk(file: SourceFile) -> Talk:
    if not is_own(file.data):
        raise FormatError(
            f"{file.path} is no labelled conversation of ours. See datasets/README.md for the form."
        )
    conversation = Conversation.read(file.path)
    problems = conversation.problems()
    if problems:
        raise FormatError(f"{file.path} has {len(problems)} faults in its labels, the first: {problems[0]}.")
    return talk_of(conversation)
