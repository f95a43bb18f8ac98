from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime

import pytest

from echovessel.errors import InputError
from echovessel.memory.records import Sender
from echovessel.workbench.arms import Ranked
from echovessel.workbench.bars import bars
from echovessel.workbench.labelled import LabelledSet, Question, Talk, TalkSession, Turn
from echovessel.workbench.pool import Over
from echovessel.workbench.results import Answer, ArmRun
from echovessel.workbench.silence import silence_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def question(name: str, kind: str, *memories: str, **more) -> Question:
    return Question(name, kind, "?", "en", (), NOW, memories=memories, **more)


def labelled(*questions: Question) -> LabelledSet:
    turn = Turn("t", "Ada", Sender.USER, NOW, "hi")
    return LabelledSet(
        "own", "d", (Talk("a", "UTC", "solo", (TalkSession("s", (turn,)),), questions),), Counter()
    )


def answer(asked: Question, *hits: str | tuple[str, float]) -> Answer:
    ranked = tuple(Ranked(h, 1.0, 1.0) if isinstance(h, str) else Ranked(h[0], h[1], h[1]) for h in hits)
    names = [hit.id for hit in ranked]
    ranks = tuple(float(names.index(m) + 1) if m in names else math.inf for m in asked.memories)
    return Answer("a", asked.id, asked.category, asked.memories, ranked, ranks, (), ranks, not asked.memories)


def held(asked: Question, *hits: str) -> tuple[int, int, int]:
    run = ArmRun("default", Over.MEMORY, (answer(asked, *hits),), 1, 0.0)
    (bar,) = [bar for bar in bars(run, labelled(asked)) if bar.n]
    return bar.errors, bar.n, bar.first


def test_an_alias_question_is_an_error_when_no_right_memory_is_among_the_first_ten() -> None:
    asked = question("q", "alias", "m1", "m2")
    others = [f"x{n}" for n in range(10)]
    assert held(asked, *others[:9], "m2") == (0, 1, 0)
    assert held(asked, *others, "m2") == (1, 1, 0)
    assert held(asked, "m1") == (0, 1, 1)
    assert held(asked) == (1, 1, 0)


def test_a_decoy_is_an_error_only_above_the_right_answer() -> None:
    asked = question("q", "decoy", "m1", decoy="d")
    assert held(asked, "x", "m1", "d") == (0, 1, 0)
    assert held(asked, "d", "m1") == (1, 1, 0)
    assert held(asked, "d") == (1, 1, 0)
    assert held(asked, "m1") == (0, 1, 1)


def test_an_updated_fact_comes_before_what_it_replaced() -> None:
    asked = question("q", "updated", "new", stale=("old", "older"))
    assert held(asked, "x", "new", "old") == (0, 1, 0)
    assert held(asked, "older", "new") == (1, 1, 0)
    assert held(asked, "x") == (1, 1, 0)


def silent_run() -> ArmRun:
    easy, hard = question("e", "single", "m1"), question("h", "single", "m2")
    off, near = question("o", "off_topic"), question("n", "near_miss")
    ungated = (
        answer(easy, ("m1", 0.9), ("x", 0.1)),
        answer(hard, ("x", 0.6), ("m2", 0.3)),
        answer(off, ("x", 0.2)),
        answer(near, ("x", math.inf)),
    )
    gated = (answer(easy, ("m1", 0.9)), answer(hard, ("x", 0.6)), answer(off), answer(near, ("x", math.inf)))
    return ArmRun("default", Over.MEMORY, gated, 4, 0.0, {}, ungated)


def test_silence_at_the_shipped_gate_and_what_it_costs() -> None:
    silence = silence_of(silent_run())

    assert silence.shipped.silent == 0.5
    assert silence.shipped.lost == 0.5  # m2 fell below the gate
    assert silence.by_kind == {"near_miss": (0, 1), "off_topic": (1, 1)}


def test_the_curve_runs_from_nothing_dropped_to_all_and_never_turns_back() -> None:
    silence = silence_of(silent_run())

    assert (silence.curve[0].silent, silence.curve[0].lost) == (0.0, 0.0)
    # What an alias lets pass is never dropped.
    assert (silence.curve[-1].silent, silence.curve[-1].lost) == (0.5, 1.0)
    for before, after in zip(silence.curve, silence.curve[1:], strict=False):
        assert before.silent <= after.silent
        assert before.lost <= after.lost
    assert silence.bought_at(0.0) == 0.5  # a threshold between .2 and .3
    assert silence.auroc == pytest.approx((1 + 0 + 1 + 0) / 4)


def test_dropping_weak_hits_can_bring_evidence_into_the_first_ten() -> None:
    asked, off = question("e", "single", "m1"), question("o", "off_topic")
    crowd = [(f"x{n}", 0.2) for n in range(12)]
    ungated = (answer(asked, *crowd, ("m1", 0.8)), answer(off, ("x", 0.1)))
    silence = silence_of(ArmRun("default", Over.MEMORY, ungated, 1, 0.0, {}, ungated))

    assert silence.curve[0].lost == 0.0
    assert {point.lost for point in silence.curve if 0.2 < point.threshold <= 0.8} == {-1.0}


def test_silence_needs_both_kinds_of_question() -> None:
    asked = question("e", "single", "m1")
    with pytest.raises(InputError, match="Use --dataset own"):
        silence_of(ArmRun("default", Over.MEMORY, (answer(asked),), 1, 0.0, {}, (answer(asked),)))
