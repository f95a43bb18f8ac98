"""Measure what recall, opening and writing cost, as ratios to one matrix-vector product in the same run.

    python -m evals.speed [--size 1000 --size 10000 --size 100000] [--queries 200] [--seed 7] [--folder DIR]

Each file holds made-up memories (`evals.speed_world`) and is built once through the public API. Then, query by query
and interleaved so that all arms meet the same machine: NumPy's product of the float32 matrix with the query's vector,
the whole of recall with the `default` and the `seed` preset (all but the embedding), and sqlite-vec's `vec0`. A fresh
process opens each file and recalls once, for the time and the memory it takes. Then whole turns are run against a
stand-in for the language model, for all that comes before the model is asked. Writes `results/speed.json` and
`results/speed.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import sqlite_vec
from numpy.typing import NDArray
from threadpoolctl import threadpool_info

from echovessel.memory.recall import Weights
from evals.speed_report import markdown
from evals.speed_turn import turns
from evals.speed_world import (
    ALIASES,
    DIM,
    NODE_SHARE,
    START,
    TALK,
    World,
    add_entities,
    add_nodes,
    messages,
    opened,
)

RESULTS = Path(__file__).parent / "results"
K = 10
VEC0_K = 40  # candidates, as a recall over vectors alone would ask for
VEC0_EVERY = 4  # it is slow, so only each fourth query goes there
ONE_BY_ONE = 200
BULK = 5_000
STREAM_FLOATS = 1 << 27  # two arrays of 512 MiB: far beyond any cache


def timed(call: Callable[..., object], *given: object) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    call(*given)
    return (time.perf_counter() - start) * 1000


def spread(values: Iterable[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    half, most = np.percentile(list(values), (50, 95))
    return {"p50": round(float(half), 4), "p95": round(float(most), 4)}


def bandwidth() -> float:
    """GB a second that BLAS reads with all its threads: a dot product of two large arrays, the best of seven."""
    left, right = np.ones(STREAM_FLOATS, np.float32), np.ones(STREAM_FLOATS, np.float32)
    best = min(timed(np.dot, left, right) for _ in range(7))
    return round(2 * left.nbytes / best / 1e6, 1)


def build(path: Path, size: int, seed: int) -> tuple[NDArray[np.float32], dict[str, float]]:
    """Make the file; gives its vectors, and how long that took."""
    world = World(seed)
    nodes = int(size * NODE_SHARE)
    said, vectors = messages(world, size - nodes), world.vectors(size)
    memory = opened(path, end(size))
    add_entities(memory, world)
    stored = memory.log.add_many(said[:1], vectors=vectors[:1])  # the aliases are read once
    bulk = timed(lambda: stored.extend(memory.log.add_many(said[1:], vectors=vectors[1 : len(said)])))
    each = timed(lambda: add_nodes(memory, world, stored, vectors[len(said) :]))
    memory.close()
    return vectors, {
        "messages_per_second": round((len(said) - 1) / bulk * 1000),
        "nodes_per_second": round(nodes / each * 1000),
        "file_mb": round(path.stat().st_size / 1e6, 1),
    }


def end(size: int) -> datetime:
    """The moment after the last message of a file."""
    return START + timedelta(hours=3 * (size // TALK + 1))


def vec0(path: Path, vectors: NDArray[np.float32]) -> apsw.Connection:
    """The same vectors in sqlite-vec's own table, as its documentation has it."""
    connection = apsw.Connection(str(path))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(embedding float[{DIM}] distance_metric=cosine)")
    with connection:
        connection.executemany(
            "INSERT INTO v (rowid, embedding) VALUES (?, ?)",
            ((row, vector.tobytes()) for row, vector in enumerate(vectors, start=1)),
        )
    return connection


def recalls(
    path: Path, vectors: NDArray[np.float32], queries: list[str], asked: NDArray[np.float32], folder: Path
) -> dict[str, Any]:
    """Each query to each arm, in turn."""
    memory = opened(path, end(len(vectors)))
    presets = {name: Weights.preset(name) for name in ("default", "seed")}
    table = vec0(folder / "vec0.db", vectors)
    nearest = f"SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = {VEC0_K}"
    took: dict[str, list[float]] = {name: [] for name in ("product", *presets, "vec0")}
    stages: dict[str, dict[str, list[float]]] = {name: {} for name in presets}
    hits: list[int] = []
    for number, (query, vector) in enumerate(zip(queries, asked, strict=True)):
        took["product"].append(timed(np.dot, vectors, vector))
        for name, weights in presets.items():
            start = time.perf_counter()
            found = memory.recall(query, vector=vector, weights=weights, k=K)
            took[name].append((time.perf_counter() - start) * 1000)
            hits.append(len(found.hits))
            for stage, spent in found.timings.items():
                stages[name].setdefault(stage, []).append(spent)
        if number % VEC0_EVERY == 0:
            took["vec0"].append(
                timed(lambda asked: table.execute(nearest, (asked,)).fetchall(), vector.tobytes())
            )
    table.close()
    memory.close()
    (folder / "vec0.db").unlink()
    unit = float(np.median(took["product"]))
    return {
        "ms": {name: spread(values) for name, values in took.items()},
        "ratio": {name: spread(value / unit for value in values) for name, values in took.items()},
        "stages_ms": {
            name: {stage: spread(values) for stage, values in of.items()} for name, of in stages.items()
        },
        "hits": round(float(np.mean(hits)), 2),
    }


def first_recall(path: Path, size: int) -> dict[str, float]:
    """What a fresh process needs from opening the file to its first recall, and the memory it then holds."""
    code = f"import evals.speed as s; s.report_first({str(path)!r}, {size})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def report_first(path: str, size: int) -> None:
    """Run in a process of its own by `first_recall`."""
    before = resident_mb()
    vector = np.full(DIM, DIM**-0.5, np.float32)
    start = time.perf_counter()
    memory = opened(Path(path), end(size))
    memory.recall("Where does Scott work?", vector=vector, k=K)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": round(seconds, 2), "added_mb": round(resident_mb() - before)}))


def resident_mb() -> float:
    """Memory of this process without what it only maps from files, in MB; 0 where the system doesn't tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def writes(path: Path, size: int, seed: int) -> dict[str, float]:
    """Turns a second into a file of that size, each in a durable transaction of its own, and in bulk."""
    world, memory = World(seed + 1), opened(path, end(size))
    said = messages(world, ONE_BY_ONE + BULK + ONE_BY_ONE // 4, end(size))
    vectors = world.vectors(ONE_BY_ONE)
    memory.recall(
        "Where does Scott work?", vector=vectors[0]
    )  # all is indexed, and follows the writes from here on
    memory.log.add(said[0])
    each = [timed(memory.log.add, message) for message in said[1:ONE_BY_ONE]]
    bulk = timed(memory.log.add_many, said[ONE_BY_ONE : -ONE_BY_ONE // 4])
    caught_up = timed(partial(memory.recall, "Where does Scott work?", vector=vectors[0]))
    turn: list[float] = []
    for message, vector in zip(said[-ONE_BY_ONE // 4 :], vectors, strict=False):
        memory.log.add(message, vector=vector)
        turn.append(timed(partial(memory.recall, "Where does Scott work?", vector=vector)))
    memory.close()
    return {
        "one_by_one_ms": spread(each)["p50"],
        "one_by_one_per_second": round(1000 / float(np.median(each))),
        "bulk_per_second": round(BULK / bulk * 1000),
        "recall_after_bulk_ms": round(caught_up),
        "recall_after_a_turn_ms": round(spread(turn)["p50"], 1),
    }


def machine() -> dict[str, Any]:
    """What this ran on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next(
            (line.split(": ")[1] for line in info.read_text().splitlines() if "model name" in line), cpu
        )
    blas = [
        {key: pool.get(key) for key in ("internal_api", "version", "architecture", "num_threads")}
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]
    return {"cpu": cpu, "cores": os.cpu_count(), "system": platform.platform(), "blas": blas}


def versions() -> dict[str, str]:
    """Of what takes part."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "apsw": apsw.apsw_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "sqlite-vec": sqlite_vec.__version__,
    }


def exponent(sizes: list[int], times: list[float]) -> float:
    """Slope of a line through the logarithms: 1 grows in step with the memory, less grows slower."""
    return round(float(np.polyfit(np.log(sizes), np.log(times), 1)[0]), 2)


def measured(sizes: list[int], count: int, seed: int, folder: Path) -> dict[str, Any]:
    """Everything, for each size."""
    found: dict[str, Any] = {}
    for size in sizes:
        path = folder / f"speed-{size}.db"
        vectors, built = build(path, size, seed)
        world = World(seed)
        world.rng = np.random.default_rng(seed + 2)
        queries = [world.query() for _ in range(count)]
        found[str(size)] = {
            "built": built,
            "first": first_recall(path, size),
            **recalls(path, vectors, queries, world.vectors(count), folder),
            "turn": turns(path, end(size), vectors, queries, world.vectors(count)),
            "writes": writes(path, size, seed),
        }
    return found


def main() -> None:
    """Measure and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--size", type=int, action="append", help="memories in a file; may be given several times"
    )
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--folder", type=Path, help="where to make the files; a temporary folder when left out"
    )
    given = parser.parse_args()
    sizes = given.size or [1_000, 10_000, 100_000]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        by_size = measured(sizes, given.queries, given.seed, Path(folder))
    result = {
        "command": "python -m evals.speed " + " ".join(sys.argv[1:]),
        "commit": commit.stdout.strip(),
        "seed": given.seed,
        "queries": given.queries,
        "aliases": ALIASES,
        "dim": DIM,
        "machine": machine() | {"read_gb_per_second": bandwidth()},
        "versions": versions(),
        "sizes": by_size,
        "exponent": {
            name: exponent(sizes, [by_size[str(size)]["ms"][name]["p50"] for size in sizes])
            for name in ("product", "default", "seed", "vec0")
        }
        if len(sizes) > 1
        else {},
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "speed.md").write_text(markdown(result), encoding="utf-8")


if __name__ == "__main__":
    main()
