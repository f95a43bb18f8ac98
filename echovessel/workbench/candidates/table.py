"""Candidates as tables: a row for each memory that may answer a question, with all that weights act on; no text."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from echovessel.embedding import Calibration, Logit
from echovessel.errors import InputError
from echovessel.memory.recall.weights import KINDS, MESSAGE
from echovessel.workbench.pool import Over

Schema = dict[str, pl.DataType | type[pl.DataType]]

# The anchor of a row: no name in the question leads to it, the name of whom said it does, or that of an entity.
NOBODY, SPEAKER, ENTITY = 0, 1, 2

ITEMS: Schema = {
    "talk": pl.String,
    "item": pl.String,
    "kind": pl.UInt8,
    "holds": pl.List(pl.String),
    "impact": pl.Float64,
    "tagged": pl.Boolean,
    "timed": pl.Boolean,
    "han": pl.Boolean,
    "sources": pl.List(pl.String),
}
QUESTIONS: Schema = {
    "talk": pl.String,
    "question": pl.String,
    "category": pl.String,
    "language": pl.String,
    "evidence": pl.List(pl.String),
    "stale": pl.List(pl.String),
    "unanswerable": pl.Boolean,
    "asks_when": pl.Boolean,
}
ROWS: Schema = {
    "question": pl.UInt32,
    "item": pl.UInt32,
    "cosine": pl.Float32,
    "lexical": pl.Float64,
    "age": pl.Float64,
    "anchor": pl.UInt8,
    "superseded": pl.Boolean,
}


@dataclass(frozen=True)
class Head:
    """What the candidates depend on.

    Attributes
    ----------
    split : str
        The part of the data set; empty for all of it.
    depth : int
        How many hits the benchmark asks for over this pool.
    code : str
        Digest of the code that gathered them.
    neighbours : bool
        Whether turns of one session lend each other words.
    """

    dataset: str
    data_digest: str
    questions_digest: str
    split: str
    over: Over
    depth: int
    apart: tuple[str, ...]
    embedder: Mapping[str, str | int] | None
    calibration: Calibration
    code: str
    neighbours: bool = True

    def record(self) -> dict[str, Any]:
        """As JSON holds it."""
        known = self.calibration
        return {
            **{name: getattr(self, name) for name in self.__dataclass_fields__},
            "over": self.over.value,
            "apart": list(self.apart),
            "calibration": {
                "default": _constants(known.default),
                "pairs": {pair: _constants(logit) for pair, logit in known.pairs.items()},
                "source": known.source,
                "unrelated": known.unrelated,
            },
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Head:
        """What `record` gave."""
        known = record["calibration"]
        calibration = Calibration(
            Logit(*known["default"]),
            {pair: Logit(*constants) for pair, constants in known["pairs"].items()},
            known["source"],
            known["unrelated"],
        )
        given = {name: record[name] for name in cls.__dataclass_fields__}
        return cls(
            **{
                **given,
                "over": Over(record["over"]),
                "apart": tuple(record["apart"]),
                "calibration": calibration,
            }
        )


def _constants(logit: Logit) -> list[float]:
    return [logit.intercept, logit.cosine, logit.lexical]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Every question of a set with every memory that may answer it.

    Attributes
    ----------
    items : frame
        What may come back: see `ITEMS`. Within a talk in the order in which recall breaks ties.
    questions : frame
        See `QUESTIONS`.
    rows : frame
        One row for each question and item: see `ROWS`. Question by question, items in their order.
    """

    head: Head
    items: pl.DataFrame
    questions: pl.DataFrame
    rows: pl.DataFrame

    def __len__(self) -> int:
        return self.questions.height

    @cached_property
    def talks(self) -> tuple[str, ...]:
        """Conversations, in order."""
        return tuple(self.questions["talk"].unique(maintain_order=True).to_list())

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where the rows of each question begin, and at the end how many rows there are; shape (questions + 1,)."""
        return np.searchsorted(self.column("question"), np.arange(len(self) + 1)).astype(np.intp)

    def column(self, name: str) -> NDArray[Any]:
        """One column of `rows`; or, of an item's property, one value a row."""
        kept: dict[str, NDArray[Any]] = self._columns
        if name not in kept:
            frame = self.rows if name in ROWS else self.items
            values = frame[name].to_numpy()
            kept[name] = values if name in ROWS else values[self.column("item")]
        return kept[name]

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        return {}

    @cached_property
    def message(self) -> NDArray[np.bool_]:
        """Which rows are raw messages."""
        return np.asarray(self.column("kind") == KINDS.index(MESSAGE))

    @cached_property
    def pieces(self) -> pl.DataFrame:
        """Where evidence stands: ``question``, ``piece`` and ``row``; one line for each way to find a piece."""
        wanted = self.questions.select(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("question"), "talk", piece="evidence"
        )
        wanted = wanted.explode("piece", empty_as_null=False)
        held = self.items.select(
            "talk", pl.int_range(pl.len(), dtype=pl.UInt32).alias("item"), piece="holds"
        ).explode("piece", empty_as_null=False)
        rows = self.rows.select("question", "item", row=pl.int_range(pl.len()))
        return (
            wanted.join(held, on=["talk", "piece"])
            .join(rows, on=["question", "item"])
            .select("question", "piece", "row")
            .sort("question", "row")
        )

    def of(self, question: int) -> slice:
        """The rows of one question."""
        return slice(int(self.starts[question]), int(self.starts[question + 1]))

    def only(self, talks: Collection[str]) -> Candidates:
        """The same for some conversations alone: nothing of the others is in it.

        Raises
        ------
        InputError
            One of them is not here.
        """
        strange = sorted(set(talks) - set(self.talks))
        if strange or not talks:
            raise InputError(
                f"there is no conversation {', '.join(strange) or 'named'} here. Known: {', '.join(self.talks)}."
            )
        wanted = pl.col("talk").is_in(list(talks))
        number = pl.int_range(pl.len(), dtype=pl.UInt32)
        items = self.items.with_columns(old=number).filter(wanted)
        questions = self.questions.with_columns(old=number).filter(wanted)
        rows = self.rows.filter(pl.col("question").is_in(questions["old"].implode()))
        rows = rows.with_columns(
            _renumbered(rows["question"], questions["old"]), _renumbered(rows["item"], items["old"])
        )
        return Candidates(self.head, items.drop("old"), questions.drop("old"), rows)


def _renumbered(column: pl.Series, kept: pl.Series) -> pl.Series:
    """Numbers of rows that stayed, as they count now."""
    place = np.zeros(int(kept.max() or 0) + 1, np.uint32)  # type: ignore[arg-type]
    place[kept.to_numpy()] = np.arange(len(kept), dtype=np.uint32)
    return pl.Series(column.name, place[column.to_numpy()])
