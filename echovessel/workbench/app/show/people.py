"""Entities: who is known, under which names, and with whom they belong."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import polars as pl

from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Entity, Node
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import links
from echovessel.workbench.app.show.parts import chip, empty, fold
from echovessel.workbench.app.words import Words

MOST_MEMORIES = 40
LISTED = 60


def graph_frames(opened: Opened) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Entities with how many memories name each, and pairs with how many name both; merged ones as one."""
    directory = opened.memory.directory
    named: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for node in opened.memory.nodes.list(include_superseded=True):
        roots = sorted({directory.root(entity) for entity in node.entities})
        named.update(roots)
        together.update(combinations(roots, 2))
    entities = directory.list()
    return (
        pl.DataFrame(
            [(one.id, one.name, one.kind, named[one.id]) for one in entities],
            schema={"id": pl.String, "name": pl.String, "kind": pl.String, "memories": pl.Int64},
            orient="row",
        ),
        pl.DataFrame(
            [(*pair, count) for pair, count in sorted(together.items())],
            schema={"one": pl.String, "other": pl.String, "memories": pl.Int64},
            orient="row",
        ),
    )


def people(opened: Opened, words: Words, *, chosen: str = "") -> Html:
    """All entities, the most named first."""
    entities, _ = graph_frames(opened)
    if entities.is_empty():
        return empty(words, "empty_entities")
    counts = dict(zip(entities["id"], entities["memories"], strict=True))
    known = sorted(opened.memory.directory.list(), key=lambda one: (-counts[one.id], one.name))
    stop = chosen if chosen in counts else known[0].id
    rows = [
        el(
            "li",
            el(
                "button",
                el("b", one.name),
                el("span", words.or_same("entity", one.kind), class_="muted"),
                el("span", _held(words, counts[one.id]), class_="muted"),
                type="button",
                class_="item person",
                data_act="entity",
                data_id=one.id,
                aria_current="true" if one.id == chosen else None,
                tabindex=None if one.id == stop else "-1",
            ),
        )
        for one in known
    ]
    first = el("ul", join(rows[:LISTED]), class_="items people")
    if len(rows) <= LISTED:
        return first
    rest = el("ul", join(rows[LISTED:]), class_="items people")
    inside = chosen in {one.id for one in known[LISTED:]}
    return join(
        (first, fold(words("people_more", count=len(rows) - LISTED), rest, open_=inside, class_="wide"))
    )


def person(opened: Opened, words: Words, entity: str) -> Html:
    """One entity with its names and its memories."""
    found = known(opened, entity)
    if found is None:
        return empty(words, "empty_person") if opened.memory.directory.list() else Html("")
    memories = opened.memory.nodes.list(entity=found.id, include_superseded=True)
    rest = len(memories) - MOST_MEMORIES
    return el(
        "article",
        el("div", el("span", words.or_same("entity", found.kind), class_="muted"), class_="head"),
        el("p", found.name, class_="said big"),
        el("div", join(chip(alias) for alias in found.aliases), class_="chips"),
        el("section", el("h3", words("memories_of")), _memories(opened, words, memories[:MOST_MEMORIES])),
        el("p", words("and_more", count=rest), class_="muted") if rest > 0 else None,
        class_="card detail",
        data_item=found.id,
    )


def known(opened: Opened, entity: str) -> Entity | None:
    """The entity that an id stands for; None when it is gone or belongs to another memory on the shelf."""
    if not entity:
        return None
    directory = opened.memory.directory
    try:
        return directory.get(directory.root(directory.get(entity).id))
    except NotFoundError:
        return None


def _held(words: Words, count: int) -> str:
    return words("one_memory") if count == 1 else words("memories_count", count=count)


def _memories(opened: Opened, words: Words, memories: list[Node]) -> Html:
    if not memories:
        return el("p", words("no_memories_of"), class_="muted")
    return links(opened, words, memories)
