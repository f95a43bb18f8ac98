"""Colours and layout that every figure shares; also the page's, so that a factor looks the same everywhere.

The hues are near those of Okabe and Ito (2008), moved until all keep a contrast of 3 to 1 against white paper and
against a dark screen, and are still told apart with every common colour vision.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

FACTOR_COLOURS = {
    "recency": "#c2699a",
    "relevance": "#1f78b8",
    "impact": "#c8470a",
    "relational_bonus": "#009070",
    "entity_anchor": "#bd8a00",
}
KIND_COLOURS = {
    "event": "#1f78b8",
    "thought": "#009070",
    "intention": "#bd8a00",
    "expectation": "#c2699a",
    "message": "#808894",
}
ENTITY_COLOURS = {
    "person": FACTOR_COLOURS["relevance"],
    "pet": FACTOR_COLOURS["impact"],
    "place": FACTOR_COLOURS["relational_bonus"],
    "organisation": FACTOR_COLOURS["entity_anchor"],
    "thing": FACTOR_COLOURS["recency"],
}
NEUTRAL = "#808894"  # text, axes and lines: readable on white and on black
FAINT = "rgba(128, 136, 148, 0.18)"
FONT = (
    "system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
)


def figure() -> go.Figure:
    """An empty figure without ground of its own, for light and dark.

    Raises
    ------
    MissingExtra
        plotly is not installed.
    """
    return _objects().Figure(
        layout={
            "template": "none",
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "font": {"family": FONT, "size": 13, "color": NEUTRAL},
            "margin": {"l": 16, "r": 16, "t": 48, "b": 40},
            "hoverlabel": {"font": {"family": FONT, "size": 13}, "align": "left"},
            "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "xanchor": "left"},
            "autosize": True,
        }
    )


def legend_room(width: int) -> int:
    """Pixels above a figure for a legend of five names: one line, or three of them in a narrow figure."""
    return 48 if width >= 480 else 84


def trace(kind: str, **options: Any) -> Any:
    """A trace of plotly, such as ``trace("Bar", ...)``."""
    return getattr(_objects(), kind)(**options)


def shown(value: str, *, width: int = 0) -> str:
    """Text for plotly, which reads tags: escaped, on one line, cut to `width` characters where that is given."""
    flat = " ".join(value.split())
    if width and len(flat) > width:
        flat = f"{flat[: width - 1]}…"
    return escape(flat, quote=False)


def wrapped(value: str, *, width: int = 44) -> str:
    """Text for a hover label: escaped, broken after some `width` characters, where Chinese counts double."""
    lines: list[str] = []
    line, used = "", 0.0
    for piece in _pieces(value):
        size = sum(2 if ord(character) > 0x2E7F else 1 for character in piece)
        if used + size > width and line:
            lines, line, used = [*lines, line], "", 0.0
        line, used = line + piece, used + size
    return "<br>".join(escape(part.strip(), quote=False) for part in [*lines, line])


def _pieces(value: str) -> list[str]:
    """Where a line may break: after a space, and between Chinese characters."""
    found: list[str] = []
    for character in " ".join(value.split()):
        joins = found and ord(character) <= 0x2E7F and ord(found[-1][-1]) <= 0x2E7F and found[-1][-1] != " "
        if joins:
            found[-1] += character
        else:
            found.append(character)
    return found


def _objects() -> Any:
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        from echovessel.errors import MissingExtra

        raise MissingExtra("a figure", "lab") from error
    return go
