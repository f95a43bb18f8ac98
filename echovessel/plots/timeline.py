"""Memories along time: what happened, what took whose place, and what is still awaited."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from echovessel.plots.style import FAINT, KIND_COLOURS, NEUTRAL, figure, trace, wrapped

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

LANES = ("event", "thought", "intention", "expectation")
LABELS = {
    "event": "events",
    "thought": "thoughts",
    "intention": "promises",
    "expectation": "expectations",
    "past": "replaced",
    "today": "today",
    "empty": "No memory has a date yet.",
}
# Memories of one day stand beside each other inside their lane; after so many the places repeat.
_PLACES = 7
_SPREAD = 0.36


def timeline(
    frame: pl.DataFrame,
    *,
    today: date,
    labels: Mapping[str, str] = LABELS,
    zoom: bool = True,
    whole: bool = False,
) -> go.Figure:
    """Memories by day, a lane for each kind; the future half is shaded.

    Parameters
    ----------
    frame : polars.DataFrame
        As `Memory.events()` gives it, superseded ones included: ``id``, ``kind``, ``text``, ``impact``,
        ``occurred_from``, ``due_on``, ``known_at``, ``superseded_by``.
    today : date
        Where the past ends.
    labels : mapping
        Names of the lanes and of the line at today, for other languages.
    zoom : bool
        Whether a stretch of days can be dragged open. Without, a finger that scrolls past is not caught.
    whole : bool
        Whether all days are shown from the start. Without, the oldest tenth of the memories lies out of sight, since
        one that is decades old would leave no room for the others; a double click brings it in.

    Returns
    -------
    plotly Figure. A hollow mark is a memory that another replaced; the arrow leads to that one. The size of a mark
    grows with the strength of the impact. The last of a point's ``customdata`` is its id.
    """
    marks = _placed(frame)
    drawn = figure()
    for kind in LANES:
        for past in (False, True):
            group = [mark for mark in marks if mark["kind"] == kind and mark["past"] is past]
            if group:
                drawn.add_trace(_trace(group, kind, past, labels))
    at = {mark["id"]: mark for mark in marks}
    for mark in marks:
        follower = at.get(mark["superseded_by"])
        if follower is not None and (follower["day"], follower["y"]) != (mark["day"], mark["y"]):
            drawn.add_annotation(
                x=follower["day"],
                y=follower["y"],
                ax=mark["day"],
                ay=mark["y"],
                xref="x",
                yref="y",
                axref="x",
                ayref="y",
                text="",
                showarrow=True,
                arrowhead=3,
                arrowsize=1,
                arrowwidth=1,
                arrowcolor=NEUTRAL,
                opacity=0.7,
                standoff=6,
                startstandoff=6,
            )
    _future(drawn, marks, today, labels)
    kinds = [kind for kind in LANES if any(mark["kind"] == kind for mark in marks)]
    drawn.update_layout(
        height=120 + 90 * max(len(kinds), 1),
        xaxis={
            "type": "date",
            "gridcolor": FAINT,
            "zeroline": False,
            "range": _window(marks, today, whole=whole),
            "tickformat": "%m-%d\n%Y",
            "tickangle": 0,
            "nticks": 7,
        },
        yaxis={
            "tickvals": [LANES.index(kind) for kind in kinds],
            "ticktext": [labels[kind] for kind in kinds],
            "range": _lanes(kinds),
            "showgrid": False,
            "zeroline": False,
            "automargin": True,
            "ticks": "",
        },
        showlegend=False,
        margin={"t": 28},
        hovermode="closest",
        dragmode="zoom" if zoom else False,
    )
    if not marks:
        drawn.update_layout(xaxis={"visible": False}, yaxis={"visible": False})
        drawn.add_annotation(
            text=wrapped(labels["empty"]), showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper"
        )
    return drawn


def _placed(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Each memory with its day and its height; memories of one day and kind share out the lane."""
    used: dict[tuple[str, date], int] = {}
    marks = []
    for row in frame.to_dicts():
        if row["kind"] not in LANES:
            continue
        awaited = row["kind"] in ("intention", "expectation")
        day = (
            (row["due_on"] if awaited else None)
            or row["occurred_from"]
            or row["due_on"]
            or row["known_at"].date()
        )
        taken = used[row["kind"], day] = used.get((row["kind"], day), -1) + 1
        place = (taken + day.toordinal()) % _PLACES / (_PLACES - 1)
        y = LANES.index(row["kind"]) + (place * 2 - 1) * _SPREAD
        marks.append({**row, "day": day, "y": y, "past": row["superseded_by"] is not None})
    return marks


def _trace(group: list[dict[str, Any]], kind: str, past: bool, labels: Mapping[str, str]) -> Any:
    said = f"{labels[kind]} · {labels['past']}" if past else labels[kind]
    return trace(
        "Scatter",
        mode="markers",
        name=said,
        x=[mark["day"] for mark in group],
        y=[mark["y"] for mark in group],
        customdata=[[wrapped(mark["text"]), mark["id"]] for mark in group],
        hovertemplate=f"%{{customdata[0]}}<br><br>%{{x|%Y-%m-%d}} · {said}<extra></extra>",
        marker={
            "size": [9 + 0.9 * abs(mark["impact"]) for mark in group],
            "color": KIND_COLOURS[kind],
            "symbol": "circle-open" if past else "circle",
            "opacity": 0.9,
            "line": {"width": 2 if past else 0.5, "color": KIND_COLOURS[kind]},
        },
    )


def _future(drawn: go.Figure, marks: list[dict[str, Any]], today: date, labels: Mapping[str, str]) -> None:
    last = max([mark["day"] for mark in marks], default=today)
    end = max(last, today) + timedelta(days=3650)
    if not marks:
        return
    drawn.add_shape(
        type="rect",
        x0=today,
        x1=end,
        y0=0,
        y1=1,
        yref="paper",
        fillcolor=FAINT,
        line={"width": 0},
        layer="below",
    )
    drawn.add_shape(
        type="line", x0=today, x1=today, y0=0, y1=1, yref="paper", line={"color": NEUTRAL, "dash": "dot"}
    )
    drawn.add_annotation(
        x=today,
        y=1.0,
        yref="paper",
        yanchor="bottom",
        text=labels["today"],
        showarrow=False,
        font={"size": 12},
    )


def _window(marks: list[dict[str, Any]], today: date, *, whole: bool) -> list[date]:
    days = sorted(mark["day"] for mark in marks) or [today]
    first, last = days[0 if whole else len(days) // 10], max(days[-1], today)
    margin = timedelta(days=max(4, (last - first).days // 25))
    return [first - margin, last + margin]


def _lanes(kinds: list[str]) -> list[float]:
    """The range of the axis, first lane on top."""
    numbers = [LANES.index(kind) for kind in kinds] or [0]
    return [max(numbers) + 0.55, min(numbers) - 0.55]
