"""All of recall but its words against a slow oracle: written from the design, in plain Python, one memory at a time.

The question is one name that no text holds, so the lexical side is 0 throughout (it has an oracle of its own), and
cosines are chosen by the test. Scores of different memories differ, so that no order hangs on the last bit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import numpy as np
import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.result import RULES
from echovessel.memory.records import NewMessage, NewNode, NodeKind, RelationalTag, Scope, Source, Subject

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOY = EmbedderIdentity("toy", "1", 2, "0" * 64, Calibration(Logit(-2.0, 4.0, 4.0), unrelated=0.1))
KINDS = tuple(NodeKind)


@dataclass(eq=False)
class Memo:
    """One memory as the oracle sees it."""

    number: int
    is_message: bool
    kind: NodeKind
    cosine: float | None
    days: int
    impact: int
    tagged: bool
    named: bool
    words: int
    question: bool
    scope: str
    sources: list[Memo] = field(default_factory=list)
    backs: list[Memo] = field(default_factory=list, repr=False)  # of a message, the nodes that rest on it
    replaces: Memo | None = None
    replaced_by: Memo | None = field(default=None, repr=False)
    id: str = ""

    def add_to(self, memory: Memory) -> None:
        place = {
            "mei": memory,
            "shared": memory.within(Scope.shared()),
            "tom": memory.within(Scope.user("tom")),
        }[self.scope]
        told = NOON - timedelta(days=self.days)
        vector = None
        if self.cosine is not None:
            vector = np.array([self.cosine, math.sqrt(1 - self.cosine**2)], np.float32)
        # 黄逸扬 makes two terms of Han, each of the other words one.
        text = " ".join(["word"] * self.words + ["黄逸扬"] * self.named) + "?" * self.question
        if self.is_message:
            self.id = place.log.add(NewMessage(text, sent_at=told), vector=vector).id
            return
        new = NewNode(
            text,
            kind=self.kind,
            subject=Subject.PERSONA,
            attribute="thing",  # who is replaced must speak of the same
            impact=self.impact,
            tags=(RelationalTag.CORRECTION,) if self.tagged else (),
            known_at=told,
            sources=tuple(Source(message=m.id) for m in self.sources),
            supersedes=(self.replaces.id,) if self.replaces else (),
        )
        self.id = place.nodes.add(new, vector=vector).id

    # What the design says of one memory, asked at a moment `days` ago

    def known(self, days: int) -> bool:
        return self.days >= days

    def ended(self, days: int) -> bool:
        if self.is_message:
            over = [node for node in self.backs if node.known(days)]
            return bool(over) and all(node.ended(days) for node in over)
        return self.replaced_by is not None and self.replaced_by.known(days)

    def factors(self, days: int) -> tuple[float, float, float, float, float]:
        cosine = 0.1 if self.cosine is None else self.cosine
        terms = self.words + 2 * self.named
        estimate = 0.3 * min(1.0, math.log(1 + terms) / math.log(21)) * (0.5 if self.question else 1.0)
        return (
            0.5 ** (max(self.days - days, 0) / 14),
            1 / (1 + math.exp(2 - 4 * cosine)),
            estimate if self.is_message else abs(self.impact) / 10,
            float(self.tagged and not self.is_message),
            float(self.named),
        )


def score(memo: Memo, weights: Weights, days: int) -> float:
    recency, relevance, impact, bonus, anchor = memo.factors(days)
    return (
        weights.recency * recency
        + (weights.message_relevance if memo.is_message else weights.relevance) * relevance
        + (weights.message_impact if memo.is_message else weights.impact) * impact
        + weights.relational_bonus * bonus
        + weights.entity_anchor * anchor
    )


def oracle(
    memos: Sequence[Memo], weights: Weights, k: int, days: int, exclude: set[str], superseded_too: bool
) -> tuple[list[Memo], dict[str, int]]:
    """The hits, best first, and how many each rule left out."""
    readable = [m for m in memos if m.scope != "tom" and m.known(days)]
    wanted = [m for m in readable if not m.is_message and str(m.kind) in weights.kinds]
    if "message" in weights.kinds:
        wanted += [m for m in readable if m.is_message]
    competing = wanted or [m for m in readable if m.is_message]

    counts: Counter[str] = Counter()
    left = []
    for memo in competing:
        if memo.factors(days)[1] < weights.min_relevance and not memo.named:
            counts["gate"] += 1
        elif memo.ended(days) and not superseded_too:
            counts["superseded"] += 1
        elif memo.id in exclude:
            counts["in_prompt"] += 1
        else:
            left.append(memo)
    left.sort(key=lambda m: -score(m, weights, days))

    def is_held(memo: Memo) -> bool:
        spared = weights.share_spares_relevant and memo.factors(days)[1] >= weights.min_relevance
        return memo.named and not spared

    while True:
        hits = left[:k]
        share = max(1, math.floor(k * weights.anchored_share))
        if sum(map(is_held, hits)) > share:
            others = [m for m in left if not is_held(m)]
            held = sorted(filter(is_held, left), key=lambda m: -m.factors(days)[1])
            chosen = held[: max(share, k - len(others))]
            chosen += others[: k - len(chosen)]
            hits = [m for m in left if m in chosen]
        under = [m for at, m in enumerate(hits) if any(m in higher.sources for higher in hits[:at])]
        if not under:
            break
        counts["folded"] += len(under)
        left = [m for m in left if m not in under]
    for memo in left:
        if memo not in hits:
            over = is_held(memo) and score(memo, weights, days) > score(hits[-1], weights, days)
            counts["anchored" if over else "rank"] += 1
    return hits, dict(counts)


def memories(random: Random) -> list[Memo]:
    """Messages, and nodes that may rest on some and may replace one."""
    memos: list[Memo] = []
    for number in range(random.randint(1, 40)):
        has_vector = random.random() < 0.8
        memo = Memo(
            number=number,
            is_message=random.random() < 0.6,
            kind=random.choice(KINDS[:2] if random.random() < 0.8 else KINDS),
            # No two have one cosine, or, without a vector, one age: so no two have one score.
            cosine=random.choice(range(9)) / 10 + 2e-3 * number if has_vector else None,
            days=random.randint(0, 60) if has_vector else number,
            impact=random.randint(-10, 10),
            tagged=random.random() < 0.3,
            named=random.random() < 0.4,
            words=random.randint(1, 30),
            question=random.random() < 0.3,
            scope=random.choice(["mei", "mei", "mei", "shared", "tom"]),
        )
        earlier = [m for m in memos if m.scope == memo.scope and m.days >= memo.days]
        if not memo.is_message:
            said = [m for m in earlier if m.is_message]
            memo.sources = random.sample(said, min(len(said), random.choice([0, 1, 2, 3])))
            for source in memo.sources:
                source.backs.append(memo)
            older = [m for m in earlier if m.kind == memo.kind and not m.is_message and not m.replaced_by]
            if older and random.random() < 0.5:
                memo.replaces = random.choice(older)
                memo.replaces.replaced_by = memo
        memos.append(memo)
    return memos


def opened(memos: Sequence[Memo]) -> Memory:
    memory = Memory.open(
        ":memory:", persona="lin", scope=Scope.user("mei"), embedder=TOY, clock=FixedClock(NOON), zone="UTC"
    )
    for place in (memory, memory.within(Scope.user("tom"))):
        place.directory.add("Scott", aliases=["黄逸扬"])
    if any(memo.scope == "shared" for memo in memos):
        memory.within(Scope.shared()).directory.add("Scott", aliases=["黄逸扬"])
    for memo in memos:
        memo.add_to(memory)
    return memory


@pytest.mark.parametrize("weights", [Weights.seed(), Weights.default()], ids=["seed", "default"])
def test_recall_agrees_with_the_oracle(weights: Weights) -> None:
    met: Counter[str] = Counter()
    for seed in range(100):
        random = Random(seed)
        memos = memories(random)
        with opened(memos) as memory:
            for _ in range(4):
                met.update(compare(memory, memos, weights, random))

    # What is not met is not tested; only among messages and nodes together does one fold under the other.
    possible = set(RULES) - (set() if "message" in weights.kinds else {"folded"})
    assert all(met[rule] >= 10 for rule in possible), met


def compare(memory: Memory, memos: Sequence[Memo], weights: Weights, random: Random) -> dict[str, int]:
    """Ask once, as of some day; gives how many memories each rule left out."""
    k, days = random.randint(1, 10), random.choice([0, 0, random.randint(1, 50)])
    superseded_too = random.random() < 0.3
    exclude = {memo.id for memo in random.sample(memos, min(len(memos), random.randint(0, 4)))}
    options: dict[str, Any] = {"as_of": NOON - timedelta(days=days)} if days else {}

    result = memory.recall(
        "Scott",
        vector=np.array([1.0, 0.0], np.float32),
        weights=weights,
        k=k,
        exclude=exclude,
        include_superseded=superseded_too,
        **options,
    )

    hits, counts = oracle(memos, weights, k, days, exclude, superseded_too)
    assert [hit.id for hit in result.hits] == [memo.id for memo in hits]
    assert result.dropped_counts == counts
    assert len(result.hits) + sum(counts.values()) == result.considered
    for hit, memo in zip(result.hits, hits, strict=True):
        assert hit.factors.lexical == 0.0
        factors = [getattr(hit.factors, name) for name in FACTORS]
        assert factors == pytest.approx(memo.factors(days), abs=1e-6)
        assert hit.score == pytest.approx(score(memo, weights, days), abs=1e-5)
        assert hit.superseded == memo.ended(days)
    return counts
