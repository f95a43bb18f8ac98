"""The Turns view: a turn drawn as a flow and stepped through, and the turns that are kept."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html
from echovessel.runtime import config
from echovessel.workbench.app.show.flow import flow
from echovessel.workbench.app.show.parts import empty, failure, notice
from echovessel.workbench.app.show.told import as_python, turn_list, turns_of
from echovessel.workbench.app.views.base import DONE, QUICK, Page, act_of, panel


def turns_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_turns"), id="turns"):
        step = gr.Number(0, precision=0, visible="hidden")
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=4, min_width=260):
                listed = panel(elem_id="turn-list")
                keep = gr.Checkbox(
                    False,
                    label=words("keep_turns"),
                    info=words("keep_turns_info"),
                    visible=False,
                    container=False,
                    elem_classes="plain",
                )
                said = gr.HTML(js_on_load=None, apply_default_css=False)
                code = panel()
            with gr.Column(scale=8, min_width=300):
                picture = panel(elem_id="flow")
    moved = [part.change for part in (page.persona, page.stamp, page.turn, step)]
    gr.on(moved, _shown(page), [page.persona, page.turn, step], [listed, picture, keep, code], **QUICK)
    listed.click(_chosen, None, [page.turn, step], **QUICK)
    picture.click(_stepped, step, step, **QUICK)
    page.persona.change(lambda: ("", 0, Html("")), None, [page.turn, step, said], **QUICK)
    keep.input(_keeping(page), [page.persona, keep], [said, code], **DONE)
    page.listen(picture)


def _shown(page: Page) -> Any:
    words = page.words

    def shown(name: str, turn: str, step: int) -> tuple[Any, ...]:
        hidden = gr.Checkbox(visible=False)
        if not name:
            return empty(words, "turns_empty"), Html(""), hidden, Html("")
        try:
            opened = page.opened(name)
            told = turns_of(opened)
            chosen = next((one for one in told if one.id == turn), told[0] if told else None)
            picture = flow(opened, words, chosen, int(step)) if chosen else empty(words, "flow_empty")
            rows = turn_list(opened, words, told, chosen.id if chosen else "")
        except EchoVesselError as error:
            return failure(page.words, error), Html(""), hidden, Html("")
        vessel = opened.vessel
        kept = gr.Checkbox(value=vessel.config.server.traces, visible=vessel.home is not None)
        return rows, picture, kept, as_python(words, opened) if vessel.config.server.traces else Html("")

    return shown


def _chosen(event: gr.EventData) -> tuple[Any, Any]:
    does, target = act_of(event)
    return (target, 0) if does == "turn" else (gr.skip(), gr.skip())


def _stepped(step: int, event: gr.EventData) -> int:
    does, target = act_of(event)
    return int(target) if does == "step" else step


def _keeping(page: Page) -> Any:
    def keeping(name: str, keep: bool) -> tuple[Html, Any]:
        opened = page.opened(name)
        vessel = opened.vessel
        try:
            assert vessel.home is not None
            config.save(vessel.home, {"server.traces": keep})
            vessel.reload()
        except EchoVesselError as error:
            return failure(page.words, error), gr.skip()
        said = notice(page.words("keeping_on" if keep else "keeping_off"), good=True)
        return said, as_python(page.words, opened) if keep else Html("")

    return keeping
