"""Below a memory that is looked at: correct, pin, replace, forget, undo."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError, InputError
from echovessel.markup import Html
from echovessel.memory.records import Message, Node, RelationalTag
from echovessel.workbench.app import actions
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.detail import look_up
from echovessel.workbench.app.show.forgetting import forgetting
from echovessel.workbench.app.show.parts import failure, notice
from echovessel.workbench.app.views.base import DONE, QUICK, Page, undoing

TAGS = tuple(RelationalTag)


def mend_part(page: Page) -> None:
    """Lay the controls out."""
    words = page.words
    with gr.Column(visible=False, elem_id="mend") as group:
        with gr.Row(elem_classes="actions"):
            pin = gr.Button(words("pin"), size="sm", min_width=90)
            undo = gr.Button(words("undo"), size="sm", min_width=90, visible=False)
        with gr.Accordion(words("edit"), open=False):
            text = gr.Textbox(label=words("text"), lines=3, max_lines=12)
            with gr.Row(visible=True) as only_nodes:
                impact = gr.Slider(-10, 10, 0, step=0.5, label=words("impact"), buttons=[], min_width=160)
                since = gr.Textbox(label=words("from"), placeholder="2026-03-02", max_lines=1, min_width=110)
                until = gr.Textbox(label=words("to"), placeholder="2026-03-02", max_lines=1, min_width=110)
            tags = gr.Dropdown(
                [(words(f"tag_{tag.replace('-', '_')}"), str(tag)) for tag in TAGS],
                multiselect=True,
                label=words("tags"),
            )
            save = gr.Button(words("save"), size="sm", variant="primary")
        with gr.Accordion(words("replace"), open=False) as replacing:
            fact = gr.Textbox(label=words("now_true"), info=words("now_true_info"), lines=2, max_lines=8)
            swap = gr.Button(words("replace_do"), size="sm", variant="primary")
        with gr.Accordion(words("forget"), open=False):
            whole = gr.Radio(
                [(words("this_message"), "message"), (words("this_session"), "session")],
                value="message",
                label=words("what"),
                elem_classes="plain",
            )
            derived = gr.Radio(
                [(words("derived_drop"), "drop"), (words("derived_keep"), "keep")],
                value="drop",
                label=words("derived"),
                elem_classes="plain",
            )
            ask = gr.Button(words("dry_run"), size="sm")
            told = gr.HTML(js_on_load=None, apply_default_css=False)
            sure = gr.Button(words("forget_do"), size="sm", variant="stop", visible=False)
    said = page.said.render()  # type: ignore[no-untyped-call]

    at = [page.persona, page.chosen]
    fields = [
        group,
        pin,
        undo,
        text,
        impact,
        since,
        until,
        tags,
        only_nodes,
        replacing,
        whole,
        fact,
        told,
        sure,
    ]
    gr.on([page.chosen.change, page.stamp.change], _filled(page), at, fields, **QUICK)
    edit = [*at, page.stamp, text, impact, since, until, tags]
    done = [page.stamp, said]
    save.click(_does(page, _edit, "done_edit"), edit, done, **DONE)
    pin.click(_does(page, _pin, "done_pin"), [*at, page.stamp], done, **DONE)
    swap.click(_replacing(page), [*at, page.stamp, fact], [*done, page.chosen], **DONE)
    undo.click(undoing(page), [page.persona, page.stamp], done, **DONE)
    ask.click(_planning(page), [*at, whole, derived], [told, sure], **DONE)
    gr.on(
        [whole.input, derived.input],
        lambda: (Html(""), gr.Button(visible=False)),
        None,
        [told, sure],
        **QUICK,
    )
    sure.click(_forgetting(page), [*at, page.stamp, whole, derived], [*done, page.chosen], **DONE)


def _filled(page: Page) -> Any:
    """The controls as they stand for the memory that is looked at."""
    words = page.words

    def filled(name: str, item: str) -> list[Any]:
        opened = page.opened(name)
        found = look_up(opened, item) if item else None
        node = found if isinstance(found, Node) else None
        usable = node is not None or (isinstance(found, Message) and found.deleted_at is None)
        return [
            gr.Column(visible=usable),
            gr.Button(
                words("unpin" if node is not None and node.pinned else "pin"), visible=node is not None
            ),
            gr.Button(visible=bool(opened.steps)),
            found.text if found is not None else "",
            node.impact if node is not None else 0,
            _written(node.occurred_from) if node is not None else "",
            _written(node.occurred_to) if node is not None else "",
            gr.Dropdown(
                value=[str(tag) for tag in node.tags] if node is not None else [], visible=node is not None
            ),
            gr.Row(visible=node is not None),
            gr.Accordion(visible=node is not None and node.superseded_at is None),
            gr.Radio(value="message", visible=node is None),
            "",
            Html(""),
            gr.Button(visible=False),
        ]

    return filled


def _does(page: Page, action: Callable[..., None], said: str) -> Any:
    """An action on the memory that is looked at; its end in one sentence, and a new stamp."""

    def does(name: str, item: str, stamp: int, *given: Any) -> tuple[int, Html]:
        try:
            action(page.opened(name), item, *given)
        except EchoVesselError as error:
            return stamp, failure(page.words, error)
        return stamp + 1, notice(page.words(said), good=True)

    return does


def _edit(
    opened: Opened, item: str, text: str, impact: float, since: str, until: str, tags: list[str]
) -> None:
    if isinstance(look_up(opened, item), Message):
        actions.edit_message(opened, item, text)
        return
    first, last = _day(since), _day(until)
    actions.edit_node(
        opened, item, text=text, impact=float(impact), tags=tags, occurred_from=first, occurred_to=last
    )


def _pin(opened: Opened, item: str) -> None:
    actions.pin(opened, item)


def _replacing(page: Page) -> Any:
    def replacing(name: str, item: str, stamp: int, fact: str) -> tuple[int, Html, Any]:
        try:
            new = actions.replace(page.opened(name), item, fact)
        except EchoVesselError as error:
            return stamp, failure(page.words, error), gr.skip()
        return stamp + 1, notice(page.words("done_replace"), good=True), new.id

    return replacing


def _planning(page: Page) -> Any:
    def planning(name: str, item: str, whole: str, derived: actions.Derived) -> tuple[Html, Any]:
        opened = page.opened(name)
        try:
            target = _target(opened, item, whole)
            told = actions.plan(opened, target, derived=derived)
        except EchoVesselError as error:
            return failure(page.words, error), gr.Button(visible=False)
        return forgetting(opened, page.words, told, keep=derived == "keep"), gr.Button(visible=True)

    return planning


def _forgetting(page: Page) -> Any:
    def going(
        name: str, item: str, stamp: int, whole: str, derived: actions.Derived
    ) -> tuple[int, Html, Any]:
        opened = page.opened(name)
        try:
            done = actions.forget(opened, _target(opened, item, whole), derived=derived)
        except EchoVesselError as error:
            return stamp, failure(page.words, error), gr.skip()
        count = sum(done.counts.get(table, 0) for table in ("messages", "nodes"))
        return stamp + 1, notice(page.words("done_forget", count=count), good=True), ""

    return going


def _target(opened: Opened, item: str, whole: str) -> Any:
    found = look_up(opened, item)
    if found is None:
        raise InputError("this memory is gone already. Choose another one on the left.")
    return actions.target_of(found, session=whole == "session")


def _day(text: str | None) -> date | None:
    if not (text or "").strip():
        return None
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError as error:
        raise InputError(f"{str(text).strip()[:40]!r} is no date. Write it as 2026-03-02.") from error


def _written(day: date | None) -> str:
    return "" if day is None else day.isoformat()
