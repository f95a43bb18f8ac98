from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.errors import InputError
from echovessel.workbench.metrics import (
    all_at,
    any_at,
    auroc,
    evidence_ranks,
    ndcg,
    recall_at,
    reciprocal_rank,
)

ids = st.sampled_from("abcdefghij")
questions = st.tuples(
    st.lists(ids, min_size=1, max_size=5, unique=True), st.lists(ids, max_size=10, unique=True)
)


def ranks_of(evidence: list[str], hits: list[str]) -> np.ndarray:
    return evidence_ranks(evidence, [(hit,) for hit in hits])


def test_by_hand() -> None:
    ranks = ranks_of(["a", "b", "z"], ["x", "a", "y", "b"])

    assert ranks.tolist() == [2, 4, math.inf]
    assert recall_at(ranks, 2) == pytest.approx(1 / 3)
    assert recall_at(ranks, 4) == pytest.approx(2 / 3)
    assert (any_at(ranks, 1), any_at(ranks, 2), all_at(ranks, 50)) == (0, 1, 0)
    assert all_at(ranks_of(["a", "b"], ["b", "a"]), 2) == 1
    assert reciprocal_rank(ranks) == 0.5
    # 1/log2(3) + 1/log2(5), against 1 + 1/log2(3) + 1/2
    assert ndcg(ranks, 10) == pytest.approx((0.63093 + 0.43068) / (1 + 0.63093 + 0.5), abs=1e-4)


def test_a_memory_stands_for_every_turn_it_rests_on() -> None:
    ranks = evidence_ranks(["t1", "t2", "t3"], [("t9",), ("t1", "t2"), ("t2", "t3")])

    assert ranks.tolist() == [2, 2, 3]
    assert ndcg(evidence_ranks(["t1", "t2"], [("t1", "t2")])) == 1.0


def test_nothing_found_is_nothing_everywhere() -> None:
    ranks = ranks_of(["a"], [])
    assert (recall_at(ranks, 50), any_at(ranks, 50), reciprocal_rank(ranks), ndcg(ranks, 10)) == (0, 0, 0, 0)


@given(questions)
def test_all_is_at_most_recall_is_at_most_any_and_none_falls_as_k_grows(question) -> None:
    ranks = ranks_of(*question)
    before = (0.0, 0.0, 0.0)
    for k in range(1, 12):
        now = (all_at(ranks, k), recall_at(ranks, k), any_at(ranks, k))
        assert 0 <= now[0] <= now[1] <= now[2] <= 1
        assert all(a <= b for a, b in zip(before, now, strict=True))
        before = now


@given(questions, st.integers(1, 10))
def test_ndcg_lies_between_0_and_1_and_is_1_only_for_the_best_order(question, k: int) -> None:
    evidence, hits = question
    value = ndcg(ranks_of(evidence, hits), k)
    assert 0 <= value <= 1
    perfect = set(hits[: min(len(evidence), k)]) <= set(evidence) and len(hits) >= min(len(evidence), k)
    assert (value == pytest.approx(1.0)) == perfect


@given(st.lists(questions, min_size=1, max_size=8))
def test_every_metric_agrees_with_trec_eval(asked) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = {f"q{n}": dict.fromkeys(evidence, 1) for n, (evidence, _) in enumerate(asked)}
    run = {f"q{n}": {hit: 100.0 - rank for rank, hit in enumerate(hits)} for n, (_, hits) in enumerate(asked)}
    judge = pytrec_eval.RelevanceEvaluator(
        qrels, {"recall.1,3,5", "recip_rank", "ndcg_cut.10", "success.1,5"}
    )
    judged = judge.evaluate(run)

    for n, (evidence, hits) in enumerate(asked):
        if not hits:
            continue  # trec_eval leaves out questions without a hit
        ranks, theirs = ranks_of(evidence, hits), judged[f"q{n}"]
        for k in (1, 3, 5):
            assert recall_at(ranks, k) == pytest.approx(theirs[f"recall_{k}"])
        for k in (1, 5):
            assert any_at(ranks, k) == theirs[f"success_{k}"]
        assert reciprocal_rank(ranks) == pytest.approx(theirs["recip_rank"])
        assert ndcg(ranks, 10) == pytest.approx(theirs["ndcg_cut_10"])


def test_auroc_counts_ties_half() -> None:
    assert auroc(np.array([2.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx((2 + 1.5) / 4)
    assert auroc(np.array([np.inf]), np.array([np.inf])) == 0.5
    with pytest.raises(InputError, match="both kinds"):
        auroc(np.array([]), np.array([1.0]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_auroc_turned_round_is_one_minus_itself(a: list[float], b: list[float]) -> None:
    assert auroc(np.array(a), np.array(b)) == pytest.approx(1 - auroc(np.array(b), np.array(a)))
