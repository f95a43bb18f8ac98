"""Count a set of labelled conversations; prints the tables that stand in its datasheet.

Usage: python datasets/count.py [datasets/own/dataset.toml]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from echovessel.samples.conversation import QUERY_TYPES, Conversation
from echovessel.samples.manifest import Manifest, read_set

OWN = Path(__file__).parent / "own" / "dataset.toml"
STRONG = 7


def tables(manifest: Path) -> str:
    """Conversations, memories and questions of a set, as Markdown."""
    talks = read_set(manifest)
    parts = {entry.id: entry.split for entry in Manifest.read(manifest).entries}
    return "\n\n".join((_conversations(talks, parts), _memories(talks), _questions(talks, parts))) + "\n"


def _conversations(talks: Sequence[Conversation], parts: Mapping[str, str]) -> str:
    rows: list[list[object]] = []
    for talk in talks:
        days = (talk.sessions[-1].turns[-1].at - talk.sessions[0].turns[0].at).days
        sizes = [len(talk.sessions), days, len(talk.turns), len(talk.entities), len(talk.memories)]
        rows.append([talk.id, talk.language, talk.kind, parts[talk.id], *sizes, len(talk.queries)])
    sums = [sum(int(str(row[column])) for row in rows) for column in (4, 6, 7, 8, 9)]
    rows.append(["all", "", "", "", sums[0], "", *sums[1:]])
    head = "conversation language kind part sessions days turns entities memories questions"
    return _table(head.split(), rows, words=4)


def _memories(talks: Sequence[Conversation]) -> str:
    memories = [memory for talk in talks for memory in talk.memories]
    kinds = Counter(memory.kind for memory in memories)
    rows: list[list[object]] = [
        *([f"of kind {kind}", kinds[kind]] for kind in ("event", "thought", "intention", "expectation")),
        ["replaced by a later one", sum(memory.superseded_by is not None for memory in memories)],
        [f"strong (impact of {STRONG} or more, either way)", sum(abs(m.impact) >= STRONG for m in memories)],
        ["with a relational tag", sum(bool(memory.tags) for memory in memories)],
        ["all", len(memories)],
    ]
    return _table(["memories", "count"], rows, words=1)


def _questions(talks: Sequence[Conversation], parts: Mapping[str, str]) -> str:
    asked: Counter[tuple[str, str]] = Counter(
        (parts[talk.id], query.type) for talk in talks for query in talk.queries
    )
    languages: Counter[tuple[str, str]] = Counter(
        (query.type, query.language) for talk in talks for query in talk.queries
    )
    rows: list[list[object]] = []
    for kind in QUERY_TYPES:
        split = [asked["tuning", kind], asked["reporting", kind]]
        rows.append([f"`{kind}`", *split, sum(split), languages[kind, "zh"], languages[kind, "en"]])
    rows.append(["all", *(sum(int(str(row[column])) for row in rows) for column in range(1, 6))])
    return _table(["question", "tuning", "reporting", "all", "in Chinese", "in English"], rows, words=1)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]], *, words: int) -> str:
    """A Markdown table whose columns after the first `words` hold numbers."""
    rule = ["---"] * words + ["--:"] * (len(head) - words)
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(tables(Path(sys.argv[1]) if len(sys.argv) > 1 else OWN))
