"""A recall told to a person: as a table for the terminal."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

from echovessel.memory.recall.factors import FACTORS

if TYPE_CHECKING:
    from echovessel.memory.recall.result import Recall

HEADINGS = {
    "recency": "recency",
    "relevance": "relevance",
    "impact": "impact",
    "relational_bonus": "bonus",
    "entity_anchor": "anchor",
}
_WIDTH = 110
_SHOWN_DROPPED = 5
# What would move the cursor, change colours, or turn the direction of a line.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def explain(result: Recall) -> str:
    """A table of the hits with what every factor adds, then the nearest dropped memories with the rule."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = StringIO()
    # Inside Jupyter rich would otherwise show the table by itself, beside the text that is returned.
    console = Console(file=out, width=_WIDTH, highlight=False, force_jupyter=False)
    if result.hits:
        table = Table(title=None, box=None, pad_edge=False, expand=True)
        for heading in ("#", "score", *(HEADINGS[name] for name in FACTORS)):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("when", no_wrap=True)
        table.add_column("memory", no_wrap=True, overflow="ellipsis", ratio=1)  # takes what is left
        for hit in result.hits:
            adds = [f"{hit.contributions[name]:+.2f}" if hit.contributions[name] else "." for name in FACTORS]
            table.add_row(
                str(hit.rank),
                f"{hit.score:.2f}",
                *adds,
                f"{hit.happened_at:%Y-%m-%d}",
                Text(_shown(hit.text, hit.speaker, hit.kind)),
            )
        console.print(table)
    else:
        console.print("Nothing in memory bears on this.")
    for memo in result.dropped[:_SHOWN_DROPPED]:
        why = f"dropped ({memo.rule}, relevance {memo.factors.relevance:.2f}): "
        line = why + _shown(memo.text, memo.speaker, memo.kind)
        console.print(Text(line, style="dim"), no_wrap=True, overflow="ellipsis")
    total = sum(result.timings.values())
    console.print(f"{len(result.hits)} of {result.considered} memories in {total:.1f} ms", style="dim")
    return out.getvalue()


def _shown(text: str, speaker: str, kind: str) -> str:
    flat = _CONTROLS.sub("\ufffd", " ".join(text.split()))
    short = flat if len(flat) <= 160 else flat[:159] + "…"
    return f"{_CONTROLS.sub(chr(0xFFFD), speaker)}: {short}" if speaker else f"[{kind}] {short}"
