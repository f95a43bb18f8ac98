"""The Timeline: memories by day, what replaced what, and what is awaited."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.markup import Html, el
from echovessel.memory.frames import nodes
from echovessel.plots.timeline import LANES, timeline
from echovessel.workbench.app.show.ahead import ahead
from echovessel.workbench.app.views.base import NARROW, QUICK, WIDTH, Page, panel, told


def timeline_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_timeline"), id="timeline"):
        gr.HTML(_legend(page), js_on_load=None, apply_default_css=False)
        whole = gr.Checkbox(False, label=words("all_days"), container=False, elem_classes="plain")
        drawn = gr.Plot(show_label=False, container=False, elem_id="timeline-plot", buttons=[])
        waiting = panel(elem_id="ahead")
        wide = gr.Number(0, visible="hidden")
    gr.on(
        [page.persona.change, page.stamp.change, whole.change],
        _shown(page),
        [page.persona, wide, whole],
        [drawn, waiting],
        js=WIDTH,
        **QUICK,
    )
    page.listen(waiting)


def _legend(page: Page) -> Html:
    between = " " if page.words.language == "en" else ""
    zoom = el("span", page.words("timeline_zoom"), class_="wide-only")
    said = (page.words("timeline_legend"), between, zoom)
    return el("p", *said, class_="muted legend")


def _shown(page: Page) -> Any:
    labels = {
        **{lane: page.words(f"lane_{lane}") for lane in LANES},
        "past": page.words("badge_superseded"),
        "today": page.words("today"),
        "empty": page.words("empty_timeline"),
    }
    waiting = told(ahead)

    def shown(name: str, wide: float, whole: bool) -> tuple[Any, Html]:
        opened = page.opened(name)
        frame = nodes(opened.memory.nodes.list(include_superseded=True))
        drawn = timeline(frame, today=opened.today, labels=labels, zoom=not 0 < wide < NARROW, whole=whole)
        return drawn, waiting(opened, page.words)

    return shown
