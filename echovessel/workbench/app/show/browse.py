"""The list of memories: what is asked for, found and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echovessel.markup import Html, el, join
from echovessel.memory.records import Message, Node, NodeKind, NodeStatus
from echovessel.plots.style import KIND_COLOURS
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import act, chip, empty, happened, impact
from echovessel.workbench.app.words import Words

NODES = tuple(str(kind) for kind in NodeKind)
KINDS = (*NODES, "message")
ANY, PINNED = "any", "pinned"
STATES = (ANY, PINNED, *(str(status) for status in NodeStatus))
ORDERS = ("latest", "strongest")
PAGE = 20
# Plain search and the log give at most so many; nobody pages further by hand.
MOST = 1_000


@dataclass(frozen=True)
class Wanted:
    """What the list is asked for. `entity` is an id, or empty for all."""

    text: str = ""
    kinds: tuple[str, ...] = NODES
    entity: str = ""
    state: str = ANY
    past: bool = False
    order: str = ORDERS[0]
    shown: int = PAGE


def found(opened: Opened, wanted: Wanted) -> list[Node | Message]:
    """Every memory that fits, in order."""
    nodes = _nodes(opened, wanted)
    messages = _messages(opened, wanted) if "message" in wanted.kinds and wanted.state == ANY else []
    both: list[Node | Message] = [*nodes, *messages]
    if wanted.order == "strongest":
        return sorted(both, key=lambda one: -abs(one.impact) if isinstance(one, Node) else 0.0)
    return sorted(both, key=lambda one: one.known_at if isinstance(one, Node) else one.sent_at, reverse=True)


def listed(opened: Opened, words: Words, wanted: Wanted, *, chosen: str = "") -> Html:
    """The list as cards, with a button for more."""
    memories = found(opened, wanted)
    if not memories:
        asked = wanted.text.strip() or wanted.entity or wanted.state != ANY
        return empty(words, "empty_search" if asked else "empty_memory")
    shown = memories[: wanted.shown]
    stop = chosen if any(one.id == chosen for one in shown) else shown[0].id
    cards = join(_card(opened, words, one, chosen, stop=one.id == stop) for one in shown)
    rest = len(memories) - wanted.shown
    more = act(words("more", count=min(rest, PAGE)), "more", "", class_="more") if rest > 0 else None
    count = el("p", words("found_count", count=len(memories)), class_="count")
    return el("div", count, el("ul", cards, class_="items"), more)


def entity_choices(opened: Opened, words: Words) -> list[tuple[str, str]]:
    """All entities for a filter, by name."""
    known = sorted((entity.name, entity.id) for entity in opened.memory.directory.list())
    return [(words("all_entities"), ""), *known]


def _nodes(opened: Opened, wanted: Wanted) -> list[Node]:
    kinds = [NodeKind(kind) for kind in wanted.kinds if kind in NODES]
    if not kinds:
        return []
    reader = opened.memory.nodes
    listed = reader.list(
        kinds=kinds,
        entity=wanted.entity or None,
        status=NodeStatus(wanted.state) if wanted.state not in (ANY, PINNED) else None,
        pinned=True if wanted.state == PINNED else None,
        include_superseded=wanted.past,
    )
    if not wanted.text.strip():
        return listed
    hits = opened.memory.search.nodes(wanted.text, limit=MOST, kinds=kinds, include_superseded=wanted.past)
    fitting = {node.id for node in hits}
    return [node for node in listed if node.id in fitting]


def _messages(opened: Opened, wanted: Wanted) -> list[Message]:
    memory = opened.memory
    text = wanted.text.strip()
    messages: Sequence[Message] = memory.search.messages(text, limit=MOST) if text else memory.log.last(MOST)
    if wanted.entity:
        root = memory.directory.root(wanted.entity)
        messages = [one for one in messages if root in memory.directory.mentioned(one.text)]
    return list(messages)


def _card(opened: Opened, words: Words, one: Node | Message, chosen: str, *, stop: bool) -> Html:
    if isinstance(one, Message):
        head = [el("span", words.day(opened.day(one.sent_at), opened.today), class_="when")]
        kind, said = "message", f"{opened.speaker(one.sender, one.sender_name)}: {one.text}"
    else:
        kind, said = str(one.kind), one.text
        head = [
            el("span", happened(opened, words, one), class_="when"),
            *states(words, one),
            impact(words, one.impact),
        ]
    return el(
        "li",
        el(
            "button",
            el("span", kind_label(words, kind), join(head), class_="head"),
            el("span", said, class_="said"),
            type="button",
            class_="item",
            data_act="open",
            data_id=one.id,
            aria_current="true" if one.id == chosen else None,
            tabindex=None if stop else "-1",
        ),
    )


def kind_label(words: Words, kind: str) -> Html:
    """A kind with its colour."""
    return el("span", words(f"kind_{kind}"), class_="kind", style=f"--kind:{KIND_COLOURS[kind]}")


def links(opened: Opened, words: Words, nodes: Sequence[Node]) -> Html:
    """Memories as a short list, each opened by a click."""
    rows = (
        el(
            "li",
            kind_label(words, one.kind),
            act(one.text, "open", one.id),
            el("small", happened(opened, words, one)),
        )
        for one in nodes
    )
    return el("ul", join(rows), class_="links")


def states(words: Words, node: Node) -> list[Html]:
    """Where a memory stands: pinned, replaced, open, kept and so on."""
    marks = []
    if node.pinned:
        marks.append(chip(words("pinned"), kind="anchor"))
    if node.superseded_at is not None:
        marks.append(chip(words("badge_superseded"), kind="past"))
    if node.status is not None:
        marks.append(chip(words(f"status_{node.status}")))
    return marks
