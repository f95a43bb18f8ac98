"""The Entities view: the graph, one entity, and who is who."""

from __future__ import annotations

from typing import Any

import gradio as gr

from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el
from echovessel.plots.entity_graph import LABELS, MOST_IN_A_GRAPH, entity_graph
from echovessel.workbench.app import actions
from echovessel.workbench.app.show.parts import failure, notice
from echovessel.workbench.app.show.people import graph_frames, known, people, person
from echovessel.workbench.app.views.base import DONE, NARROW, QUICK, WIDTH, Page, panel, told, undoing


def entities_view(page: Page) -> None:
    """Lay the view out."""
    words = page.words
    with gr.Tab(words("tab_entities"), id="entities"), gr.Row(elem_classes="split"):
        with gr.Column(scale=6, min_width=300):
            hint = gr.HTML(visible=False, js_on_load=None, apply_default_css=False, elem_id="graph-hint")
            graph = gr.Plot(show_label=False, container=False, elem_id="graph", buttons=[])
            listing = panel(elem_id="people")
            wide = gr.Number(0, visible="hidden")
        with gr.Column(scale=5, min_width=300, elem_classes="aside"):
            shown = panel(elem_id="person")
            with gr.Column(visible=False, elem_id="who-is-who") as mending:
                with gr.Accordion(words("merge"), open=False):
                    other = gr.Dropdown([], label=words("merge_with"), info=words("merge_info"))
                    merge = gr.Button(words("merge_do"), size="sm", variant="primary")
                with gr.Accordion(words("split"), open=False):
                    aliases = gr.CheckboxGroup([], label=words("split_names"), elem_classes="plain")
                    nodes = gr.Dropdown([], multiselect=True, label=words("split_memories"))
                    name = gr.Textbox(label=words("split_name"), max_lines=1)
                    split = gr.Button(words("split_do"), size="sm", variant="primary")
            undo = gr.Button(words("undo"), size="sm", visible=False)
            said = gr.HTML(js_on_load=None, apply_default_css=False)

    at = [page.persona, page.who]
    gr.on(
        [page.persona.change, page.stamp.change],
        _graph(page),
        [page.persona, wide],
        [hint, graph],
        js=WIDTH,
        **QUICK,
    )
    fields = [listing, shown, mending, other, aliases, nodes, name, undo]
    gr.on([page.persona.change, page.stamp.change, page.who.change], _filled(page), at, fields, **QUICK)
    page.who.change(lambda: Html(""), outputs=said, **QUICK)
    shown.change(None, js="() => window.evShow(document.querySelector('#person'))")
    merge.click(_merging(page), [*at, page.stamp, other], [page.stamp, said], **DONE)
    split.click(_splitting(page), [*at, page.stamp, aliases, nodes, name], [page.stamp, said], **DONE)
    undo.click(undoing(page), [page.persona, page.stamp], [page.stamp, said], **DONE)
    page.listen(listing)
    page.listen(shown)


def _graph(page: Page) -> Any:
    labels = {
        **LABELS,
        **{
            key: page.words(f"entity_{key}")
            for key in ("person", "pet", "place", "organisation", "thing", "other")
        },
        "memories": page.words("graph_memories"),
        "shared": page.words("graph_shared"),
        "most_named": page.words("graph_most"),
        "empty": page.words("empty_entities"),
    }

    def graph(name: str, wide: float) -> tuple[Any, Any]:
        entities, links = graph_frames(page.opened(name))
        drawn = entity_graph(entities, links, labels=labels, width=graph_width(wide))
        some = not entities.is_empty()
        said = page.words("graph_hint" if entities.height <= MOST_IN_A_GRAPH else "matrix_hint")
        return gr.HTML(el("p", said, class_="muted legend"), visible=some), gr.Plot(drawn, visible=some)

    return graph


def graph_width(window: float) -> int:
    """How wide the graph stands in a window: page.css holds the page to 1180 pixels."""
    if not window:
        return 560
    if window < NARROW:
        return max(int(window) - 24, 200)
    return int((min(window, 1180) - 68) * 6 / 11)


def _filled(page: Page) -> Any:
    listing, whole = told(people), told(person)

    def filled(name: str, who: str) -> list[Any]:
        opened = page.opened(name)
        found = known(opened, who)
        chosen = found.id if found else ""
        others = [(one.name, one.id) for one in opened.memory.directory.list() if one.id != chosen]
        memories = opened.memory.nodes.list(entity=chosen, include_superseded=True) if chosen else []
        return [
            listing(opened, page.words, chosen=chosen),
            whole(opened, page.words, chosen),
            gr.Column(visible=found is not None),
            gr.Dropdown(choices=others, value=None),
            gr.CheckboxGroup(choices=list(found.aliases) if found else [], value=[]),
            gr.Dropdown(choices=[(node.text, node.id) for node in memories], value=[]),
            "",
            gr.Button(visible=bool(opened.steps)),
        ]

    return filled


def _merging(page: Page) -> Any:
    def merging(name: str, who: str, stamp: int, other: str | None) -> tuple[int, Html]:
        if not other:
            return stamp, notice(page.words("choose_other"))
        try:
            actions.merge(page.opened(name), who, other)
        except EchoVesselError as error:
            return stamp, failure(page.words, error)
        return stamp + 1, notice(page.words("done_merge"), good=True)

    return merging


def _splitting(page: Page) -> Any:
    def splitting(
        name: str, who: str, stamp: int, aliases: list[str], nodes: list[str], shown: str
    ) -> tuple[int, Html]:
        try:
            actions.split(page.opened(name), who, aliases=aliases, nodes=nodes, name=shown or "")
        except EchoVesselError as error:
            return stamp, failure(page.words, error)
        return stamp + 1, notice(page.words("done_split"), good=True)

    return splitting
