from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from echovessel.errors import FormatError, InputError
from echovessel.models.hash import HashEmbedder
from echovessel.workbench.arms import arms_named
from echovessel.workbench.bench import run_bench
from echovessel.workbench.compare import compare_runs
from echovessel.workbench.labelled import LabelledSet, read_labelled
from echovessel.workbench.pool import Over, overs_named
from echovessel.workbench.results import BenchRun
from echovessel.workbench.runs import load, save, write_rows, write_trec
from echovessel.workbench.scores import Measure, answered, score, tidy
from tests.workbench.conftest import Write, locomo_record

PLAIN = ("random", "recency", "bm25", "dense", "rrf")


@pytest.fixture
def labelled(write: Write) -> LabelledSet:
    return read_labelled(write("locomo.json", [locomo_record("conv-1"), locomo_record("conv-2")]))


@pytest.fixture
def run(labelled: LabelledSet, tmp_path: Path) -> BenchRun:
    overs = (Over.MESSAGES, Over.EVENTS)
    return run_bench(
        labelled, arms_named(PLAIN), overs=overs, embedder=HashEmbedder(), cache_folder=tmp_path / "cache"
    )


def value(
    run: BenchRun, arm: str, over: Over, level: str, metric: str, k: int | None, category: str = "overall"
):
    found = score(run.arm(arm, over), run.manifest, Measure(level, metric, k), category)
    assert found is not None
    return found


def test_recency_is_scored_as_by_hand(run: BenchRun) -> None:
    # Latest first: D2:5, D2:1, D1:3, D1:2, D1:1.
    # Evidence of q0 D1:1 (rank 5), q1 D2:1 and D1:1 (2, 5), q2 D1:2 (4), q3 D2:5 (1); q6 is adversarial.
    recency = run.arm("recency", Over.MESSAGES)
    assert [a.ranks for a in recency.answers[:5]] == [(5.0,), (2.0, 5.0), (4.0,), (1.0,), (4.0,)]

    found = value(run, "recency", Over.MESSAGES, "turn", "recall", 3)
    assert (found.n, found.value) == (8, pytest.approx((0 + 0.5 + 0 + 1) / 4))
    assert value(run, "recency", Over.MESSAGES, "turn", "all", 3).value == pytest.approx(1 / 4)
    assert value(run, "recency", Over.MESSAGES, "turn", "any", 3).value == pytest.approx(2 / 4)
    assert value(run, "recency", Over.MESSAGES, "turn", "mrr", None).value == pytest.approx(
        (1 / 5 + 1 / 2 + 1 / 4 + 1) / 4
    )
    assert value(run, "recency", Over.MESSAGES, "turn", "recall", 5, "5").n == 2


def test_sessions_rank_by_their_best_turn(run: BenchRun) -> None:
    # Session 2 comes first, session 1 second.
    recency = run.arm("recency", Over.MESSAGES)
    assert [a.session_ranks for a in recency.answers[:4]] == [(2.0,), (1.0, 2.0), (2.0,), (1.0,)]


def test_costs_add_up_the_tokens_of_everything_above(run: BenchRun, labelled: LabelledSet) -> None:
    from echovessel.text import count_tokens

    turns = list(labelled.talks[0].turns())[::-1]
    by_hand = [count_tokens(turn.said) for turn in turns]
    first = run.arm("recency", Over.MESSAGES).answers[0]
    assert first.costs == (float(sum(by_hand)),)


def test_over_events_a_turn_is_found_by_a_memory_that_rests_on_it(run: BenchRun) -> None:
    # "What does Ben play?" D1:2; the observation "Ben learns the cello." rests on D1:2 and D2:5.
    answer = next(a for a in run.arm("bm25", Over.EVENTS).answers if a.question == "q2")
    assert {hit.id for hit in answer.hits} >= {"session_1/o2"}
    place = [hit.id for hit in answer.hits].index("session_1/o2") + 1
    assert answer.ranks[0] <= place


def test_tidy_rows_name_every_level_metric_and_category_once(run: BenchRun, tmp_path: Path) -> None:
    write_rows(run, tmp_path / "rows.json")
    rows = json.loads((tmp_path / "rows.json").read_text())

    keys = [(r["arm"], r["over"], r["level"], r["metric"], r["k"], r["category"]) for r in rows]
    assert len(set(keys)) == len(keys)
    assert {r["level"] for r in rows} == {"turn", "session"}
    assert {r["metric"] for r in rows} == {"recall", "any", "all", "mrr", "ndcg", "recall_tokens"}
    assert {r["category"] for r in rows} == {"overall", "1", "2", "3", "4", "5"}
    assert {"arm", "level", "metric", "k", "category", "n", "value", "low", "high"} <= rows[0].keys()
    assert all(r["low"] <= r["high"] for r in rows if r["low"] is not None)
    assert (
        json.loads((tmp_path / "rows.manifest.json").read_text())["data_digest"] == run.manifest.data_digest
    )


def test_trec_files_give_the_same_numbers(run: BenchRun, tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    write_trec(run, tmp_path)
    qrels = read_trec(tmp_path / "messages.qrels", lambda parts: int(parts[3]))

    for arm in PLAIN:
        found = read_trec(tmp_path / f"messages-{arm}.run", lambda parts: float(parts[4]))
        judged = pytrec_eval.RelevanceEvaluator(qrels, {"recall.3", "recip_rank", "ndcg_cut.10"}).evaluate(
            found
        )
        for answer in run.arm(arm, Over.MESSAGES).answers:
            theirs = judged.get(
                f"{answer.talk}|{answer.question}", {"recall_3": 0, "recip_rank": 0, "ndcg_cut_10": 0}
            )
            for metric, k, name in (
                ("recall", 3, "recall_3"),
                ("mrr", None, "recip_rank"),
                ("ndcg", 10, "ndcg_cut_10"),
            ):
                assert Measure("turn", metric, k).of(answer) == pytest.approx(theirs[name])


def read_trec(path: Path, of) -> dict[str, dict]:
    read: dict[str, dict] = {}
    for line in path.read_text().splitlines():
        parts = line.split(" ")
        read.setdefault(parts[0], {})[parts[2]] = of(parts)
    return read


def test_a_run_comes_back_from_disk_as_it_was_and_holds_no_text(run: BenchRun, tmp_path: Path) -> None:
    save(run, tmp_path / "run")
    back = load(tmp_path / "run")

    assert back.manifest == run.manifest
    assert tidy(back) == tidy(run)
    assert b"kitten" not in b"".join(file.read_bytes() for file in (tmp_path / "run").iterdir())


def test_a_folder_without_a_run_is_named(run: BenchRun, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Give a folder made by --runs"):
        load(tmp_path)
    save(run, tmp_path / "run")
    (tmp_path / "run" / "hits.parquet").write_text("cut off")
    with pytest.raises(FormatError, match="damaged run"):
        load(tmp_path / "run")


def test_a_run_against_itself_differs_in_nothing(run: BenchRun) -> None:
    comparisons = compare_runs(run, run)
    assert {c.paired.difference for c in comparisons} == {0.0}
    assert {c.paired.p for c in comparisons} == {1.0}
    assert not comparisons[0].paired.may_claim


@pytest.mark.parametrize(
    ("field", "other", "words"),
    [
        ("data_digest", "0" * 64, "differ in: data"),
        ("questions_digest", "0" * 64, "differ in: question set"),
        ("embedder", None, "differ in: embedder"),
        ("depth", {"messages": 7, "events": 100}, "differ in: depth"),
        ("apart", ("4",), "differ in: categories kept apart"),
    ],
)
def test_runs_on_other_data_questions_or_vectors_are_not_compared(run: BenchRun, field, other, words) -> None:
    changed = BenchRun(dataclasses.replace(run.manifest, **{field: other}), run.arms)
    with pytest.raises(InputError, match=words) as raised:
        compare_runs(run, changed)
    assert str(raised.value).count("(") == 1


def test_one_conversation_gets_an_interval_over_questions(write: Write, tmp_path: Path) -> None:
    single = read_labelled(write("one.json", [locomo_record()]))
    run = run_bench(single, arms_named(["recency"]))
    found = value(run, "recency", Over.MESSAGES, "turn", "recall", 5)
    assert found.interval == "wilson"
    assert not math.isnan(found.low)


def test_questions_are_asked_for_what_the_set_can_answer(labelled: LabelledSet) -> None:
    assert overs_named(None, labelled) == (Over.MESSAGES,)
    assert overs_named(["events"], labelled) == (Over.EVENTS,)
    with pytest.raises(InputError, match="name turns, not memories"):
        overs_named(["memory"], labelled)
    with pytest.raises(InputError, match="no pool 'nodes'"):
        overs_named(["nodes"], labelled)


def test_bad_requests_are_refused(labelled: LabelledSet) -> None:
    with pytest.raises(InputError, match="at least one arm"):
        run_bench(labelled, [])
    with pytest.raises(InputError, match="dense compare vectors"):
        run_bench(labelled, arms_named(["dense"]))
    with pytest.raises(InputError, match="cut-offs must be 1 or more"):
        run_bench(labelled, arms_named(["bm25"]), ks=[0])


@pytest.mark.data
def test_bm25_on_the_development_conversations_is_where_it_was_measured(data_dir: Path) -> None:
    run = run_bench(read_labelled(data_dir / "locomo" / "locomo_dev.json"), arms_named(["bm25"]))
    found = value(run, "bm25", Over.MESSAGES, "turn", "recall", 10)
    assert len(answered(run.arm("bm25", Over.MESSAGES), run.manifest)) == 760
    assert found.value == pytest.approx(0.640, abs=0.005)  # all ten conversations: .630
    assert found.low < found.value < found.high
