"""Put the main numbers of `evals/results` into `evals/README.md`, between its two marks.

    python -m evals.summary [--check]

With ``--check`` nothing is written, and the exit code is 1 when the page is not what the results say.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER / "README.md"
START, END = "<!-- numbers: made by python -m evals.summary -->", "<!-- end of numbers -->"

# Name of the result, what was gone over, and the heading.
TABLES = (
    ("own-reporting", "memory", "Our own set, reporting part, over gold memory"),
    ("own-reporting", "messages", "Our own set, reporting part, over raw turns"),
    ("locomo-dev", "messages", "LoCoMo, five development conversations, over raw turns"),
    ("locomo-dev-events", "events", "LoCoMo, five development conversations, over turns and observations"),
    ("memdaily-dev", "messages", "MemDaily (Chinese), five files in one memory"),
    ("aligned-dev", "messages", "One talk in two languages: each message asks for its twin"),
)
COLUMNS = (
    ("R@5", "recall", 5, False),
    ("R@10", "recall", 10, False),
    ("MRR", "mrr", None, False),
    ("session R@5", "recall", 5, True),
    ("session R@10", "recall", 10, True),
)


def numbers() -> str:
    """The tables, as Markdown."""
    parts = []
    for name, over, heading in TABLES:
        path = FOLDER / "results" / f"{name}.json"
        if path.exists():
            rows = [row for row in json.loads(path.read_text("utf-8")) if row["over"] == over]
            parts.append(f"### {heading}\n\n{_table(rows)}\n\nAll of it: [{name}](results/{name}.md).")
    bars = FOLDER / "results" / "own-reporting.md"
    if bars.exists():
        parts.append(
            f"### The bars, `default` over gold memory, reporting part\n\n{_bars(bars.read_text('utf-8'))}"
        )
    return "\n\n".join(parts)


def _table(rows: list[dict[str, Any]]) -> str:
    arms = list(dict.fromkeys(row["arm"] for row in rows))
    shown = [column for column in COLUMNS if _cell(rows, arms[-1], column) != ""]
    lines = ["| arm | " + " | ".join(column[0] for column in shown) + " |", "|---|" + "---:|" * len(shown)]
    lines += [
        f"| `{arm}` | " + " | ".join(_cell(rows, arm, column) for column in shown) + " |" for arm in arms
    ]
    return "\n".join(lines)


def _cell(rows: list[dict[str, Any]], arm: str, column: tuple[str, str, int | None, bool]) -> str:
    _, metric, k, session = column
    for row in rows:
        key = (row["arm"], row["metric"], row["k"], row["level"] == "session", row["category"])
        if key == (arm, metric, k, session, "overall"):
            return f"{row['value']:.3f}"
    return ""


def _bars(page: str) -> str:
    wanted = [line for line in page.splitlines() if line.startswith("| default |") and "allowed" not in line]
    held = [line.split("|")[2:-1] for line in wanted if "held |" in line]
    head = (
        "| questions | an error is | errors | allowed | bar | right one first |\n|---|---|---:|---:|---|---:|"
    )
    return "\n".join([head, *("|" + "|".join(cells) + "|" for cells in held)])


def main() -> None:
    page = PAGE.read_text("utf-8")
    before, rest = page.split(START)
    _, after = rest.split(END)
    made = f"{before}{START}\n\n{numbers()}\n\n{END}{after}"
    if "--check" in sys.argv[1:]:
        sys.exit(int(made != page))
    PAGE.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
