"""What a turn costs before the model is asked, for `evals.speed`: hear, embed, recall, put the prompt together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import TextKind, Vectors
from echovessel.models.language import Piece, Reply, Request
from echovessel.models.usem3 import Usem3Embedder
from echovessel.runtime.config import Config
from echovessel.runtime.vessel import Vessel
from evals.speed_world import IDENTITY, opened

STAGES = ("hear", "embed", "recall", "prompt")  # in their order; the model is asked after the last
WARM = 5  # turns that are not counted: the first reads weights and builds the index


class Marking:
    """A language model that notes when it is asked."""

    def __init__(self) -> None:
        self.asked = 0.0

    async def complete(self, request: Request) -> Reply:
        """Never asked."""
        raise AssertionError("a turn streams")

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """One word."""
        self.asked = time.perf_counter()
        yield Piece("Yes.")
        yield Piece(reply=Reply("Yes.", "marking"))


class Embedding:
    """Takes as long as the shipped embedder, and gives the made-up vectors that fit the made-up file."""

    identity = IDENTITY

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._real = Usem3Embedder()
        self._queries: Iterator[NDArray[np.float32]] = cycle(vectors)

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Vectors of as many texts."""
        self._real.embed(texts, kind=kind)
        return np.stack([next(self._queries) for _ in texts])


def turns(
    path: Path,
    now: datetime,
    vectors: NDArray[np.float32],
    queries: Sequence[str],
    asked: NDArray[np.float32],
) -> dict[str, Any]:
    """Whole turns, each after a product of the matrix with its query's vector.

    Returns
    -------
    Milliseconds and ratios to the product's median, p50 and p95, by stage; ``before`` is all from the words said to the
    question to the model, with what handing work to threads costs; ``beside`` is the same without the embedding.
    """
    model = Marking()
    took: dict[str, list[float]] = {name: [] for name in ("product", "before", "beside", *STAGES)}
    with Vessel(opened(path, now), Embedding(asked), Config(), model=model) as vessel:

        async def run() -> None:
            for number, (query, vector) in enumerate(zip(queries, asked, strict=True)):
                start = time.perf_counter()
                np.dot(vectors, vector)
                product, start = (time.perf_counter() - start) * 1000, time.perf_counter()
                async for step in vessel.turns.say(query):
                    stages = {stage.name: stage.ms for stage in step.turn.stages}
                if number < WARM:
                    continue
                took["product"].append(product)
                took["before"].append((model.asked - start) * 1000)
                took["beside"].append(took["before"][-1] - stages["embed"])
                for name in STAGES:
                    took[name].append(stages[name])

        asyncio.run(run())
    unit = float(np.median(took["product"]))
    return {
        "ms": {name: _spread(values) for name, values in took.items()},
        "ratio": {name: _spread([value / unit for value in values]) for name, values in took.items()},
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    half, most = np.percentile(values, (50, 95))
    return {"p50": round(float(half), 4), "p95": round(float(most), 4)}
