"""The Load view: a labelled file, put beside the samples."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el
from echovessel.workbench.app import loading
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import failure, notice, working
from echovessel.workbench.app.views.base import DONE, Page


def load_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_load"), id="load"), gr.Column(elem_classes="narrow"):
        gr.HTML(_intro(page), js_on_load=None, apply_default_css=False)
        with gr.Row(elem_classes="filters"):
            path = gr.Textbox(
                label=words("path"), placeholder=words("path_hint"), max_lines=1, scale=5, elem_id="path"
            )
            read = gr.Button(words("read"), scale=1, min_width=110, variant="primary")
        upload = gr.UploadButton(words("upload"), file_types=[".json"], size="sm", elem_id="upload")
        said = gr.HTML(js_on_load=None, apply_default_css=False, elem_id="load-said")
        with gr.Column(visible=False) as second:
            talk = gr.Dropdown([], label=words("which_talk"))
            start = gr.Button(words("load_talk"), variant="primary")
        file = gr.State("")  # inside the tab: Gradio counts whatever stands beside tabs as one
    reading = _reading(page)
    outputs = [file, second, talk, said]
    again = DONE | {
        "trigger_mode": "always_last"
    }  # reading changes nothing, and a mended path is read at once
    gr.on([read.click, path.submit], reading, path, outputs, **again)
    upload.upload(reading, upload, outputs, **again)
    start.click(
        _loading(page),
        [file, talk],
        [page.persona, page.tabs, said],
        **(DONE | {"show_progress": "hidden"}),
    )


def _intro(page: Page) -> Html:
    return el("div", el("h2", page.words("load_title")), el("p", page.words("load_about")), class_="about")


def _reading(page: Page) -> Any:
    words = page.words

    def reading(path: str) -> tuple[str, Any, Any, Html]:
        try:
            offered = loading.choices(loading.read(path or ""))
        except EchoVesselError as error:
            return "", gr.Column(visible=False), gr.skip(), failure(page.words, error)
        names = [
            (
                words(
                    "talk_choice", id=one.id, turns=one.turns, memories=one.memories, questions=one.questions
                ),
                one.id,
            )
            for one in offered
        ]
        chosen = gr.Dropdown(choices=names, value=offered[0].id)
        return (
            path,
            gr.Column(visible=True),
            chosen,
            notice(words("file_read", count=len(offered)), good=True),
        )

    return reading


def _loading(page: Page) -> Any:
    same, words = gr.skip(), page.words

    def start(path: str, talk: str) -> Iterator[tuple[Any, Any, Html]]:
        yield same, same, working(words, "loading", 0.0)
        parts: SimpleQueue[float | None] = SimpleQueue()

        def load() -> Opened:
            try:
                return loading.load(loading.read(path), talk, page.shelf.embedder(), progress=parts.put)
            finally:
                parts.put(None)

        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(load)
            while (part := parts.get()) is not None:
                yield same, same, working(words, "loading", part)
        try:
            name = page.shelf.add(task.result())
        except EchoVesselError as error:
            yield same, same, failure(words, error)
            return
        yield gr.Dropdown(choices=page.shelf.names(), value=name), gr.Tabs(selected="overview"), Html("")

    return start
