"""The Costs view: what the models cost, and what the persona thought and was refused."""

from __future__ import annotations

import gradio as gr

from echovessel.markup import Html
from echovessel.workbench.app.show.costs import costs, thinking
from echovessel.workbench.app.views.base import QUICK, Page, panel, told


def costs_view(page: Page) -> None:
    """Lay the view out."""
    with gr.Tab(page.words("tab_costs"), id="costs"), gr.Row(elem_classes="split"):
        with gr.Column(scale=6, min_width=300):
            purse = panel(elem_id="costs")
        with gr.Column(scale=6, min_width=300):
            audit = panel(elem_id="thinking")

    def shown(name: str) -> tuple[Html, Html]:
        if not name:
            return Html(""), Html("")
        opened = page.opened(name)
        return told(costs)(opened, page.words), told(thinking)(opened, page.words)

    gr.on([page.persona.change, page.stamp.change], shown, page.persona, [purse, audit], **QUICK)
    page.listen(audit)
