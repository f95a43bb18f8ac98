"""Who belongs with whom, where a graph would be a tangle: the most named entities in a triangle of cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from echovessel.plots.style import ENTITY_COLOURS, FAINT, NEUTRAL, figure, legend_room, shown, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

MOST_ROWS = 40
ROW = 17  # pixels
_NAME = 14  # characters
_NAME_PIXELS = 120


def entity_matrix(
    entities: pl.DataFrame, links: pl.DataFrame, *, labels: Mapping[str, str], width: int
) -> go.Figure:
    """The 40 most named entities down the diagonal, each beside its name; a cell tells what two of them share.

    Below the diagonal alone, since the other half would say the same: there the names have their room, and no
    second row of them has to be read at an angle.

    Parameters
    ----------
    entities, links, labels, width
        As for `entity_graph`.

    Returns
    -------
    plotly Figure.
    """
    rows = sorted(entities.to_dicts(), key=lambda row: (-row["memories"], row["name"]))[:MOST_ROWS]
    drawn = figure()
    drawn.add_trace(_cells(rows, links, labels))
    for kind in sorted({row["kind"] for row in rows}, key=lambda kind: (kind not in ENTITY_COLOURS, kind)):
        drawn.add_trace(_names(rows, kind, labels))
    count, height = len(rows), ROW * len(rows)
    free = max(width - 16 - _NAME_PIXELS, 80)  # the lowest name stands right of the last cell
    plain = {"visible": False, "fixedrange": True}
    drawn.update_layout(
        xaxis={**plain, "range": [-0.7, -0.7 + (count + 0.4) * (width - 16) / free]},
        yaxis={**plain, "range": [count - 0.3, -0.7]},
        height=height + legend_room(width) + 8,
        hovermode="closest",
        dragmode=False,
        margin={"l": 8, "r": 8, "t": legend_room(width), "b": 8},
    )
    drawn.add_annotation(
        text=shown(labels["most_named"].format(shown=count, count=entities.height)),
        showarrow=False,
        x=1,
        y=count * 0.08,
        xref="paper",
        xanchor="right",
        yanchor="top",
        font={"size": 12},
    )
    return drawn


def _cells(rows: list[dict[str, Any]], links: pl.DataFrame, labels: Mapping[str, str]) -> Any:
    place = {row["id"]: number for number, row in enumerate(rows)}
    count = len(rows)
    cells = np.where(np.tri(count, k=-1, dtype=bool), 0.0, np.nan)
    for link in links.to_dicts():
        if link["one"] in place and link["other"] in place:
            right, down = sorted((place[link["one"]], place[link["other"]]))
            cells[down, right] = link["memories"]
    names = [shown(row["name"], width=30) for row in rows]
    most = np.nanmax(cells, initial=1.0)
    return trace(
        "Heatmap",
        z=cells,
        zmin=0,
        zmax=most,
        # What two share nothing stays a faint cell, so that rows can be followed.
        colorscale=[[0, FAINT], [0.5 / most, FAINT], [0.5 / most, "#9cc6e6"], [1, "#0b4f86"]],
        xgap=1,
        ygap=1,
        customdata=[
            [[down, right, row["id"]] for right in names] for down, row in zip(names, rows, strict=True)
        ],
        hovertemplate=f"%{{customdata[0]}} · %{{customdata[1]}}<br>%{{z}} {labels['shared']}<extra></extra>",
        hoverongaps=False,
        showscale=False,
    )


def _names(rows: list[dict[str, Any]], kind: str, labels: Mapping[str, str]) -> Any:
    group = [(number, row) for number, row in enumerate(rows) if row["kind"] == kind]
    at = [number for number, _ in group]
    return trace(
        "Scatter",
        mode="markers+text",
        name=shown(labels.get(kind, kind) or labels["other"]),
        x=at,
        y=at,
        text=[f" {shown(row['name'], width=_NAME)}" for _, row in group],
        textposition="middle right",
        textfont={"size": 12},
        cliponaxis=False,
        customdata=[[shown(row["name"], width=60), row["memories"], row["id"]] for _, row in group],
        hovertemplate=f"%{{customdata[0]}}<br>%{{customdata[1]}} {labels['memories']}<extra></extra>",
        marker={"size": 9, "symbol": "square", "color": ENTITY_COLOURS.get(kind, NEUTRAL)},
    )
