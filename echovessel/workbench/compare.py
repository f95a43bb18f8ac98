"""Two runs, or two arms of one run, set against each other; refused where they can't be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import InputError
from echovessel.workbench.permutation import Paired, paired_permutation
from echovessel.workbench.pool import Over
from echovessel.workbench.results import Answer, ArmRun, BenchRun, Manifest
from echovessel.workbench.scores import Measure, answered


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure of two arms on the same questions."""

    first: str
    second: str
    over: Over
    measure: Measure
    first_value: float
    second_value: float
    paired: Paired


def headlines(over: Over) -> list[Measure]:
    """The measures that comparisons show."""
    found = [
        Measure(over.level, "recall", 5),
        Measure(over.level, "recall", 10),
        Measure(over.level, "mrr", None),
    ]
    return found if over is Over.MEMORY else [*found, Measure("session", "recall", 10)]


def compare_runs(first: BenchRun, second: BenchRun) -> list[Comparison]:
    """Every arm that is in both runs.

    Raises
    ------
    InputError
        Data, question set, embedder or depth differ, or no arm is in both.
    """
    check_comparable(first.manifest, second.manifest)
    found = [
        comparison
        for arm in first.arms
        if (other := second.arm(arm.arm, arm.over))
        for comparison in compare_arms(arm, other, first.manifest, names=("A", "B"))
    ]
    if not found:
        raise InputError("the runs have no arm in common. Run the same --arm in both.")
    return found


def compare_arms(
    first: ArmRun, second: ArmRun, manifest: Manifest, *, names: tuple[str, str] | None = None
) -> Iterator[Comparison]:
    """Two arms that ran over the same pool, by the headline measures."""
    labels = (f"{first.arm} {names[0]}", f"{second.arm} {names[1]}") if names else (first.arm, second.arm)
    pairs = _paired(answered(first, manifest), answered(second, manifest))
    for measure in headlines(first.over):
        a, b = ([np.array([measure.of(pair[side]) for pair in talk]) for talk in pairs] for side in (0, 1))
        yield Comparison(
            *labels, first.over, measure, _mean(a), _mean(b), paired_permutation(a, b, seed=manifest.seed)
        )


def check_comparable(first: Manifest, second: Manifest) -> None:
    """Refuse two runs whose numbers do not speak of the same thing.

    Raises
    ------
    InputError
        Names everything that differs.
    """
    differing = []
    if first.data_digest != second.data_digest:
        differing.append(
            f"data ({first.dataset} {first.data_digest[:12]}, {second.dataset} {second.data_digest[:12]})"
        )
    if first.questions_digest != second.questions_digest:
        differing.append(f"question set ({first.questions_digest[:12]}, {second.questions_digest[:12]})")
    if first.embedder != second.embedder:
        differing.append(f"embedder ({_maker(first)}, {_maker(second)})")
    both = first.depth.keys() & second.depth.keys()
    if deeper := sorted(over for over in both if first.depth[over] != second.depth[over]):
        over = deeper[0]
        differing.append(f"depth (over {over} {first.depth[over]} and {second.depth[over]} hits)")
    if first.apart != second.apart:
        differing.append(f"categories kept apart ({', '.join(first.apart)}; {', '.join(second.apart)})")
    if differing:
        raise InputError(
            f"the runs can't be compared, for they differ in: {'; '.join(differing)}. Run both on the same."
        )


def _maker(manifest: Manifest) -> str:
    if manifest.embedder is None:
        return "none"
    return " ".join(str(part)[:12] for part in manifest.embedder.values())


def _paired(first: Sequence[Answer], second: Sequence[Answer]) -> list[list[tuple[Answer, Answer]]]:
    """Answers to the same question side by side, by conversation."""
    other = {answer.key: answer for answer in second}
    talks: dict[str, list[tuple[Answer, Answer]]] = {}
    for answer in first:
        talks.setdefault(answer.talk, []).append((answer, other[answer.key]))
    return list(talks.values())


def _mean(talks: list[NDArray[np.float64]]) -> float:
    return float(np.concatenate(talks).mean())
