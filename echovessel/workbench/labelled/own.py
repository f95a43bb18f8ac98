"""Our own labelled conversations: raw turns, gold memory, and questions by type."""

from __future__ import annotations

from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.samples.conversation import UNANSWERABLE, Conversation
from echovessel.samples.gold import talk_of
from echovessel.samples.load import SAMPLES
from echovessel.workbench.labelled.records import LabelledSet, Talk
from echovessel.workbench.labelled.source import SourceFile, digest_of, load, load_all

LICENCE = "CC BY 4.0"
CLONE = Path("datasets", "own", "conversations")


def is_own(data: Any) -> bool:
    """Whether the content looks like one of our labelled conversations."""
    return (
        isinstance(data, dict) and {"persona", "speakers", "sessions", "memories", "queries"} <= data.keys()
    )


def read_own(path: Path | None = None) -> LabelledSet:
    """Read one conversation, or a folder of them; each is one talk.

    Without a path: the two that ship with the package, and those of ``datasets/own/conversations`` where a
    clone is at hand.

    Unanswerable questions have no evidence and stay out of ``overall``; they are scored by silence.

    Raises
    ------
    FormatError
        A file is cut off, of another form, or its labels don't hold.
    """
    files = _all() if path is None else load_all(path)
    notes = (
        () if path or len(files) > len(SAMPLES) else ("Only the two conversations that ship: no clone here.",)
    )
    talks = tuple(_talk(file) for file in files)
    return LabelledSet(
        "own", digest_of(files), talks, Counter(), apart=UNANSWERABLE, licence=LICENCE, notes=notes
    )


def _all() -> list[SourceFile]:
    shipped = resources.files("echovessel.samples")
    with resources.as_file(shipped) as folder:
        files = [load(Path(folder) / f"{name}.json") for name in SAMPLES]
        clone = Path(folder).parents[1] / CLONE
        return [*files, *(load_all(clone) if clone.is_dir() else [])]


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
