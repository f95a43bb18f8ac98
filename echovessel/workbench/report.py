"""Tables of a run: for the terminal by rich, and for evals/README.md as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.table import Table
from rich.text import Text

from echovessel.workbench.bars import bars
from echovessel.workbench.compare import Comparison, compare_arms
from echovessel.workbench.intervals import Interval
from echovessel.workbench.labelled import LabelledSet
from echovessel.workbench.permutation import CONVERSATIONS_FOR_A_CLAIM, THESE_ONLY
from echovessel.workbench.pool import Over
from echovessel.workbench.results import BUDGETS, SESSION_KS, ArmRun, BenchRun, Manifest
from echovessel.workbench.scores import (
    NDCG_K,
    OVERALL,
    Measure,
    Score,
    answered,
    by_talk,
    categories,
    interval_of,
    score,
)
from echovessel.workbench.silence import silences

HEADLINE_K = 10
MAIN_ARM = "default"


@dataclass(frozen=True)
class Sheet:
    """A table before it is drawn."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    words: int = 1
    """How many columns, from the left, hold words: set flush left."""

    def to_rich(self) -> Table:
        """For a terminal."""
        # Text, not markup: names come from data files.
        caption = Text(self.caption) if self.caption else None
        table = Table(title=Text(self.title), caption=caption, title_justify="left", caption_justify="left")
        for place, name in enumerate(self.head):
            side: Literal["left", "right"] = "left" if place < self.words else "right"
            table.add_column(Text(name), justify=side, no_wrap=place == 0)
        for row in self.rows:
            table.add_row(*(Text(cell) for cell in row))
        return table

    def to_markdown(self) -> str:
        """For a README."""
        rule = ["---"] * self.words + ["---:"] * (len(self.head) - self.words)
        lines = [f"**{self.title}**", "", _line(self.head), _line(rule)]
        lines += [_line(row) for row in self.rows]
        return "\n".join([*lines, *(["", self.caption] if self.caption else []), ""])


def sheets(run: BenchRun, labelled: LabelledSet | None = None) -> list[Sheet]:
    """Every table of a run. With the set itself, also the bars of our own one."""
    found = [_about(run.manifest)]
    for over in run.overs:
        arms = [arm for arm in run.arms if arm.over is over]
        found.append(_headlines(run, over, arms))
        found.append(_depths(run, over, arms))
        found.append(_categories(run, over, arms))
        if 1 < len(run.manifest.talks) < 20:
            found.append(_conversations(run, over, arms))
        main = run.arm(MAIN_ARM, over)
        if main and len(arms) > 1:
            others = [
                comparison
                for arm in arms
                if arm is not main
                for comparison in compare_arms(main, arm, run.manifest)
            ]
            found.append(comparison_sheet(others, f"{MAIN_ARM} against the other arms, over {over}"))
        found.append(_timings(run, over, arms))
        if over is Over.MEMORY and labelled is not None:
            found.append(_bars(arms, labelled))
    if quiet := _silences(run):
        found.append(quiet)
    return found


def comparison_sheet(comparisons: Sequence[Comparison], title: str) -> Sheet:
    """Differences with wins out of n."""
    rows = tuple(
        (
            f"{c.first} - {c.second}",
            f"{c.over}",
            _name(c.measure),
            f"{c.first_value:.3f}",
            f"{c.second_value:.3f}",
            signed(c.paired.difference, c.paired.interval),
            "-" if math.isnan(c.paired.effect) else f"{c.paired.effect:+.2f}",
            f"{c.paired.wins} of {c.paired.conversations}",
            f"{c.paired.p:.4f}",
        )
        for c in comparisons
    )
    caption = (
        "In brackets 95% by Student's t over conversations; d: difference over its spread from question to question; "
        f"p: paired permutation inside conversations, {THESE_ONLY}."
    )
    if comparisons and not comparisons[0].paired.may_claim:
        caption += (
            f" With fewer than {CONVERSATIONS_FOR_A_CLAIM} conversations nothing is claimed about others."
        )
    return Sheet(
        title,
        ("arms", "over", "metric", "first", "second", "difference", "d", "better in", "p"),
        rows,
        caption,
        words=3,
    )


def signed(value: float, bounds: Interval) -> str:
    """A difference with its interval, where there is one."""
    if math.isnan(bounds.low):
        return f"{value:+.3f}"
    return f"{value:+.3f} [{bounds.low:+.3f}, {bounds.high:+.3f}]"


def _about(manifest: Manifest) -> Sheet:
    maker = manifest.embedder
    rows = [
        (
            "data",
            f"{manifest.dataset}{f' ({manifest.split})' if manifest.split else ''}, "
            f"sha256 {manifest.data_digest[:16]}, {len(manifest.talks)} conversations",
        ),
        ("licence", manifest.licence),
        ("embedder", f"{maker['name']} {maker['version']}, {maker['dim']} dims" if maker else "none"),
        (
            "code",
            f"{manifest.commit or 'no clone'}, seed {manifest.seed}",
        ),
        (
            "machine",
            f"{manifest.machine['processor']}, {manifest.machine['cpus']} CPUs, {manifest.machine['system']}",
        ),
        *(("left out", f"{count} {reason}") for reason, count in manifest.left_out.items()),
        *(("read in spite of", f"{count} {reason}") for reason, count in manifest.repaired.items()),
        *(("note", note) for note in manifest.notes),
    ]
    return Sheet("What was run", ("", ""), tuple(rows), words=2)


def _headlines(run: BenchRun, over: Over, arms: Sequence[ArmRun]) -> Sheet:
    level = over.level
    columns = [Measure(level, "recall", 5), Measure(level, "recall", 10), Measure(level, "mrr", None)]
    columns += [Measure(level, "ndcg", NDCG_K)]
    if over is not Over.MEMORY:
        columns += [Measure("session", "recall", k) for k in SESSION_KS]
    columns += [Measure(level, "recall_tokens", budget) for budget in BUDGETS]
    rows = tuple((arm.arm, *(_with_bounds(score(arm, run.manifest, m)) for m in columns)) for arm in arms)
    apart = f" without {', '.join(run.manifest.apart)}" if run.manifest.apart else ""
    n = len(answered(arms[0], run.manifest))
    return Sheet(
        f"Over {over}: {n} questions{apart}", ("arm", *map(_name, columns)), rows, _explain(run.manifest)
    )


def _depths(run: BenchRun, over: Over, arms: Sequence[ArmRun]) -> Sheet:
    columns = [Measure(over.level, metric, k) for metric in ("recall", "any", "all") for k in run.manifest.ks]
    rows = tuple((arm.arm, *(_plain(score(arm, run.manifest, m)) for m in columns)) for arm in arms)
    return Sheet(f"Over {over}, by depth", ("arm", *map(_name, columns)), rows)


def _categories(run: BenchRun, over: Over, arms: Sequence[ArmRun]) -> Sheet:
    measured = Measure(over.level, "recall", HEADLINE_K)
    kinds = categories(arms[0])
    counted = {kind: len(answered(arms[0], run.manifest, kind)) for kind in kinds}
    bounded = interval_of(run.manifest) == "wilson"
    show = _with_bounds if bounded else _plain
    rows = tuple(
        (arm.arm, *(show(score(arm, run.manifest, measured, kind)) for kind in kinds)) for arm in arms
    )
    head = ("arm", *(f"{kind} ({counted[kind]})" for kind in kinds))
    apart = [kind for kind in kinds if kind in run.manifest.apart]
    caption = f"Not in {OVERALL}: {', '.join(apart)}." if apart else ""
    return Sheet(f"Over {over}, R@{HEADLINE_K} by category (questions)", head, rows, caption)


def _conversations(run: BenchRun, over: Over, arms: Sequence[ArmRun]) -> Sheet:
    measured = Measure(over.level, "recall", HEADLINE_K)
    rows = []
    for arm in arms:
        means = {
            talk: values.mean() for talk, values in by_talk(answered(arm, run.manifest), measured.of).items()
        }
        rows.append(
            (arm.arm, *(f"{means[talk]:.3f}" if talk in means else "-" for talk in run.manifest.talks))
        )
    return Sheet(
        f"Over {over}, R@{HEADLINE_K} of each conversation", ("arm", *run.manifest.talks), tuple(rows)
    )


def _timings(run: BenchRun, over: Over, arms: Sequence[ArmRun]) -> Sheet:
    rows = []
    for arm in arms:
        rate = f"{arm.rows / arm.index_seconds:,.0f}" if arm.index_seconds else "-"
        for stage, timing in arm.timings.items():
            rows.append((arm.arm, rate, stage, f"{timing.p50 * 1e3:.2f}", f"{timing.p95 * 1e3:.2f}"))
    embed = run.manifest.embed_seconds
    caption = "Rows taken in and questions answered with vectors at hand."
    if embed:
        caption += f" Embedding a question: {embed.p50 * 1e3:.1f} ms, p95 {embed.p95 * 1e3:.1f} ms."
    return Sheet(
        f"Over {over}, speed", ("arm", "rows/s taken in", "stage", "p50 ms", "p95 ms"), tuple(rows), caption
    )


def _bars(arms: Sequence[ArmRun], labelled: LabelledSet) -> Sheet:
    rows = [
        (
            arm.arm,
            bar.type,
            bar.rule,
            f"{bar.errors} of {bar.n}",
            f"{bar.allowed}",
            "held" if bar.held else "NOT held",
            f"{bar.first} of {bar.n}",
        )
        for arm in arms
        for bar in bars(arm, labelled)
        if bar.n
    ]
    head = ("arm", "type", "an error is", "errors", "allowed", "bar", "right one first")
    return Sheet(
        "Bars over gold memory",
        head,
        tuple(rows),
        f"The bars are {MAIN_ARM}'s; the others stand beside it.",
        words=3,
    )


def _silences(run: BenchRun) -> Sheet | None:
    rows = []
    measured = silences(run)
    for arm, silence in measured:
        dense = next((s for a, s in measured if a.arm == "dense" and a.over is arm.over), None)
        kinds = "; ".join(f"{kind} {quiet} of {asked}" for kind, (quiet, asked) in silence.by_kind.items())
        rows.append(
            (
                arm.arm,
                f"{arm.over}",
                kinds,
                f"{silence.shipped.silent:.3f}",
                f"{silence.shipped.lost * 100:.1f}",
                f"{dense.bought_at(max(0.0, silence.shipped.lost)):.3f}" if dense else "-",
                f"{silence.bought_at(0.01):.3f}",
                f"{silence.auroc:.3f}",
            )
        )
    if not rows:
        return None
    head = (
        "arm",
        "over",
        "silent, by kind",
        "silent",
        "R@10 lost, points",
        "dense at that loss",
        "silent at 1 point",
        "AUROC",
    )
    caption = (
        "Silent: nothing comes back for an unanswerable question. AUROC: an answerable one is told from it."
    )
    return Sheet("Unanswerable questions", head, tuple(rows), caption, words=3)


def _explain(manifest: Manifest) -> str:
    if interval_of(manifest) == "wilson":
        return "95%: Wilson's interval over questions, taken as independent."
    return f"95%: Student's t over the means of {len(manifest.talks)} conversations."


def _name(measured: Measure) -> str:
    short = {"recall": "R", "any": "any", "all": "all", "mrr": "MRR", "ndcg": "nDCG", "recall_tokens": "R"}[
        measured.metric
    ]
    place = "session " if measured.level == "session" else ""
    if measured.metric == "recall_tokens":
        return f"R in {measured.k:,} tokens"
    return f"{place}{short}@{measured.k}" if measured.k else f"{place}{short}"


def _plain(row: Score | None) -> str:
    return "-" if row is None else f"{row.value:.3f}"


def _with_bounds(row: Score | None) -> str:
    if row is None or math.isnan(row.low):
        return _plain(row)
    return f"{row.value:.3f} ({row.low:.2f}-{row.high:.2f})"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
