"""The Distil view: an archive becomes a persona, step by step, with every claim to be looked at before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import gradio as gr

from echovessel.distill.consent import Kind
from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el
from echovessel.workbench.app import distilling
from echovessel.workbench.app.distilling import Archive, Wanted
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.archive import claim_label, preview_of
from echovessel.workbench.app.show.parts import empty, failure, notice, working
from echovessel.workbench.app.views.base import DONE, Page

ORDERS = ("", "day", "month")
AGAIN = DONE | {"trigger_mode": "always_last"}


def distil_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_distil"), id="distil"), gr.Column(elem_classes="narrow"):
        gr.HTML(
            el("div", el("h2", words("distil_title")), el("p", words("distil_about")), class_="about"),
            js_on_load=None,
            apply_default_css=False,
        )
        with gr.Row(elem_classes="filters"):
            path = gr.Textbox(
                label=words("archive_path"),
                placeholder=words("archive_hint"),
                max_lines=1,
                scale=5,
                elem_id="archive-path",
            )
            look = gr.Button(words("archive_read"), scale=1, min_width=110, variant="primary")
        with gr.Row(elem_classes="filters"):
            upload = gr.UploadButton(words("upload"), size="sm", elem_id="archive-upload", scale=0)
            zone = gr.Textbox(
                "UTC", label=words("archive_zone"), max_lines=1, min_width=140, elem_id="archive-zone"
            )
            order = gr.Dropdown(
                [(words(f"order_{one or 'found'}"), one) for one in ORDERS],
                value="",
                label=words("archive_order"),
                min_width=160,
            )
        shown = gr.HTML(
            empty(words, "distil_empty"), js_on_load=None, apply_default_css=False, elem_id="archive"
        )
        with gr.Column(visible=False, elem_id="who") as second:
            with gr.Column() as talkers:
                speakers = gr.Dropdown([], multiselect=True, label=words("distil_speaker"), elem_id="speaker")
                users = gr.Dropdown([], multiselect=True, label=words("distil_user"), elem_id="talker")
                hide = gr.Checkbox(False, label=words("distil_hide"))
            name = gr.Textbox(label=words("distil_name"), max_lines=1, elem_id="distil-name")
            kind = gr.Radio([(words(f"consent_{one}"), str(one)) for one in Kind], label=words("distil_kind"))
            note = gr.Textbox(
                label=words("distil_note"), placeholder=words("distil_note_hint"), elem_id="consent-note"
            )
            find = gr.Button(words("distil_find"), variant="primary", elem_id="find-claims")
        with gr.Column(visible=False, elem_id="review") as third:
            review = gr.CheckboxGroup([], label=words("distil_review"), elem_id="claims")
            make = gr.Button(words("distil_make"), variant="primary", elem_id="distil-make")
        said = gr.HTML(js_on_load=None, apply_default_css=False, elem_id="distil-said")
        archive = gr.State(None)  # inside the tab: Gradio counts whatever stands beside tabs as one
    chosen = [archive, speakers, users, name, kind, note, hide]
    found = [archive, shown, second, talkers, speakers, users, name, kind, third, said]
    gr.on([look.click, path.submit], _reading(page), [path, zone, order], found, **AGAIN)
    upload.upload(_reading(page), [upload, zone, order], found, **AGAIN)
    find.click(_finding(page), chosen, [third, review, said], **DONE)
    make.click(
        _making(page),
        [*chosen, review],
        [page.persona, page.tabs, page.stamp, said],
        **(DONE | {"show_progress": "hidden"}),
    )


def _reading(page: Page) -> Any:
    words = page.words

    def reading(path: str, zone: str, order: str) -> tuple[Any, ...]:
        off = gr.Column(visible=False)
        try:
            archive = distilling.read(path or "", zone=zone or "", date_order=order or None)
        except EchoVesselError as error:
            return (
                None,
                empty(words, "distil_empty"),
                off,
                *(gr.skip(),) * 5,
                off,
                failure(words, error),
            )
        names = [one.name for one in archive.preview.speakers if one.name] if archive.preview else []
        card = archive.card
        return (
            archive,
            preview_of(words, archive),
            gr.Column(visible=True),
            gr.Column(visible=card is None),
            gr.Dropdown(choices=names, value=[]),
            gr.Dropdown(choices=names, value=[]),
            card.nickname or card.name if card else "",
            str(Kind.FICTIONAL) if card else None,
            off,
            Html(""),
        )

    return reading


def _wanted(speakers: Sequence[str], users: Sequence[str], *rest: Any) -> Wanted:
    name, kind, note, hide = rest
    return Wanted(tuple(speakers or ()), tuple(users or ()), name or "", kind or "", note or "", bool(hide))


def _finding(page: Page) -> Any:
    words = page.words

    def finding(archive: Archive | None, *chosen: Any) -> tuple[Any, Any, Html]:
        try:
            wanted = _wanted(*chosen)
            if archive is None or archive.card is not None:
                return (
                    gr.Column(visible=archive is not None),
                    gr.CheckboxGroup(choices=[], visible=False),
                    Html(""),
                )
            found = distilling.claims(archive, wanted)
        except EchoVesselError as error:
            return gr.Column(visible=False), gr.skip(), failure(words, error)
        choices = [(claim_label(words, claim), distilling.key(claim)) for claim in found]
        return (
            gr.Column(visible=True),
            gr.CheckboxGroup(choices=choices, value=[value for _, value in choices], visible=bool(choices)),
            notice(words("distil_found", count=len(found)), good=True),
        )

    return finding


def _making(page: Page) -> Any:
    same, words = gr.skip(), page.words

    def making(archive: Archive | None, *given: Any) -> Iterator[tuple[Any, Any, Any, Html]]:
        if archive is None:
            yield same, same, same, notice(words("distil_empty"))
            return
        *chosen, accepted = given
        yield same, same, same, working(words, "distilling", 0.0)
        task: Callable[[Callable[[float], None]], Opened] = lambda progress: distilling.make(  # noqa: E731
            archive, _wanted(*chosen), page.shelf, accepted=set(accepted or ()), progress=progress
        )
        parts: SimpleQueue[float | None] = SimpleQueue()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(task, parts.put)
            running.add_done_callback(lambda _: parts.put(None))
            while (part := parts.get()) is not None:
                yield same, same, same, working(words, "distilling", part)
        try:
            opened = running.result()
        except EchoVesselError as error:
            yield same, same, same, failure(words, error)
            return
        name = opened.name if opened.name in page.shelf.names() else page.shelf.add(opened)
        picker = gr.Dropdown(choices=page.shelf.names(), value=name)
        yield picker, gr.Tabs(selected="overview"), same, notice(words("distil_done", name=name), good=True)

    return making
