"""One page: the header, the views, and what ties them together."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.markup import Html, el
from echovessel.workbench.app.shelf import Shelf
from echovessel.workbench.app.views.base import QUICK, Page
from echovessel.workbench.app.views.chat import chat_view
from echovessel.workbench.app.views.costs import costs_view
from echovessel.workbench.app.views.distil import distil_view
from echovessel.workbench.app.views.entities import entities_view
from echovessel.workbench.app.views.load import load_view
from echovessel.workbench.app.views.memory import memory_view
from echovessel.workbench.app.views.onboarding import onboarding_view
from echovessel.workbench.app.views.overview import overview
from echovessel.workbench.app.views.recall import recall_view
from echovessel.workbench.app.views.timeline import timeline_view
from echovessel.workbench.app.views.turns import turns_view
from echovessel.workbench.app.words import Words

VIEWS = (
    "talk",
    "overview",
    "recall",
    "memory",
    "entities",
    "timeline",
    "turns",
    "costs",
    "distil",
    "load",
    "start",
)


def page_of(shelf: Shelf, words: Words) -> gr.Blocks:
    """The page in one language."""
    blocks: gr.Blocks = gr.Blocks(title="EchoVessel", analytics_enabled=False, fill_width=True)
    with blocks:
        with gr.Row(elem_id="top"):
            gr.HTML(_brand(words), js_on_load=None, apply_default_css=False, elem_id="brand")
            persona = gr.Dropdown(
                shelf.names(),
                value=None,
                label=words("whose"),
                container=True,
                scale=0,
                min_width=200,
                elem_id="whose",
            )
            gr.HTML(_tools(words), js_on_load=None, apply_default_css=False, elem_id="tools")
        # Hidden boxes, since a gr.State tells nobody of its change outside the queue. Not inside the tabs: Gradio would
        # count them as tabs and show one twice.
        chosen, who, layer, turn = (gr.Textbox("", visible="hidden") for _ in range(4))
        stamp = gr.Number(0, precision=0, visible="hidden")
        with gr.Tabs(elem_id="views", selected=VIEWS[0], overflow_behavior="wrap") as tabs:
            said = gr.HTML(js_on_load=None, apply_default_css=False, elem_id="said", render=False)
            page = Page(shelf, words, persona, tabs, chosen, who, layer, turn, stamp, said)
            for view in (
                chat_view,
                overview,
                recall_view,
                memory_view,
                entities_view,
                timeline_view,
                turns_view,
                costs_view,
                distil_view,
                load_view,
                onboarding_view,
            ):
                view(page)
        blocks.load(_opening(shelf), outputs=[persona, tabs], **QUICK)
    return blocks


def _opening(shelf: Shelf) -> Any:
    def opening(request: gr.Request) -> tuple[Any, Any]:
        asked = dict(request.query_params)
        names, view = shelf.names(), asked.get("view")
        name = asked.get("whose")
        if not names:
            return gr.skip(), gr.Tabs(selected="start")
        return (
            gr.Dropdown(choices=names, value=name if name in names else names[0]),
            gr.Tabs(selected=view) if view in VIEWS else gr.skip(),
        )

    return opening


def _brand(words: Words) -> Html:
    return el(
        "div",
        el("span", "EchoVessel", class_="name"),
        el("span", words("tagline"), class_="line"),
        class_="brand",
    )


def _tools(words: Words) -> Html:
    other = "en" if words.language == "zh" else "zh"
    return el(
        "div",
        el(
            "a",
            words("other_language"),
            href=f"/{other}/",
            class_="tool",
            hreflang=other,
            lang=other,
            data_switch=True,
        ),
        el(
            "button",
            "◐",
            type="button",
            class_="tool",
            data_theme=True,
            aria_label=words("theme"),
            title=words("theme"),
        ),
        class_="tools",
    )
