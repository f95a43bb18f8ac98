"""Candidates on disk: Parquet, in a folder named after the data, the embedder and the code they depend on."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import polars as pl

import echovessel
from echovessel.embedding import Embedder
from echovessel.workbench.candidates.gather import Progress, gather
from echovessel.workbench.candidates.table import Candidates, Head
from echovessel.workbench.labelled import LabelledSet
from echovessel.workbench.manifest import questions_digest
from echovessel.workbench.pool import Over
from echovessel.workbench.vectors import CachedEmbedder, cache_folder

HEAD = "head.json"
TABLES = ("items", "questions", "rows")
# What decides a candidate's numbers: storing a talk, and the whole way of recall. Presets don't.
_CODE = ("memory", "text.py", "embedding.py", "clock.py", "samples/store.py", "workbench/candidates")


def candidates(
    labelled: LabelledSet,
    *,
    over: Over = Over.MESSAGES,
    embedder: Embedder | None = None,
    neighbours: bool = True,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Candidates:
    """The candidates of a set; read where they were kept, else gathered and kept.

    Parameters
    ----------
    neighbours : bool
        Whether turns of one session lend each other words, as they do in recall; left out for the ablation.
    folder : Path, optional
        Where they are kept; the user's cache when left out.

    Raises
    ------
    InputError
        See `gather`.
    """
    root = folder or cache_folder()
    place = root / f"candidates-{_key(labelled, over, embedder, neighbours)}"
    found = read(place)
    if found is not None:
        return found
    vectors = CachedEmbedder(embedder, digest=labelled.digest, folder=root) if embedder else None
    try:
        made = gather(
            labelled,
            over=over,
            embedder=vectors,
            neighbours=neighbours,
            code=code_version(),
            progress=progress,
        )
    finally:
        if vectors:
            vectors.save()
    write(made, place)
    return made


@cache
def code_version() -> str:
    """SHA-256 over the source that decides a candidate's numbers; also where there is no clone."""
    root = Path(echovessel.__file__).parent
    digest = hashlib.sha256()
    for name in _CODE:
        place = root / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _key(labelled: LabelledSet, over: Over, embedder: Embedder | None, neighbours: bool) -> str:
    parts = (
        labelled.digest,
        questions_digest(labelled.talks),
        labelled.split,
        over.value,
        repr(embedder.identity) if embedder else "",
        str(neighbours),
        code_version(),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def write(found: Candidates, folder: Path) -> None:
    """Keep candidates; the folder appears at once or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}."))
    try:
        for name in TABLES:
            getattr(found, name).write_parquet(made / f"{name}.parquet")
        head = json.dumps(found.head.record(), ensure_ascii=False, indent=1)
        (made / HEAD).write_text(head + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        made.replace(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def read(folder: Path) -> Candidates | None:
    """What `write` kept; nothing where it is absent or damaged, since it can be gathered again."""
    try:
        head = Head.of_record(json.loads((folder / HEAD).read_text(encoding="utf-8")))
        tables = [pl.read_parquet(folder / f"{name}.parquet") for name in TABLES]
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
        return None
    return Candidates(head, *tables)
