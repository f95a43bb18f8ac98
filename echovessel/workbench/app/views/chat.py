"""The Talk view: the talk at the left; at the right what the reply was made from, and what the talk became."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el, join
from echovessel.runtime.turn import StepKind
from echovessel.workbench.app.show.chat import after, beside, history, live, open_talk, pending, voice
from echovessel.workbench.app.show.formed import formed
from echovessel.workbench.app.show.parts import act, failure, working
from echovessel.workbench.app.views.base import DONE, QUICK, Page, act_of, panel, told
from echovessel.workbench.app.views.correct import correct_part
from echovessel.workbench.app.views.model import model_part

BEAT = 0.06  # seconds between two sights of a reply that streams
TRIES = 4
DOWN = "() => window.evDown()"
TALKING: dict[str, Any] = {"trigger_mode": "multiple", "api_visibility": "private", "show_progress": "hidden"}


def chat_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_talk"), id="talk"), gr.Row(elem_classes="split talk"):
        with gr.Column(scale=6, min_width=300):
            line = panel(elem_id="voice")
            model_part(page)
            with gr.Column(elem_id="talk-log"):
                past = panel(elem_id="talk-past")
                now = panel(elem_id="talk-now")
            with gr.Row(elem_id="composer"):
                box = gr.Textbox(
                    label=words("say"),
                    show_label=False,
                    placeholder=words("say_hint"),
                    lines=1,
                    max_lines=6,
                    scale=1,
                    container=False,
                    elem_id="say",
                )
                send = gr.Button(words("send"), variant="primary", min_width=84, scale=0)
                stop = gr.Button(words("stop"), variant="stop", min_width=84, scale=0, visible=False)
            with gr.Row(elem_classes="under"):
                tries = panel(elem_id="talk-tries")
                end = gr.Button(words("end_talk"), size="sm", min_width=110, scale=0, elem_id="end-talk")
        with gr.Column(scale=5, min_width=300, elem_classes="aside"):
            became = panel(elem_id="became")
            correct_part(page, became)
            side = panel(elem_id="beside")
    parts = [box, past, now, side, send, stop, end, page.stamp]
    gr.on(
        [send.click, box.submit],
        _saying(page),
        [page.persona, box, page.stamp],
        parts,
        **TALKING,
        concurrency_limit=None,
    )
    stop.click(_stopping(page), page.persona, [send, stop], **QUICK)
    ending = DONE | {"show_progress": "hidden"}
    end.click(
        _ending(page), [page.persona, page.stamp], [became, end, page.stamp], **ending, concurrency_limit=None
    )
    seen = [page.persona.change, page.stamp.change]
    gr.on(seen, _seen(page), page.persona, [line, past, side, became, end], **QUICK)
    page.persona.change(_fresh(page), page.persona, [now, tries, send, stop], **QUICK)
    tries.click(_asked, box, box, **QUICK)
    gr.on([past.change, now.change], None, js=DOWN)
    for place in (past, side, became):
        page.listen(place)
    side.click(_to_turn, None, [page.tabs, page.turn], **QUICK)


def _saying(page: Page) -> Any:
    words = page.words

    async def saying(name: str, text: str, stamp: int) -> AsyncIterator[tuple[Any, ...]]:
        same, open_, shut = gr.skip(), gr.Button(visible=True), gr.Button(visible=False)
        said = (text or "").strip()
        if not said:
            yield (same,) * 8
            return
        try:
            opened = page.opened(name)
            yield "", same, pending(opened, words, said), same, shut, open_, same, same
            seen = 0.0
            async for step in opened.talk.say(opened.vessel, said):
                beat = time.monotonic()
                if step.kind is StepKind.PIECE and beat - seen < BEAT:
                    continue
                seen = beat
                aside: Any = same
                if step.kind in (StepKind.RECALLED, StepKind.PROMPTED):
                    aside = await asyncio.to_thread(beside, opened, words, step.turn)
                yield same, same, live(opened, words, step.turn), aside, same, same, same, same
        except EchoVesselError as error:
            yield said, same, failure(page.words, error), same, open_, shut, same, same
            return
        last = opened.talk.latest
        whole = await asyncio.to_thread(history, opened, words)
        aside = await asyncio.to_thread(beside, opened, words, last)
        yield same, whole, after(opened, words, last), aside, open_, shut, open_, stamp + 1

    return saying


def _stopping(page: Page) -> Any:
    # A coroutine, so that it runs in the event loop of the turn that it stops.
    async def stopping(name: str) -> tuple[Any, Any]:
        page.opened(name).talk.stop()
        return gr.Button(visible=True), gr.Button(visible=False)

    return stopping


def _ending(page: Page) -> Any:
    async def ending(name: str, stamp: int) -> AsyncIterator[tuple[Any, ...]]:
        yield working(page.words, "ending"), gr.Button(visible=False), stamp
        try:
            opened = page.opened(name)
            await opened.talk.end(opened.vessel)
        except EchoVesselError as error:
            yield failure(page.words, error), gr.Button(visible=True), stamp
            return
        shown = await asyncio.to_thread(formed, opened, page.words)
        yield shown, gr.Button(visible=open_talk(opened)), stamp + 1

    return ending


def _seen(page: Page) -> Any:
    """All of the view as the memory stands."""

    def seen(name: str) -> tuple[Any, ...]:
        try:
            opened = page.opened(name)
        except EchoVesselError as error:
            return (
                (*([Html("")] * 4), gr.Button(visible=False))
                if not name
                else (failure(page.words, error), *([Html("")] * 3), gr.skip())
            )
        shown = told(history)(opened, page.words)
        aside = told(beside)(opened, page.words, opened.talk.latest)
        return (
            told(voice)(opened, page.words),
            shown,
            aside,
            told(formed)(opened, page.words),
            gr.Button(visible=open_talk(opened)),
        )

    return seen


def _fresh(page: Page) -> Any:
    """For a memory that has just been taken up: what to try, and a reply that is under way may be stopped."""

    def fresh(name: str) -> tuple[Any, ...]:
        if not name:
            return Html(""), Html(""), gr.Button(visible=True), gr.Button(visible=False)
        opened = page.opened(name)
        busy = opened.talk.busy
        chips = join(act(one, "ask", one, class_="try") for one in opened.questions[:TRIES])
        tries = el("div", el("span", page.words("try_asking")), chips, class_="tries") if chips else Html("")
        return (
            after(opened, page.words, opened.talk.latest),
            tries,
            gr.Button(visible=not busy),
            gr.Button(visible=busy),
        )

    return fresh


def _asked(typed: str, event: gr.EventData) -> str:
    does, target = act_of(event)
    return target if does == "ask" else typed


def _to_turn(event: gr.EventData) -> tuple[Any, Any]:
    does, target = act_of(event)
    return (gr.Tabs(selected="turns"), target) if does == "turn" else (gr.skip(), gr.skip())
