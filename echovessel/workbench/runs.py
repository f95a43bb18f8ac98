"""Runs on disk: tidy rows, a folder of tables, TREC's run and qrels. Ids and scores, never a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from echovessel.errors import FormatError
from echovessel.workbench.arms.base import Ranked
from echovessel.workbench.pool import Over
from echovessel.workbench.results import Answer, ArmRun, BenchRun, Manifest, Timing
from echovessel.workbench.scores import tidy

MANIFEST = "manifest.json"
QUESTIONS_FILE = "questions.parquet"
HITS_FILE = "hits.parquet"
FORM = 2

Schema = dict[str, pl.DataType | type[pl.DataType]]
_KEY: Schema = {
    "arm": pl.String,
    "over": pl.String,
    "gated": pl.Boolean,
    "talk": pl.String,
    "question": pl.String,
}
QUESTION_COLUMNS: Schema = {
    **_KEY,
    "category": pl.String,
    "unanswerable": pl.Boolean,
    "evidence": pl.List(pl.String),
    "ranks": pl.List(pl.Float64),
    "session_ranks": pl.List(pl.Float64),
    "costs": pl.List(pl.Float64),
}
HIT_COLUMNS: Schema = {
    **_KEY,
    "rank": pl.Int32,
    "item": pl.String,
    "score": pl.Float64,
    "confidence": pl.Float64,
}


def write_rows(run: BenchRun, path: Path) -> None:
    """Tidy rows as a JSON list, one row per line; the manifest goes beside it as ``NAME.manifest.json``."""
    rows = ",\n".join(json.dumps(score.record()) for score in tidy(run))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    head = json.dumps(asdict(run.manifest), ensure_ascii=False, indent=1)
    path.with_suffix(".manifest.json").write_text(head + "\n", encoding="utf-8")


def write_trec(run: BenchRun, folder: Path) -> None:
    """One run file per arm, and one qrels file, per pool.

    A question is ``TALK|QUESTION``. Scores are one over the rank, so that trec_eval, which sorts by score
    and breaks ties by name, sees our order; the arm's own scores stand in the table of hits. Over
    `events` a hit may be a memory: it stands as the first evidence turn that it brings, else as itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for over in run.overs:
        arms = [arm for arm in run.arms if arm.over is over]
        qrels = [f"{_query(a)} 0 {_word(name)} 1" for a in arms[0].answers for name in a.evidence]
        _write_lines(folder / f"{over}.qrels", qrels)
        for arm in arms:
            lines = []
            for each in arm.answers:
                for rank, name in enumerate(_documents(each), start=1):
                    lines.append(f"{_query(each)} Q0 {_word(name)} {rank} {1 / rank:.6f} {arm.arm}")
            _write_lines(folder / f"{over}-{arm.arm}.run", lines)


def _documents(each: Answer) -> list[str]:
    names = [hit.id for hit in each.hits]
    for name, rank in zip(each.evidence, each.ranks, strict=True):
        if rank <= len(names) and names[int(rank) - 1] not in each.evidence:
            names[int(rank) - 1] = name
    return list(dict.fromkeys(names))


def _query(each: Answer) -> str:
    return _word(f"{each.talk}|{each.question}")


def _word(name: str) -> str:
    return "_".join(name.split())


def save(run: BenchRun, folder: Path) -> None:
    """Write the manifest, a table of questions and one of hits; each row says which arm and pool it is of."""
    folder.mkdir(parents=True, exist_ok=True)
    arms = [
        {
            "arm": arm.arm,
            "over": arm.over.value,
            "rows": arm.rows,
            "index_seconds": arm.index_seconds,
            "timings": {stage: asdict(timing) for stage, timing in arm.timings.items()},
        }
        for arm in run.arms
    ]
    questions, hits = tables(run)
    questions.write_parquet(folder / QUESTIONS_FILE)
    hits.write_parquet(folder / HITS_FILE)
    # Last, so that a folder with a manifest is whole.
    record = {"form": FORM, "manifest": asdict(run.manifest), "arms": arms}
    (folder / MANIFEST).write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def tables(run: BenchRun) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A row for each question, and a row for each hit, of every arm and pool.

    Ranks of missed evidence are infinite. `gated` is false for the answers with nothing dropped, where there are any.
    """
    questions: list[dict[str, Any]] = []
    hits: list[dict[str, Any]] = []
    for arm in run.arms:
        for gated, answers in ((True, arm.answers), (False, arm.ungated)):
            for each in answers:
                key = {
                    "arm": arm.arm,
                    "over": arm.over.value,
                    "gated": gated,
                    "talk": each.talk,
                    "question": each.question,
                }
                kept = {name: getattr(each, name) for name in QUESTION_COLUMNS if name not in key}
                questions.append(key | kept)
                hits += [
                    {**key, "rank": rank, "item": hit.id, "score": hit.score, "confidence": hit.confidence}
                    for rank, hit in enumerate(each.hits, start=1)
                ]
    return pl.DataFrame(questions, schema=QUESTION_COLUMNS), pl.DataFrame(hits, schema=HIT_COLUMNS)


def load(folder: Path) -> BenchRun:
    """Read what `save` wrote.

    Raises
    ------
    FormatError
        The folder holds no run, or a damaged one.
    """
    try:
        record = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if record["form"] != FORM:
            raise FormatError(
                f"{folder} was written by another version (form {record['form']}). Run the benchmark again."
            )
        manifest = _manifest(record["manifest"])
        answers = _answers(folder)
        arms = tuple(_arm(entry, answers) for entry in record["arms"])
    except OSError as error:
        raise FormatError(f"{folder} holds no whole run: {error}. Give a folder made by --runs.") from error
    except (ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise FormatError(
            f"{folder} holds a damaged run ({error!r}). Run the benchmark again with --runs."
        ) from error
    return BenchRun(manifest, arms)


def _manifest(record: dict[str, Any]) -> Manifest:
    timing = record["embed_seconds"]
    tuples = {name: tuple(record[name]) for name in ("talks", "apart", "notes", "ks")}
    return Manifest(**{**record, **tuples, "embed_seconds": Timing(**timing) if timing else None})


def _arm(entry: dict[str, Any], answers: Mapping[tuple[str, str, bool], list[Answer]]) -> ArmRun:
    over = Over(entry["over"])
    timings = {stage: Timing(**timing) for stage, timing in entry["timings"].items()}
    return ArmRun(
        entry["arm"],
        over,
        tuple(answers[entry["arm"], over.value, True]),
        entry["rows"],
        entry["index_seconds"],
        timings,
        tuple(answers.get((entry["arm"], over.value, False), ())),
    )


def _answers(folder: Path) -> dict[tuple[str, str, bool], list[Answer]]:
    """Answers by arm, pool, and whether they were gated."""
    key = list(_KEY)
    hits: dict[tuple[Any, ...], list[Ranked]] = {}
    for row in (
        pl.read_parquet(folder / HITS_FILE).sort(*key, "rank", maintain_order=True).iter_rows(named=True)
    ):
        found = hits.setdefault(tuple(row[name] for name in key), [])
        found.append(Ranked(row["item"], row["score"], row["confidence"]))
    answers: dict[tuple[str, str, bool], list[Answer]] = {}
    for row in pl.read_parquet(folder / QUESTIONS_FILE).iter_rows(named=True):
        each = Answer(
            talk=row["talk"],
            question=row["question"],
            category=row["category"],
            evidence=tuple(row["evidence"]),
            hits=tuple(hits.get(tuple(row[name] for name in key), ())),
            ranks=tuple(row["ranks"]),
            session_ranks=tuple(row["session_ranks"]),
            costs=tuple(row["costs"]),
            unanswerable=row["unanswerable"],
        )
        answers.setdefault((row["arm"], row["over"], row["gated"]), []).append(each)
    return answers


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
