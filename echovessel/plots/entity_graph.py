"""Who belongs with whom: entities that share memories, as a graph, or as a matrix where they are many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from echovessel.plots.entity_matrix import entity_matrix
from echovessel.plots.layout import force_layout
from echovessel.plots.naming import sides_of_names
from echovessel.plots.style import ENTITY_COLOURS, NEUTRAL, figure, legend_room, shown, trace

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

MOST_IN_A_GRAPH = 200
HEIGHT = 540
BOTTOM, SIDE = 8, 16  # margins
REACH = 1.25  # points stand within -1..1
LABELS = {
    **{kind: kind for kind in ENTITY_COLOURS},
    "other": "other",
    "memories": "memories",
    "shared": "shared memories",
    "most_named": "the {shown} most named of {count}",
    "empty": "Nobody is known by name yet.",
}


def entity_graph(
    entities: pl.DataFrame,
    links: pl.DataFrame,
    *,
    labels: Mapping[str, str] = LABELS,
    width: int = 640,
    seed: int = 0,
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
    width : int
        About how many pixels wide it will be shown. A name that would touch another is left out, and shown
        when its point is pointed at.
    seed : int
        Of the layout.

    Returns
    -------
    plotly Figure: a graph, or above 200 entities a matrix of the 40 most named ones. The last of a point's
    ``customdata`` is its id.
    """
    if entities.is_empty():
        drawn = figure()
        drawn.update_layout(xaxis={"visible": False}, yaxis={"visible": False}, height=220)
        drawn.add_annotation(text=labels["empty"], showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper")
        return drawn
    if entities.height > MOST_IN_A_GRAPH:
        return entity_matrix(entities, links, labels=labels, width=width)
    return _graph(entities, links, labels, width, seed)


def _graph(
    entities: pl.DataFrame, links: pl.DataFrame, labels: Mapping[str, str], width: int, seed: int
) -> go.Figure:
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
    for kind in sorted({row["kind"] for row in rows}, key=lambda kind: (kind not in ENTITY_COLOURS, kind)):
        group = [(number, row) for number, row in enumerate(rows) if row["kind"] == kind]
        drawn.add_trace(
            trace(
                "Scatter",
                mode="markers",
                name=shown(labels.get(kind, kind) or labels["other"]),
                x=[at[number, 0] for number, _ in group],
                y=[at[number, 1] for number, _ in group],
                customdata=[[shown(row["name"], width=60), row["memories"], row["id"]] for _, row in group],
                hovertemplate=f"%{{customdata[0]}}<br>%{{customdata[1]}} {labels['memories']}<extra></extra>",
                marker={
                    "size": [_size(row) for _, row in group],
                    "color": ENTITY_COLOURS.get(kind, NEUTRAL),
                },
            )
        )
    sides = _sides(rows, at, width)
    named = [(number, row) for number, row in enumerate(rows) if row["id"] in sides]
    drawn.add_trace(
        trace(
            "Scatter",
            mode="markers+text",  # last, so that no point covers a name; its own points only keep names off
            marker={"size": [_size(row) for _, row in named], "opacity": 0},
            x=[at[number, 0] for number, _ in named],
            y=[at[number, 1] for number, _ in named],
            text=[_name(row) for _, row in named],
            textposition=[sides[row["id"]] for _, row in named],
            cliponaxis=False,
            hoverinfo="skip",
            showlegend=False,
        )
    )
    hidden = {"visible": False, "range": [-REACH, REACH]}
    margin = {"t": legend_room(width), "b": BOTTOM, "l": SIDE, "r": SIDE}
    drawn.update_layout(
        xaxis=hidden, yaxis=hidden, height=HEIGHT, hovermode="closest", margin=margin, dragmode=False
    )
    return drawn


def _size(row: Mapping[str, Any]) -> float:
    return 10 + 4 * float(np.sqrt(row["memories"]))


def _name(row: Mapping[str, Any]) -> str:
    return shown(row["name"], width=14)


def _sides(rows: list[dict[str, Any]], at: NDArray[np.float64], width: int) -> dict[str, str]:
    """Where the names stand that have room, by id; the most named come first."""
    order = sorted(range(len(rows)), key=lambda number: -rows[number]["memories"])
    top = legend_room(width)
    wide, high = width - 2 * SIDE, HEIGHT - top - BOTTOM
    pixels = np.column_stack(
        (SIDE + (at[:, 0] + REACH) / (2 * REACH) * wide, top + (REACH - at[:, 1]) / (2 * REACH) * high)
    )
    sides = sides_of_names(
        [_name(rows[number]) for number in order],
        pixels[order],
        [_size(rows[number]) / 2 + 1 for number in order],
        width=width,
        height=HEIGHT,
    )
    return {rows[number]["id"]: side for number, side in zip(order, sides, strict=True) if side is not None}
