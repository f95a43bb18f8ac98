"""The recall inspector: ask, and move the weights."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el, join
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.weights import preset_names
from echovessel.workbench.app.show.hits import (
    SLIDERS,
    Asked,
    answer,
    ask,
    copyable,
    python_for,
    slider_values,
)
from echovessel.workbench.app.show.parts import act, empty, failure, fold
from echovessel.workbench.app.views.base import QUICK, Page, act_of, panel

FIRST = "default"
RANGES = {
    **dict.fromkeys(FACTORS, (0.0, 5.0, 0.05)),
    "half_life": (1.0, 365.0, 1.0),
    "min_relevance": (0.0, 1.0, 0.01),
    "blend": (0.0, 1.0, 0.05),
}


def recall_view(page: Page) -> None:
    """Lay the inspector out."""
    words = page.words
    with gr.Tab(words("tab_recall"), id="recall"):
        with gr.Row(elem_classes="ask"):
            query = gr.Textbox(
                label=words("query"),
                placeholder=words("query_hint"),
                lines=1,
                max_lines=4,
                scale=6,
                elem_id="query",
            )
            as_of = gr.Textbox(
                label=words("as_of"),
                placeholder="2026-03-02",
                max_lines=1,
                scale=1,
                min_width=150,
                elem_id="as-of",
            )
        tries = panel(elem_id="tries")
        with gr.Row(elem_classes="split"):
            with gr.Column(scale=2, min_width=260, elem_classes="controls"):
                preset, sliders, past = _controls(page)
                code = panel(elem_id="code")
            with gr.Column(scale=5, min_width=300):
                found = panel(elem_id="found")
    inputs = [page.persona, query, preset, *sliders, as_of, past]
    moved: list[Any] = [query, as_of, past, preset, *sliders, page.persona, page.stamp]
    # One listener for all of them: the answer to an older state can't overtake that to a newer one.
    gr.on([part.change for part in moved], _answering(page), inputs=inputs, outputs=[found, code], **QUICK)
    tries.click(_asked_again, inputs=query, outputs=query, **QUICK)
    page.persona.change(_first_question(page), inputs=page.persona, outputs=[query, tries], **QUICK)
    page.listen(found)


def _controls(page: Page) -> tuple[gr.Dropdown, list[gr.Slider], gr.Checkbox]:
    words = page.words
    with gr.Accordion(words("weights"), open=True, elem_id="weights"):
        preset = gr.Dropdown(
            [(words.or_same("preset", name), name) for name in preset_names()],
            value=FIRST,
            label=words("preset"),
        )
        back = gr.Button(words("preset_back"), size="sm", visible=False, elem_id="preset-back")
        sliders = []
        for name, value in zip(SLIDERS, slider_values(FIRST), strict=True):
            low, high, step = RANGES[name]
            label = words(f"factor_{name}") if name in FACTORS else words(name)
            info = None if name in FACTORS else words(f"info_{name}")
            classes = ["weight", f"w-{name}"] if name in FACTORS else ["weight"]
            sliders.append(
                gr.Slider(
                    low, high, value, step=step, label=label, info=info, elem_classes=classes, buttons=[]
                )
            )
        past = gr.Checkbox(False, label=words("past"), elem_classes="plain")
    preset.input(slider_values, preset, sliders, **QUICK)
    back.click(slider_values, preset, sliders, **QUICK)
    parts: list[Any] = [preset, *sliders]
    gr.on([part.change for part in parts], _moved, parts, back, **QUICK)
    return preset, sliders, past


def _moved(preset: str, *values: float) -> Any:
    """A way back, once a slider stands elsewhere than the preset says."""
    return gr.Button(visible=tuple(map(float, values)) != slider_values(preset))


def _answering(page: Page) -> Any:
    def answered(name: str, query: str, preset: str, *rest: Any) -> tuple[Html, Html]:
        *values, as_of, past = rest
        if not (query or "").strip():
            return empty(page.words, "empty_query"), Html("")
        try:
            opened = page.opened(name)
            asked = Asked(query, preset, tuple(values), as_of or "", bool(past))
            shown = answer(opened, page.words, ask(opened, asked))
            return shown, fold(
                page.words("as_python"), copyable(page.words, python_for(opened, asked)), class_="python"
            )
        except EchoVesselError as error:
            return failure(page.words, error), Html("")

    return answered


def _first_question(page: Page) -> Any:
    def first(name: str) -> tuple[str, Html]:
        questions = page.opened(name).questions
        chips = join(act(question, "ask", question, class_="try") for question in questions)
        shown = (
            el("div", el("span", page.words("try_asking")), chips, class_="tries") if questions else Html("")
        )
        return (questions[0] if questions else ""), shown

    return first


def _asked_again(query: str, event: gr.EventData) -> str:
    does, target = act_of(event)
    return target if does == "ask" else query
