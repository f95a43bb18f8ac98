from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import InputError
from echovessel.memory.records import Sender
from echovessel.workbench.arms import ARMS, Case, arms_named
from echovessel.workbench.labelled import Question, Talk, TalkSession, Turn
from echovessel.workbench.pool import Over, pool

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Axes:
    """Each text a unit vector along the axis of the first known word in it."""

    words = ("kitten", "cello", "vase", "学校")
    identity = EmbedderIdentity("axes", "1", len(words) + 1, "x", Calibration(Logit(-4, 8, 1)))

    def embed(self, texts: Sequence[str], *, kind: str) -> Any:
        hits = [
            next((n for n, word in enumerate(self.words) if word in text), len(self.words)) for text in texts
        ]
        return np.eye(self.identity.dim, dtype=np.float32)[hits]


def talk(*texts: str) -> Talk:
    turns = tuple(
        Turn(f"t{n}", "Ada", Sender.OTHER, START + timedelta(days=n), text) for n, text in enumerate(texts)
    )
    return Talk("small", "UTC", "group", (TalkSession("s1", turns),), ())


def ranked(name: str, texts: Sequence[str], question: str, *, depth: int = 10, seed: int = 0) -> list[str]:
    small = talk(*texts)
    case = Case(small, Over.MESSAGES, pool(small, Over.MESSAGES), seed, Axes(), lambda: pytest.fail("stored"))
    asked = Question("q", "1", question, "en", (), START)
    return [hit.id for hit in ARMS[name]().index(case, depth=depth)(asked).hits]


TEXTS = (
    "My kitten sleeps all day",
    "The cellos were loud",
    "She was running to school",
    "我昨天去了学校",
    "The vase",
)


def test_bm25_matches_stems_and_han_bigrams_and_leaves_out_what_shares_nothing() -> None:
    assert ranked("bm25", TEXTS, "Who runs?") == ["t2"]
    assert ranked("bm25", TEXTS, "a cello") == ["t1"]
    assert ranked("bm25", TEXTS, "学校在哪") == ["t3"]
    assert ranked("bm25", TEXTS, "the of and") == []
    assert ranked("bm25", TEXTS, "🙂") == []


def test_bm25_finds_speaker_and_date() -> None:
    assert ranked("bm25", TEXTS, "on 2 March")[0] == "t1"
    assert len(ranked("bm25", TEXTS, "Ada")) == 5


def test_recency_is_the_latest_first_whatever_is_asked() -> None:
    assert ranked("recency", TEXTS, "kitten", depth=3) == ["t4", "t3", "t2"]


def test_dense_is_the_nearest_vector() -> None:
    assert ranked("dense", TEXTS, "a cello", depth=1) == ["t1"]


def test_random_repeats_itself_by_seed() -> None:
    once, again, other = (ranked("random", TEXTS * 4, "x", seed=seed) for seed in (1, 1, 2))
    assert once == again != other


def test_rrf_adds_reciprocal_ranks() -> None:
    # t1 is first in both lists; t0 is second in neither, and only in the dense one.
    small = talk("kitten", "cello music", "vase")
    case = Case(small, Over.MESSAGES, pool(small, Over.MESSAGES), 0, Axes(), lambda: pytest.fail("stored"))
    hits = ARMS["rrf"]().index(case, depth=3)(Question("q", "1", "cello", "en", (), START)).hits
    assert [hit.id for hit in hits] == ["t1", "t0", "t2"]
    assert [hit.score for hit in hits] == pytest.approx([2 / 61, 1 / 62, 1 / 63])


def test_an_arm_without_its_embedder_is_refused() -> None:
    small = talk("kitten")
    case = Case(small, Over.MESSAGES, pool(small, Over.MESSAGES), 0, None, lambda: pytest.fail("stored"))
    with pytest.raises(InputError, match="Use --embedder"):
        ARMS["dense"]().index(case, depth=3)


def test_arms_are_chosen_once_each() -> None:
    assert [arm.name for arm in arms_named(["bm25", "random", "bm25"])] == ["bm25", "random"]
