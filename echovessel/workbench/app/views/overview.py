"""The Overview: the six layers, and what each holds."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.markup import Html
from echovessel.workbench.app.show.layers import LAYERS, layer, vessel
from echovessel.workbench.app.views.base import QUICK, Page, act_of, panel, told


def overview(page: Page) -> None:
    """Lay the view out."""
    with gr.Tab(page.words("tab_overview"), id="overview"):
        look = gr.Textbox(LAYERS[0], visible="hidden")
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=5, min_width=300):
                picture = panel(elem_id="vessel")
            with gr.Column(scale=6, min_width=300):
                held = panel(elem_id="layer")
    shown = _shown(page)
    gr.on(
        [page.persona.change, page.stamp.change, look.change],
        shown,
        [page.persona, look],
        [picture, held],
        **QUICK,
    )
    picture.click(_look, look, look, **QUICK)
    page.listen(held)


def _shown(page: Page) -> Any:
    picture, inside = told(vessel), told(layer)

    def shown(name: str, look: str) -> tuple[Html, Html]:
        opened = page.opened(name)
        return picture(opened, page.words, chosen=look), inside(opened, page.words, look)

    return shown


def _look(now: str, event: gr.EventData) -> str:
    does, target = act_of(event)
    return target if does == "look" and target in LAYERS else now
