"""The overview: the six layers as a picture of a vessel, with what each holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from echovessel.markup import Html, el, join
from echovessel.memory.records import NodeKind
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import links
from echovessel.workbench.app.show.parts import act, chip, empty, turns
from echovessel.workbench.app.words import Words

LAYERS = ("L1", "L2", "L3", "L4", "L5", "L6")
L4_KINDS = (NodeKind.THOUGHT, NodeKind.INTENTION, NodeKind.EXPECTATION)
LATEST = 5


@dataclass(frozen=True)
class Counts:
    """How much each layer holds."""

    core: int
    messages: int
    events: int
    thoughts: int
    entities: int
    mood: str

    def of(self, layer: str) -> str:
        """What the picture shows for a layer."""
        values = (self.core, self.messages, self.events, self.thoughts, self.entities, self.mood)
        return str(dict(zip(LAYERS, values, strict=True))[layer])


def counts(opened: Opened) -> Counts:
    """What the memory holds now, replaced memories included."""
    memory = opened.memory
    nodes = memory.nodes.list(include_superseded=True)
    events = sum(node.kind is NodeKind.EVENT for node in nodes)
    return Counts(
        len(memory.core.all()),
        memory.log.count(),
        events,
        len(nodes) - events,
        len(memory.directory.list()),
        memory.moods.get().mood,
    )


def vessel(opened: Opened, words: Words, *, chosen: str = LAYERS[0]) -> Html:
    """The picture: six bands, each a button."""
    held = counts(opened)
    bands = (
        el(
            "button",
            el("span", layer, class_="code"),
            el("span", words(f"layer_{layer}"), class_="title"),
            el("span", words(f"asks_{layer}"), class_="asks"),
            el("span", held.of(layer), class_="held" + (" wordy" if layer == "L6" else "")),
            type="button",
            class_=f"band band-{layer}",
            data_act="look",
            data_id=layer,
            aria_pressed="true" if layer == chosen else "false",
        )
        for layer in LAYERS
    )
    return el("div", join(bands), class_="vessel", role="group", aria_label=words("six_layers"))


def layer(opened: Opened, words: Words, chosen: str) -> Html:
    """What a layer holds, in words and by its latest contents."""
    inside: dict[str, Callable[[Opened, Words], Html]] = {
        "L1": _core,
        "L2": _messages,
        "L3": lambda opened, words: _nodes(opened, words, (NodeKind.EVENT,), "L3"),
        "L4": lambda opened, words: _nodes(opened, words, L4_KINDS, "L4"),
        "L5": _entities,
        "L6": _mood,
    }
    shown = chosen if chosen in inside else LAYERS[0]
    return el(
        "article",
        el("h2", f"{shown} · {words(f'layer_{shown}')}"),
        el("p", words(f"about_{shown}"), class_="about"),
        inside[shown](opened, words),
        class_="card detail layer",
    )


def _core(opened: Opened, words: Words) -> Html:
    blocks = opened.memory.core.all()
    if not blocks:
        return empty(words, "empty_L1")
    return join(
        el("section", el("h3", words(f"core_{block.label}")), el("p", block.text, class_="prose-text"))
        for block in blocks
    )


def _messages(opened: Opened, words: Words) -> Html:
    latest = opened.memory.log.last(LATEST)
    if not latest:
        return empty(words, "empty_L2")
    return join((turns(opened, words, latest), _browse(words, "L2")))


def _nodes(opened: Opened, words: Words, kinds: tuple[NodeKind, ...], layer_: str) -> Html:
    latest = opened.memory.nodes.list(kinds=kinds, limit=LATEST)
    if not latest:
        return empty(words, f"empty_{layer_}")
    return join((links(opened, words, latest), _browse(words, layer_)))


def _entities(opened: Opened, words: Words) -> Html:
    known = opened.memory.directory.list()
    if not known:
        return empty(words, "empty_entities")
    rows = (
        el(
            "li",
            act(one.name, "entity", one.id),
            join(chip(alias) for alias in one.aliases if alias != one.name),
        )
        for one in known
    )
    return el("ul", join(rows), class_="links names")


def _mood(opened: Opened, words: Words) -> Html:
    mood = opened.memory.moods.get()
    parts = [
        el("div", el("dt", words("mood")), el("dd", mood.mood)),
        el(
            "div",
            el("dt", words("energy")),
            el("dd", el("progress", value=mood.energy, max=1), f" {mood.energy:.0%}"),
        ),
    ]
    if mood.last_user_signal:
        parts.append(el("div", el("dt", words("user_signal")), el("dd", mood.last_user_signal)))
    return el("dl", join(parts), class_="facts")


def _browse(words: Words, layer_: str) -> Html:
    return el("p", act(words("browse"), "layer", layer_))
