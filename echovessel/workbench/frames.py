"""Runs as frames: one row a run and arm, a question, or a hit; polars, or pandas by one word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import polars as pl

from echovessel.errors import FormatError, InputError, MissingExtra
from echovessel.workbench.runs import HITS_FILE, MANIFEST, QUESTIONS_FILE, load
from echovessel.workbench.scores import Measure, score

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["polars", "pandas"]


@overload
def runs(place: Path | str, *, frame: Literal["polars"] = "polars") -> pl.DataFrame: ...
@overload
def runs(place: Path | str, *, frame: Literal["pandas"]) -> pd.DataFrame: ...
def runs(place: Path | str, *, frame: Kind = "polars") -> pl.DataFrame | pd.DataFrame:
    """Every arm of every run at a place: where it came from, and its recall at 10 with the interval.

    Parameters
    ----------
    place : path
        A folder that `save` wrote, or a folder of them.
    frame : str
        ``polars`` or ``pandas``.

    Raises
    ------
    FormatError
        There is no run, or a damaged one.
    """
    rows: list[dict[str, Any]] = []
    for folder in _folders(place):
        run = load(folder)
        told = run.manifest
        for arm in run.arms:
            found = score(arm, told, Measure(arm.over.level, "recall", 10))
            rows.append(
                {
                    "run": folder.name,
                    "arm": arm.arm,
                    "over": arm.over.value,
                    "recall_10": found.value if found else None,
                    "low": found.low if found else None,
                    "high": found.high if found else None,
                    "questions": found.n if found else 0,
                    "dataset": told.dataset,
                    "split": told.split,
                    "embedder": str(told.embedder["name"]) if told.embedder else "",
                    "weights": told.weights.get(arm.arm, ""),
                    "seed": told.seed,
                    "data_digest": told.data_digest,
                    "commit": told.commit,
                    "made_at": told.made_at,
                    "versions": json.dumps(dict(told.versions)),
                    "machine": json.dumps(dict(told.machine)),
                    "index_seconds": arm.index_seconds,
                    "ms_p50": arm.timings["total"].p50 * 1e3 if "total" in arm.timings else None,
                    "ms_p95": arm.timings["total"].p95 * 1e3 if "total" in arm.timings else None,
                }
            )
    return as_frame(pl.DataFrame(rows, infer_schema_length=None), frame)


@overload
def questions(place: Path | str, *, frame: Literal["polars"] = "polars") -> pl.DataFrame: ...
@overload
def questions(place: Path | str, *, frame: Literal["pandas"]) -> pd.DataFrame: ...
def questions(place: Path | str, *, frame: Kind = "polars") -> pl.DataFrame | pd.DataFrame:
    """Every question of every arm and run, with the ranks of its evidence and its recall at 10.

    `apart` marks categories that stay out of the overall numbers. Recall is null where a question has no evidence.

    Raises
    ------
    FormatError
        There is no run, or a damaged one.
    """
    found = []
    for folder in _folders(place):
        manifest = load(folder).manifest
        pieces = pl.col("evidence").list.len()
        hit = pl.col("ranks").list.eval(pl.element() <= 10).list.sum()
        found.append(
            pl.read_parquet(folder / QUESTIONS_FILE).select(
                pl.lit(folder.name).alias("run"),
                pl.all(),
                apart=pl.col("category").is_in(list(manifest.apart)),
                recall_10=pl.when(pieces > 0).then(hit / pieces),
            )
        )
    return as_frame(pl.concat(found), frame)


@overload
def hits(place: Path | str, *, frame: Literal["polars"] = "polars") -> pl.DataFrame: ...
@overload
def hits(place: Path | str, *, frame: Literal["pandas"]) -> pd.DataFrame: ...
def hits(place: Path | str, *, frame: Kind = "polars") -> pl.DataFrame | pd.DataFrame:
    """Every hit of every question, arm and run: ids and scores, never a text.

    Raises
    ------
    FormatError
        There is no run.
    """
    found = [
        pl.read_parquet(folder / HITS_FILE).select(pl.lit(folder.name).alias("run"), pl.all())
        for folder in _folders(place)
    ]
    return as_frame(pl.concat(found), frame)


@overload
def as_frame(found: pl.DataFrame, kind: Literal["polars"]) -> pl.DataFrame: ...
@overload
def as_frame(found: pl.DataFrame, kind: Literal["pandas"]) -> pd.DataFrame: ...
@overload
def as_frame(found: pl.DataFrame, kind: Kind) -> pl.DataFrame | pd.DataFrame: ...
def as_frame(found: pl.DataFrame, kind: Kind) -> pl.DataFrame | pd.DataFrame:
    """A polars frame as it is, or as pandas; the latter needs no pyarrow.

    Raises
    ------
    InputError
        Neither of the two.
    MissingExtra
        pandas is not installed.
    """
    if kind == "polars":
        return found
    if kind != "pandas":
        raise InputError(f"a frame is of polars or pandas, found {kind!r}.")
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("a pandas frame", "lab") from error
    return pd.DataFrame(found.to_dict(as_series=False), columns=found.columns)


def _folders(place: Path | str) -> Iterator[Path]:
    root = Path(place)
    if (root / MANIFEST).is_file():
        yield root
        return
    inside = sorted(path.parent for path in root.glob(f"*/{MANIFEST}"))
    if not inside:
        raise FormatError(
            f"{root} holds no run. Give a folder made by --runs, or one that holds such folders."
        )
    yield from inside
