"""The Memory view: browse, look at one memory, and mend it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html
from echovessel.workbench.app.show.browse import (
    KINDS,
    NODES,
    ORDERS,
    PAGE,
    STATES,
    Wanted,
    entity_choices,
    listed,
)
from echovessel.workbench.app.show.detail import detail
from echovessel.workbench.app.show.parts import failure
from echovessel.workbench.app.views.base import QUICK, Page, act_of, panel
from echovessel.workbench.app.views.mend import mend_part

SHOW = "() => window.evShow(document.querySelector('#detail'))"
LAYERS = {
    "L2": ("message",),
    "L3": ("event",),
    "L4": ("thought", "intention", "expectation"),
}


def memory_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_memory"), id="memory"):
        with gr.Row(elem_classes="filters"):
            text = gr.Textbox(
                label=words("search"), placeholder=words("search_hint"), max_lines=1, scale=3, min_width=200
            )
            entity = gr.Dropdown(
                [(words("all_entities"), "")], value="", label=words("entity"), scale=2, min_width=140
            )
            state = gr.Dropdown(
                [(words(f"status_{name}"), name) for name in STATES],
                value=STATES[0],
                label=words("state"),
                min_width=110,
            )
            order = gr.Dropdown(
                [(words(f"order_{name}"), name) for name in ORDERS],
                value=ORDERS[0],
                label=words("order"),
                min_width=110,
            )
        with gr.Row(elem_classes="filters kinds"):
            kinds = gr.CheckboxGroup(
                [(words(f"kind_{kind}"), kind) for kind in KINDS],
                value=list(NODES),
                show_label=False,
                container=False,
                scale=4,
                elem_classes="plain",
            )
            past = gr.Checkbox(
                False, label=words("past"), container=False, min_width=150, elem_classes="plain"
            )
        shown = gr.Number(PAGE, precision=0, visible="hidden")
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=5, min_width=300):
                cards = panel(elem_id="cards")
            with gr.Column(scale=6, min_width=300, elem_classes="aside"):
                whole = panel(elem_id="detail")
                mend_part(page)
    filters: list[Any] = [text, kinds, entity, state, past, order]
    inputs = [page.persona, *filters, shown, page.chosen]
    moved = [part.change for part in [page.persona, page.stamp, *filters, shown, page.chosen]]
    # One listener for all of them: the list of an older state can't overtake that of a newer one.
    gr.on(moved, _listing(page), inputs, cards, **QUICK)
    gr.on([part.change for part in filters], lambda: PAGE, None, shown, **QUICK)
    cards.click(_more, shown, shown, **QUICK)
    page.layer.change(_layer, page.layer, [kinds, page.layer], **QUICK)
    page.persona.change(_entities(page), page.persona, entity, **QUICK)
    looked = [page.persona.change, page.stamp.change, page.chosen.change]
    gr.on(looked, _full(page), [page.persona, page.chosen], whole, **QUICK)
    whole.change(None, js=SHOW)
    page.listen(cards)
    page.listen(whole)


def _listing(page: Page) -> Any:
    def listing(
        name: str,
        text: str,
        kinds: list[str],
        entity: str,
        state: str,
        past: bool,
        order: str,
        shown: int,
        chosen: str,
    ) -> Html:
        wanted = Wanted(text or "", tuple(kinds), entity or "", state, past, order, shown)
        try:
            return listed(page.opened(name), page.words, wanted, chosen=chosen)
        except EchoVesselError as error:
            return failure(page.words, error)

    return listing


def _full(page: Page) -> Any:
    def full(name: str, chosen: str) -> Html:
        try:
            return detail(page.opened(name), page.words, chosen)
        except EchoVesselError as error:
            return failure(page.words, error)

    return full


def _entities(page: Page) -> Any:
    """The names to filter by, for a memory that has just been taken up."""
    return lambda name: gr.Dropdown(choices=entity_choices(page.opened(name), page.words), value="")


def _more(shown: int, event: gr.EventData) -> int:
    return shown + PAGE if act_of(event)[0] == "more" else shown


def _layer(layer: str) -> tuple[Any, Any]:
    """The kinds of a layer; the wish is fulfilled, so that the same one can be made again."""
    return (list(LAYERS[layer]), "") if layer in LAYERS else (gr.skip(), gr.skip())
