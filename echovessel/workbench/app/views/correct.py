"""Under what a talk became: correct one memory, or forget it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html
from echovessel.memory.targets import Target
from echovessel.workbench.app import actions
from echovessel.workbench.app.show.forgetting import forgetting
from echovessel.workbench.app.show.parts import failure, notice
from echovessel.workbench.app.views.base import DONE, QUICK, Page, act_of


def correct_part(page: Page, became: gr.HTML) -> None:
    """Lay the controls out, for clicks inside `became`."""
    words = page.words
    item = gr.Textbox("", visible="hidden")
    with gr.Column(visible=False, elem_classes="correct") as writing:
        text = gr.Textbox(label=words("text"), lines=2, max_lines=8)
        with gr.Row(elem_classes="actions"):
            save = gr.Button(words("save"), size="sm", variant="primary", min_width=90)
            leave = gr.Button(words("leave"), size="sm", min_width=90)
    with gr.Column(visible=False, elem_classes="correct") as forgetting_:
        plan = gr.HTML(js_on_load=None, apply_default_css=False)
        with gr.Row(elem_classes="actions"):
            sure = gr.Button(words("forget_do"), size="sm", variant="stop", min_width=90)
            keep = gr.Button(words("leave"), size="sm", min_width=90)
    said = gr.HTML(js_on_load=None, apply_default_css=False)
    groups = [writing, forgetting_]
    became.click(_asked(page), page.persona, [item, text, plan, *groups, said], **QUICK)
    gr.on([leave.click, keep.click, page.persona.change], _shut, None, [*groups, said], **QUICK)
    done = [*groups, said, page.stamp]
    save.click(_save(page), [page.persona, item, text, page.stamp], done, **DONE)
    sure.click(_forget(page), [page.persona, item, page.stamp], done, **DONE)


def _asked(page: Page) -> Any:
    def asked(name: str, event: gr.EventData) -> tuple[Any, ...]:
        does, target = act_of(event)
        if does not in ("correct", "forget"):
            return (gr.skip(),) * 6
        opened = page.opened(name)
        shown, hidden = gr.Column(visible=True), gr.Column(visible=False)
        try:
            if does == "correct":
                return target, opened.memory.nodes.get(target).text, Html(""), shown, hidden, Html("")
            gone = actions.plan(opened, Target.node(target), derived="drop")
            told = forgetting(opened, page.words, gone, keep=False)
        except EchoVesselError as error:
            return "", "", Html(""), hidden, hidden, failure(page.words, error)
        return target, "", told, hidden, shown, Html("")

    return asked


def _shut() -> tuple[Any, ...]:
    return gr.Column(visible=False), gr.Column(visible=False), Html("")


def _save(page: Page) -> Any:
    def save(name: str, item: str, text: str, stamp: int) -> tuple[Any, ...]:
        opened = page.opened(name)
        try:
            node = opened.memory.nodes.get(item)
            actions.edit_node(
                opened,
                item,
                text=text,
                impact=node.impact,
                tags=[str(tag) for tag in node.tags],
                occurred_from=node.occurred_from,
                occurred_to=node.occurred_to,
            )
        except EchoVesselError as error:
            return gr.skip(), gr.skip(), failure(page.words, error), stamp
        return *_shut()[:2], notice(page.words("done_edit"), good=True), stamp + 1

    return save


def _forget(page: Page) -> Any:
    def forget(name: str, item: str, stamp: int) -> tuple[Any, ...]:
        opened = page.opened(name)
        try:
            done = actions.forget(opened, Target.node(item), derived="drop")
        except EchoVesselError as error:
            return gr.skip(), gr.skip(), failure(page.words, error), stamp
        count = sum(done.counts.get(table, 0) for table in ("messages", "nodes"))
        return *_shut()[:2], notice(page.words("done_forget", count=count), good=True), stamp + 1

    return forget
