"""Where no language model is set: a server on this machine is looked for when asked, and used when chosen."""

from __future__ import annotations

import os
from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html
from echovessel.models.language import find_local
from echovessel.runtime import config
from echovessel.workbench.app.show.parts import failure, notice
from echovessel.workbench.app.views.base import DONE, QUICK, Page

SEPARATOR = "\n"


def model_part(page: Page) -> None:
    """Lay the controls out."""
    words = page.words
    with gr.Column(visible=False, elem_id="no-model") as group, gr.Row(elem_classes="actions"):
        look = gr.Button(words("model_look"), size="sm", min_width=120)
        choice = gr.Dropdown(
            [], show_label=False, container=False, visible=False, min_width=200, elem_id="model-choice"
        )
        use = gr.Button(words("model_use"), size="sm", variant="primary", min_width=90, visible=False)
    said = gr.HTML(js_on_load=None, apply_default_css=False)
    seen = [page.persona.change, page.stamp.change]
    gr.on(seen, _needed(page), page.persona, group, **QUICK)
    page.persona.change(
        lambda: (gr.Dropdown(visible=False), gr.Button(visible=False), Html("")),
        None,
        [choice, use, said],
        **QUICK,
    )
    look.click(_look(page), None, [choice, use, said], **DONE)
    use.click(_use(page), [page.persona, choice, page.stamp], [said, page.stamp], **DONE)


def _needed(page: Page) -> Any:
    def needed(name: str) -> Any:
        if not name:
            return gr.Column(visible=False)
        vessel = page.opened(name).vessel
        return gr.Column(visible=vessel.model is None and vessel.home is not None)

    return needed


def _look(page: Page) -> Any:
    async def look() -> tuple[Any, Any, Html]:
        servers = await find_local()
        offered = [
            (f"{model} · {server.name}", SEPARATOR.join((server.setting(model), server.base_url)))
            for server in servers
            for model in server.models
        ]
        if not offered:
            hidden = gr.Dropdown(visible=False), gr.Button(visible=False)
            return *hidden, notice(page.words("model_none"))
        shown = gr.Dropdown(choices=offered, value=offered[0][1], visible=True), gr.Button(visible=True)
        return *shown, Html("")

    return look


def _use(page: Page) -> Any:
    def use(name: str, choice: str, stamp: int) -> tuple[Html, int]:
        vessel = page.opened(name).vessel
        main, _, address = (choice or "").partition(SEPARATOR)
        try:
            assert vessel.home is not None
            config.save(vessel.home, {"model.main": main, "model.base_url": address})
            vessel.reload()
        except EchoVesselError as error:
            return failure(page.words, error), stamp
        where = os.fspath(vessel.home / config.FILE)
        return notice(page.words("model_used", file=where), good=True), stamp + 1

    return use
