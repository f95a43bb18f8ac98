"""The benchmark: every arm, over every pool, of every talk."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from echovessel.clock import Clock, SystemClock
from echovessel.embedding import Embedder
from echovessel.errors import InputError
from echovessel.workbench.arms import Arm, Case
from echovessel.workbench.labelled import LabelledSet, Talk
from echovessel.workbench.manifest import commit, identity_record, machine, questions_digest, versions
from echovessel.workbench.pool import Over, pool
from echovessel.workbench.results import KS, Answer, ArmRun, BenchRun, Manifest, Timing, answer
from echovessel.workbench.vectors import CachedEmbedder

if TYPE_CHECKING:
    from echovessel.workbench.ingest import Stored

# Deep enough for every cut-off; 2,000 tokens hold about a hundred short memories.
DEPTH = {Over.MESSAGES: 50, Over.EVENTS: 100, Over.MEMORY: 50}
TIMED_EMBEDDINGS = 32

Progress = Callable[[str], None]


@runtime_checkable
class Gated(Protocol):
    """An arm that drops what seems irrelevant, and can be told not to."""

    def without_gate(self) -> Arm:
        """The same with nothing dropped."""


def run_bench(
    labelled: LabelledSet,
    arms: Sequence[Arm],
    *,
    overs: Sequence[Over] = (Over.MESSAGES,),
    embedder: Embedder | None = None,
    ks: Sequence[int] = KS,
    seed: int = 0,
    cache_folder: Path | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> BenchRun:
    """Run arms on a labelled set.

    Parameters
    ----------
    labelled : LabelledSet
        The data.
    arms : sequence of Arm
        Ways to rank.
    overs : sequence of Over
        What to go over; each is a run of its own.
    embedder : Embedder, optional
        Needed by arms that compare vectors. Its vectors are kept in `cache_folder`.
    ks : sequence of int
        Cut-offs of the tidy rows.
    seed : int
        For arms and tests that draw at random.
    progress : callable, optional
        Told in a few words what comes next.

    Raises
    ------
    InputError
        No arm or no question, an arm lacks its embedder, or a pool is empty.
    """
    if not arms:
        raise InputError("a benchmark needs at least one arm. Use --arm.")
    if not ks or min(ks) < 1:
        raise InputError(f"cut-offs must be 1 or more, found {list(ks)}. Use --k 10.")
    if embedder is None and (needy := [arm.name for arm in arms if arm.needs_embedder]):
        raise InputError(f"{', '.join(needy)} compare vectors, but no embedder was chosen. Use --embedder.")
    if not any(talk.questions for talk in labelled.talks):
        raise InputError(
            f"{labelled.name} has no question that can be asked. Left out: {dict(labelled.left_out)}."
        )
    depths = {over: max(DEPTH[over], *ks) for over in overs}
    tell = progress or (lambda words: None)
    cached = CachedEmbedder(embedder, digest=labelled.digest, folder=cache_folder) if embedder else None
    gathered: dict[tuple[Over, str], _Gathered] = {
        (over, arm.name): _Gathered() for over in overs for arm in arms
    }
    try:
        for over in overs:
            for number, talk in enumerate(labelled.talks, start=1):
                tell(f"{labelled.name} over {over}: {talk.id} ({number} of {len(labelled.talks)})")
                _run_talk(talk, over, arms, cached, seed, depths[over], gathered)
    finally:
        if cached:
            cached.save()
    runs = tuple(gathered[over, arm.name].as_run(arm.name, over) for over in overs for arm in arms)
    moment = (clock or SystemClock()).now()
    return BenchRun(_manifest(labelled, arms, depths, cached, seed, tuple(ks), moment), runs)


class _Gathered:
    """Answers and times of one arm, talk by talk."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.ungated: list[Answer] = []
        self.seconds: dict[str, list[float]] = {}
        self.rows = 0
        self.index_seconds = 0.0

    def as_run(self, arm: str, over: Over) -> ArmRun:
        timings = {stage: _timing(seconds) for stage, seconds in self.seconds.items()}
        answers, ungated = tuple(self.answers), tuple(self.ungated)
        return ArmRun(arm, over, answers, self.rows, self.index_seconds, timings, ungated)


def _run_talk(
    talk: Talk,
    over: Over,
    arms: Sequence[Arm],
    embedder: CachedEmbedder | None,
    seed: int,
    depth: int,
    gathered: dict[tuple[Over, str], _Gathered],
) -> None:
    items = pool(talk, over)
    if embedder:
        # In one batch, ahead of all timing.
        embedder.embed([item.row(talk.zone) for item in items], kind="passage")
        embedder.embed([question.text for question in talk.questions], kind="query")
    with tempfile.TemporaryDirectory(prefix="echovessel-bench-") as folder:
        opened: list[Stored] = []

        @cache
        def stored() -> Stored:
            from echovessel.workbench.ingest import store

            opened.append(store(talk, Path(folder) / "memory.db", over=over, embedder=embedder))
            return opened[0]

        case = Case(talk, over, items, seed, embedder, stored)
        try:
            for arm in arms:
                _run_arm(arm, case, depth, gathered[over, arm.name])
        finally:
            for one in opened:
                one.close()


def _run_arm(arm: Arm, case: Case, depth: int, into: _Gathered) -> None:
    items = {item.id: item for item in case.items}
    stores = isinstance(arm, Gated)
    indexing = case.stored.seconds if stores else 0.0
    started = time.perf_counter()
    rank = arm.index(case, depth=depth)
    into.index_seconds += indexing + time.perf_counter() - started
    into.rows += len(items)
    for question in case.talk.questions:
        started = time.perf_counter()
        ranking = rank(question)
        into.seconds.setdefault("total", []).append(time.perf_counter() - started)
        for stage, seconds in ranking.seconds.items():
            into.seconds.setdefault(stage, []).append(seconds)
        into.answers.append(answer(case.talk, question, case.over, ranking.hits, items))
    if not any(question.unanswerable for question in case.talk.questions):
        return
    open_arm = arm.without_gate() if isinstance(arm, Gated) else arm
    rank = open_arm.index(case, depth=depth)
    into.ungated.extend(answer(case.talk, q, case.over, rank(q).hits, items) for q in case.talk.questions)


def _timing(seconds: Sequence[float]) -> Timing:
    p50, p95 = np.percentile(seconds, [50, 95])
    return Timing(float(p50), float(p95))


def _embed_seconds(labelled: LabelledSet, embedder: CachedEmbedder) -> Timing:
    """What one question costs to embed, which the cache hides from the arms' own times."""
    texts = [question.text for talk in labelled.talks for question in talk.questions][:TIMED_EMBEDDINGS]
    seconds = []
    for text in texts:
        started = time.perf_counter()
        embedder.plain.embed([text], kind="query")
        seconds.append(time.perf_counter() - started)
    return _timing(seconds)


def _manifest(
    labelled: LabelledSet,
    arms: Sequence[Arm],
    depths: Mapping[Over, int],
    embedder: CachedEmbedder | None,
    seed: int,
    ks: tuple[int, ...],
    moment: datetime,
) -> Manifest:
    return Manifest(
        dataset=labelled.name,
        data_digest=labelled.digest,
        questions_digest=questions_digest(labelled.talks),
        talks=tuple(talk.id for talk in labelled.talks),
        apart=tuple(sorted(labelled.apart)),
        left_out=dict(+labelled.left_out),
        repaired=dict(+labelled.repaired),
        notes=labelled.notes,
        licence=labelled.licence,
        embedder=identity_record(embedder.identity) if embedder else None,
        embed_seconds=_embed_seconds(labelled, embedder) if embedder else None,
        seed=seed,
        ks=ks,
        depth={over.value: depth for over, depth in depths.items()},
        weights={arm.name: str(arm.weights) for arm in arms if hasattr(arm, "weights")},
        made_at=moment.isoformat(timespec="seconds"),
        commit=commit(),
        versions=versions(),
        machine=machine(),
        split=labelled.split,
    )
