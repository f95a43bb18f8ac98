"""The New view: write a persona with its prompt beside it, load a sample, or import."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el
from echovessel.samples.load import SAMPLES, sample_named
from echovessel.workbench.app import onboarding
from echovessel.workbench.app.onboarding import Draft
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import failure, working
from echovessel.workbench.app.views.base import DONE, QUICK, Page

FIELDS = ("persona", "self", "style", "about_user", "relationship")


def onboarding_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_start"), id="start"):
        gr.HTML(_about(words("start_title"), words("start_about")), js_on_load=None, apply_default_css=False)
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=6, min_width=300, elem_id="draft"):
                gr.HTML(
                    _about(words("write_title"), words("write_about"), _where(page)),
                    js_on_load=None,
                    apply_default_css=False,
                )
                with gr.Row():
                    name = gr.Textbox(
                        label=words("new_name"),
                        placeholder=words("new_name_hint"),
                        max_lines=1,
                        min_width=140,
                    )
                    user = gr.Textbox(
                        label=words("new_user"),
                        placeholder=words("new_user_hint"),
                        max_lines=1,
                        min_width=140,
                    )
                texts = [
                    gr.Textbox(
                        label=words(f"new_{field}"),
                        placeholder=words(f"new_{field}_hint"),
                        lines=4 if field == "persona" else 2,
                        max_lines=12,
                    )
                    for field in FIELDS
                ]
                make = gr.Button(words("new_make"), variant="primary", elem_id="make")
                said = gr.HTML(js_on_load=None, apply_default_css=False, elem_id="new-said")
            with gr.Column(scale=6, min_width=300, elem_classes="aside"):
                shown = gr.HTML(
                    _prompt(page)(*[""] * 7), js_on_load=None, apply_default_css=False, elem_id="preview"
                )
        with gr.Row(elem_classes="split others"):
            with gr.Column(scale=6, min_width=300, elem_classes="card"):
                gr.HTML(
                    _about(words("sample_title"), words("sample_about")),
                    js_on_load=None,
                    apply_default_css=False,
                )
                with gr.Row(elem_classes="actions"):
                    samples = [
                        gr.Button(sample_named(one).persona.name, size="sm", min_width=110) for one in SAMPLES
                    ]
            with gr.Column(scale=6, min_width=300, elem_classes="card"):
                gr.HTML(
                    _about(words("import_title"), words("import_about")),
                    js_on_load=None,
                    apply_default_css=False,
                )
                with gr.Row(elem_classes="actions"):
                    archive = gr.Button(words("import_do"), size="sm", min_width=110, elem_id="to-distil")
                    load = gr.Button(words("import_load"), size="sm", min_width=110)
    fields = [name, user, *texts]
    gr.on([field.change for field in fields], _prompt(page), fields, shown, **QUICK)
    done = [page.persona, page.tabs, said]
    making = DONE | {"show_progress": "hidden"}
    make.click(_making(page), fields, [*done, *fields], **making)
    for button, one in zip(samples, SAMPLES, strict=True):
        button.click(_sampling(page, one), None, done, **making)
    archive.click(lambda: gr.Tabs(selected="distil"), None, page.tabs, **QUICK)
    load.click(lambda: gr.Tabs(selected="load"), None, page.tabs, **QUICK)


def _about(title: str, said: str, more: str = "") -> Html:
    return el(
        "div", el("h2", title), el("p", said), el("p", more, class_="hint") if more else None, class_="about"
    )


def _where(page: Page) -> str:
    """Where a persona that is written here goes."""
    home = page.shelf.home
    return page.words("stays_nowhere") if home is None else page.words("stays_in", folder=home)


def _draft(name: str, user: str, *texts: str) -> Draft:
    return Draft(name or "", user or "", *(text or "" for text in texts))


def _prompt(page: Page) -> Callable[..., Html]:
    words = page.words

    def prompt(*typed: str) -> Html:
        draft = _draft(*typed)
        named = draft if draft.name.strip() else _draft(words("new_nameless"), *typed[1:])
        try:
            made = onboarding.preview(named, page.shelf.embedder(), words("greeting"))
        except EchoVesselError as error:
            return failure(page.words, error)
        about = words("ledger_of", tokens=f"{made.tokens:,}", budget=f"{made.budget:,}")
        return el(
            "section",
            el("header", el("h3", words("preview_title")), el("small", about)),
            el("p", words("preview_about"), class_="hint"),
            el("pre", made.system, class_="prompt", tabindex="0"),
            class_="card side",
        )

    return prompt


def _making(page: Page) -> Any:
    def making(*typed: str) -> Iterator[tuple[Any, ...]]:
        kept = (gr.skip(),) * len(typed)
        for told in _put(page, lambda: onboarding.write(_draft(*typed), page.shelf)):
            yield *told, *(kept if told[0] == gr.skip() else ("",) * len(typed))

    return making


def _sampling(page: Page, name: str) -> Any:
    def sampling() -> Iterator[tuple[Any, Any, Html]]:
        yield from _put(page, lambda: onboarding.sample(name, page.shelf))

    return sampling


def _put(page: Page, make: Callable[[], Opened]) -> Iterator[tuple[Any, Any, Html]]:
    """A new memory on the shelf, taken up in Talk; first that it is being made."""
    yield gr.skip(), gr.skip(), working(page.words, "making")
    try:
        name = page.shelf.add(make())
    except EchoVesselError as error:
        yield gr.skip(), gr.skip(), failure(page.words, error)
        return
    yield gr.Dropdown(choices=page.shelf.names(), value=name), gr.Tabs(selected="talk"), Html("")
