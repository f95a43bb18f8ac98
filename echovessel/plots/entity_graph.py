"""Who belongs with whom: entities that share memories, as a graph, or as a matrix where they are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from echovessel.plots.layout import force_layout
from echovessel.plots.style import FACTOR_COLOURS, FAINT, NEUTRAL, figure, shown, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

MOST_IN_A_GRAPH = 200
MOST_NAMES = 60
KIND_COLOURS = {
    "person": FACTOR_COLOURS["relevance"],
    "pet": FACTOR_COLOURS["impact"],
    "place": FACTOR_COLOURS["relational_bonus"],
    "organisation": FACTOR_COLOURS["entity_anchor"],
    "thing": FACTOR_COLOURS["recency"],
}
LABELS = {
    **{kind: kind for kind in KIND_COLOURS},
    "other": "other",
    "memories": "memories",
    "shared": "shared memories",
    "empty": "Nobody is known by name yet.",
}


def entity_graph(
    entities: pl.DataFrame, links: pl.DataFrame, *, labels: Mapping[str, str] = LABELS, seed: int = 0
) -> go.Figure:
    """Entities joined where memories name both.

    Parameters
    ----------
    entities : polars.DataFrame
        ``id``, ``name``, ``kind``, ``memories`` (how many name it).
    links : polars.DataFrame
        ``one``, ``other`` (ids), ``memories`` (how many name both).
    labels : mapping
        Names of the kinds and of what is counted, for other languages.
    seed : int
        Of the layout.

    Returns
    -------
    plotly Figure: a graph, or above 200 entities a matrix of the 60 most named ones.
    """
    if entities.is_empty():
        drawn = figure()
        drawn.update_layout(xaxis={"visible": False}, yaxis={"visible": False}, height=220)
        drawn.add_annotation(text=labels["empty"], showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper")
        return drawn
    draw = _graph if entities.height <= MOST_IN_A_GRAPH else _matrix
    return draw(entities, links, labels, seed)


def _graph(entities: pl.DataFrame, links: pl.DataFrame, labels: Mapping[str, str], seed: int) -> go.Figure:
    place = {item: number for number, item in enumerate(entities["id"])}
    pairs = [row for row in links.to_dicts() if row["one"] in place and row["other"] in place]
    ends = np.array([(place[row["one"]], place[row["other"]]) for row in pairs], np.intp).reshape(-1, 2)
    counts = np.array([row["memories"] for row in pairs], np.float64)
    at = force_layout(entities.height, ends, 0.3 * np.sqrt(counts), seed=seed)
    drawn = figure()
    for (one, other), count in zip(ends, counts, strict=True):
        drawn.add_trace(
            trace(
                "Scatter",
                mode="lines",
                x=[at[one, 0], at[other, 0]],
                y=[at[one, 1], at[other, 1]],
                line={"color": NEUTRAL, "width": float(min(0.6 + 0.7 * count, 6))},
                opacity=0.45,
                hoverinfo="skip",
                showlegend=False,
            )
        )
    rows = entities.to_dicts()
    named = {row["id"] for row in sorted(rows, key=lambda row: -row["memories"])[:MOST_NAMES]}
    for kind in sorted({row["kind"] for row in rows}, key=lambda kind: (kind not in KIND_COLOURS, kind)):
        group = [(number, row) for number, row in enumerate(rows) if row["kind"] == kind]
        drawn.add_trace(
            trace(
                "Scatter",
                mode="markers+text",
                name=shown(labels.get(kind, kind) or labels["other"]),
                x=[at[number, 0] for number, _ in group],
                y=[at[number, 1] for number, _ in group],
                text=[shown(row["name"], width=14) if row["id"] in named else "" for _, row in group],
                textposition="top center",
                customdata=[[shown(row["name"], width=60), row["memories"], row["id"]] for _, row in group],
                hovertemplate=f"%{{customdata[0]}}<br>%{{customdata[1]}} {labels['memories']}<extra></extra>",
                marker={
                    "size": [10 + 4 * float(np.sqrt(row["memories"])) for _, row in group],
                    "color": KIND_COLOURS.get(kind, NEUTRAL),
                },
            )
        )
    hidden = {"visible": False, "range": [-1.25, 1.25]}
    drawn.update_layout(xaxis=hidden, yaxis=hidden, height=540, hovermode="closest", margin={"t": 48, "b": 8})
    return drawn


def _matrix(entities: pl.DataFrame, links: pl.DataFrame, labels: Mapping[str, str], seed: int) -> go.Figure:
    del seed
    rows = sorted(entities.to_dicts(), key=lambda row: (-row["memories"], row["name"]))[:MOST_NAMES]
    place = {row["id"]: number for number, row in enumerate(rows)}
    cells = np.zeros((len(rows), len(rows)))
    for row in links.to_dicts():
        if row["one"] in place and row["other"] in place:
            one, other = place[row["one"]], place[row["other"]]
            cells[one, other] = cells[other, one] = row["memories"]
    names = [shown(row["name"], width=14) for row in rows]
    drawn = figure()
    drawn.add_trace(
        trace(
            "Heatmap",
            z=np.where(cells > 0, cells, np.nan),
            colorscale=[[0, "#9cc6e6"], [1, "#0b4f86"]],
            hovertemplate=f"%{{customdata[0]}} · %{{customdata[1]}}<br>%{{z}} {labels['shared']}<extra></extra>",
            customdata=np.array([[[a, b] for b in names] for a in names]),
            showscale=False,
        )
    )
    ticks = {
        "tickvals": list(range(len(rows))),
        "ticktext": names,
        "gridcolor": FAINT,
        "ticks": "",
        "automargin": True,
    }
    drawn.update_layout(
        xaxis={**ticks, "tickangle": -60, "side": "top"}, yaxis={**ticks, "autorange": "reversed"}, height=900
    )
    return drawn
