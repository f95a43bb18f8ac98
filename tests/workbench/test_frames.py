"""Runs load as frames that can be worked with at once."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from echovessel.errors import FormatError, InputError
from echovessel.models.hash import HashEmbedder
from echovessel.workbench.arms import arms_named
from echovessel.workbench.bench import run_bench
from echovessel.workbench.frames import hits, questions, runs
from echovessel.workbench.labelled import read_labelled
from echovessel.workbench.pool import Over
from echovessel.workbench.results import BenchRun
from echovessel.workbench.runs import save
from echovessel.workbench.scores import Measure, score
from tests.workbench.conftest import Write, locomo_record


@pytest.fixture
def run(write: Write, tmp_path: Path) -> BenchRun:
    labelled = read_labelled(write("locomo.json", [locomo_record("conv-1"), locomo_record("conv-2")]))
    return run_bench(
        labelled,
        arms_named(["bm25", "recency", "default"]),
        embedder=HashEmbedder(),
        seed=7,
        cache_folder=tmp_path / "cache",
    )


def test_runs_hold_where_numbers_come_from_and_the_numbers(run: BenchRun, tmp_path: Path) -> None:
    save(run, tmp_path / "runs" / "first")
    save(run, tmp_path / "runs" / "second")

    found = runs(tmp_path / "runs")

    assert found.select("run", "arm").rows() == [
        (name, arm) for name in ("first", "second") for arm in ("bm25", "recency", "default")
    ]
    first = found.row(0, named=True)
    assert (first["seed"], first["data_digest"], first["dataset"]) == (7, run.manifest.data_digest, "locomo")
    wanted = score(run.arms[0], run.manifest, Measure("turn", "recall", 10))
    assert (first["recall_10"], first["low"], first["high"]) == (wanted.value, wanted.low, wanted.high)
    assert "relevance=" in found.row(2, named=True)["weights"]


def test_questions_give_the_same_overall_number_in_polars_and_in_pandas(
    run: BenchRun, tmp_path: Path
) -> None:
    pytest.importorskip("pandas", reason="needs the extra `lab`")
    save(run, tmp_path / "run")
    wanted = {arm.arm: score(arm, run.manifest, Measure("turn", "recall", 10)).value for arm in run.arms}

    found = questions(tmp_path / "run").filter(~pl.col("apart"))
    shares = dict(found.group_by("arm").agg(pl.col("recall_10").mean()).iter_rows())
    assert shares == pytest.approx(wanted)

    table = questions(tmp_path / "run", frame="pandas")
    by_arm = table[~table.apart].groupby("arm").recall_10.mean().to_dict()
    assert by_arm == pytest.approx(wanted)
    assert math.isinf(max(rank for ranks in table.ranks for rank in ranks))


def test_hits_are_ids_by_rank(run: BenchRun, tmp_path: Path) -> None:
    save(run, tmp_path / "run")
    found = hits(tmp_path / "run").filter(arm="recency", talk="conv-1", question="q0")
    assert found["item"].to_list() == ["D2:5", "D2:1", "D1:3", "D1:2", "D1:1"]
    assert found["rank"].to_list() == [1, 2, 3, 4, 5]
    assert len(run.arm("recency", Over.MESSAGES).answers[0].hits) == 5


def test_a_place_without_runs_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no run"):
        runs(tmp_path)


def test_no_other_kind_of_frame(run: BenchRun, tmp_path: Path) -> None:
    save(run, tmp_path / "run")
    with pytest.raises(InputError, match="polars or pandas"):
        runs(tmp_path / "run", frame="arrow")
