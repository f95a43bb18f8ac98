"""Runs on disk: tidy rows, per-question files, TREC's run and qrels. Ids and scores, never a text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.workbench.arms.base import Ranked
from echovessel.workbench.pool import Over
from echovessel.workbench.results import Answer, ArmRun, BenchRun, Manifest, Timing
from echovessel.workbench.scores import tidy

MANIFEST = "manifest.json"
FORM = 1


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
    and breaks ties by name, sees our order; the arm's own scores stand in the per-question files. Over
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
    """Write the manifest, and one line per question for each arm and pool."""
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
    record = {"form": FORM, "manifest": asdict(run.manifest), "arms": arms}
    (folder / MANIFEST).write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for arm in run.arms:
        _write_lines(folder / _file(arm.over, arm.arm), [_line(each) for each in arm.answers])
        if arm.ungated:
            _write_lines(
                folder / _file(arm.over, arm.arm, ungated=True), [_line(each) for each in arm.ungated]
            )


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
        arms = tuple(_arm(entry, folder) for entry in record["arms"])
    except OSError as error:
        raise FormatError(
            f"{folder} holds no whole run: {error.filename}: {error.strerror}. Give a folder made by --runs."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"{folder} holds a damaged run ({error!r}). Run the benchmark again with --runs."
        ) from error
    return BenchRun(manifest, arms)


def _manifest(record: dict[str, Any]) -> Manifest:
    timing = record["embed_seconds"]
    tuples = {name: tuple(record[name]) for name in ("talks", "apart", "notes", "ks")}
    return Manifest(**{**record, **tuples, "embed_seconds": Timing(**timing) if timing else None})


def _arm(entry: dict[str, Any], folder: Path) -> ArmRun:
    over = Over(entry["over"])
    timings = {stage: Timing(**timing) for stage, timing in entry["timings"].items()}
    ungated = folder / _file(over, entry["arm"], ungated=True)
    return ArmRun(
        entry["arm"],
        over,
        _answers(folder / _file(over, entry["arm"])),
        entry["rows"],
        entry["index_seconds"],
        timings,
        _answers(ungated) if ungated.exists() else (),
    )


def _file(over: Over, arm: str, *, ungated: bool = False) -> str:
    return f"{over}-{arm}{'-ungated' if ungated else ''}.jsonl"


def _line(each: Answer) -> str:
    record: Mapping[str, Any] = {
        "talk": each.talk,
        "question": each.question,
        "category": each.category,
        "evidence": each.evidence,
        "ranks": _finite(each.ranks),
        "session_ranks": _finite(each.session_ranks),
        "costs": _finite(each.costs),
        "unanswerable": each.unanswerable,
        "hits": [[hit.id, round(hit.score, 6), *_finite((round(hit.confidence, 6),))] for hit in each.hits],
    }
    return json.dumps(record, ensure_ascii=False)


def _answers(path: Path) -> tuple[Answer, ...]:
    return tuple(_answer(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def _answer(record: dict[str, Any]) -> Answer:
    return Answer(
        record["talk"],
        record["question"],
        record["category"],
        tuple(record["evidence"]),
        tuple(Ranked(name, score, *_infinite([confidence])) for name, score, confidence in record["hits"]),
        _infinite(record["ranks"]),
        _infinite(record["session_ranks"]),
        _infinite(record["costs"]),
        record["unanswerable"],
    )


def _finite(values: tuple[float, ...]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def _infinite(values: list[float | None]) -> tuple[float, ...]:
    return tuple(math.inf if value is None else value for value in values)


def _write_lines(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
