"""What each factor adds to each hit of a recall, as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from echovessel.plots.style import FACTOR_COLOURS, FAINT, figure, shown, trace, wrapped

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

LABELS = {
    "recency": "recency",
    "relevance": "relevance",
    "impact": "impact",
    "relational_bonus": "relational bonus",
    "entity_anchor": "entity anchor",
    "score": "score",
}
_TEXT_WIDTH = 36
_ROW_HEIGHT = 34


def contributions(frame: pl.DataFrame, *, query: str = "", labels: Mapping[str, str] = LABELS) -> go.Figure:
    """One bar a hit, best on top, one segment a factor.

    Parameters
    ----------
    frame : polars.DataFrame
        As `Recall.to_polars()` gives it: ``rank``, ``text``, ``score``, and each factor with ``*_adds``.
    query : str
        The title.
    labels : mapping
        Names of the factors and of the axis, for other languages.

    Returns
    -------
    plotly Figure; without hits it says so.
    """
    drawn = figure()
    rows = frame.to_dicts()
    places = [str(row["rank"]) for row in rows]
    for factor, colour in FACTOR_COLOURS.items():
        drawn.add_trace(
            trace(
                "Bar",
                orientation="h",
                name=labels[factor],
                y=places,
                x=[row[f"{factor}_adds"] for row in rows],
                marker={"color": colour},
                customdata=[[wrapped(row["text"]), row[factor], row["score"]] for row in rows],
                hovertemplate=f"%{{customdata[0]}}<br><br>{labels[factor]} +%{{x:.2f}} (%{{customdata[1]:.2f}})"
                f"<br>{labels['score']} %{{customdata[2]:.2f}}<extra></extra>",
            )
        )
    names = [f"{row['rank']}  {shown(row['text'], width=_TEXT_WIDTH)}" for row in rows]
    drawn.update_layout(
        barmode="stack",
        bargap=0.35,
        height=140 + _ROW_HEIGHT * max(len(rows), 1),
        title={
            "text": shown(query, width=80),
            "x": 0,
            "xanchor": "left",
            "xref": "paper",
            "font": {"size": 15},
        },
        legend={"traceorder": "normal", "y": 1.0},
        margin={"t": 88},
        xaxis={"title": {"text": labels["score"]}, "gridcolor": FAINT, "zeroline": False},
        yaxis={
            "type": "category",
            "autorange": "reversed",
            "tickvals": places,
            "ticktext": names,
            "automargin": True,
            "ticks": "",
        },
    )
    if not rows:
        drawn.update_layout(xaxis={"visible": False}, yaxis={"visible": False})
        drawn.add_annotation(
            text="Nothing in memory bears on this.", showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper"
        )
    return drawn
