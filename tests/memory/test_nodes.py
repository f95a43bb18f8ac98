from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.nodes import Nodes
from echovessel.memory.records import (
    NewNode,
    NodeKind,
    NodeStatus,
    Origin,
    RelationalTag,
    Scope,
    Source,
    Subject,
)
from echovessel.memory.search import Search
from echovessel.memory.vectors import Vectors

Say = Callable[..., str]
MAY = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def nodes(context: Context) -> Nodes:
    return Nodes(context, Entities(context))


def at(context: Context, scope: Scope) -> Nodes:
    inside = context.within(scope)
    return Nodes(inside, Entities(inside))


def rows(context: Context) -> int:
    return sum(
        context.store.value(f"SELECT count(*) FROM {table}")
        for table in ("nodes", "node_sources", "node_entities", "node_vectors", "node_search")
    )


def test_everything_given_comes_back(context: Context, nodes: Nodes, say: Say, clock: FixedClock) -> None:
    message = say(context, "Scott升职了，下周请客", MAY)
    scott = Entities(context).add("Scott")
    new = NewNode(
        "Scott 升职了",
        kind=NodeKind.EVENT,
        subject=Subject.OTHER,
        about=scott.id,
        attribute=" Job  Title ",
        impact=-7.5,
        emotions=("glad", "glad", "proud"),
        tags=(RelationalTag.TURNING_POINT,),
        occurred_from=date(2026, 4, 30),
        occurred_to=date(2026, 5, 1),
        valid_from=date(2026, 5, 1),
        confidence=0.5,
        pinned=True,
        origin=Origin.EXTRACTION,
        sources=(Source(message=message, quote="升职了"),),
    )

    node = nodes.add(new)

    for name in (
        "text",
        "kind",
        "subject",
        "about",
        "impact",
        "tags",
        "occurred_from",
        "occurred_to",
        "valid_from",
    ):
        assert getattr(node, name) == getattr(new, name), name
    assert (node.attribute, node.emotions, node.confidence, node.pinned) == (
        "job title",
        ("glad", "proud"),
        0.5,
        True,
    )
    assert (node.known_at, node.first_known_at, node.recorded_at) == (MAY, MAY, clock.now())
    assert (node.sources, node.entities, node.scope) == (new.sources, (scott.id,), context.scope)
    assert nodes.get(node.id) == node
    assert nodes.list() == [node]
    assert nodes.derived_from(message) == [node]


# Sources


@pytest.mark.parametrize("origin", [Origin.EXTRACTION, Origin.REFLECTION, Origin.SLOW_TICK])
def test_a_node_without_a_source_is_refused_unless_a_person_or_an_import_wrote_it(
    context: Context, nodes: Nodes, origin: Origin
) -> None:
    with pytest.raises(InputError, match="needs a source"):
        nodes.add(NewNode("Mei likes tea", origin=origin))
    assert rows(context) == 0
    for unsourced in (Origin.PERSON, Origin.IMPORT):
        assert nodes.add(NewNode("Mei likes tea", origin=unsourced)).sources == ()


def test_a_quote_must_stand_in_its_source_to_the_letter(context: Context, nodes: Nodes, say: Say) -> None:
    message = say(context, "I love Tea")
    with pytest.raises(InputError, match="does not stand in message"):
        nodes.add(NewNode("Mei likes tea", sources=(Source(message=message, quote="love tea"),)))
    assert rows(context) == 0


def test_known_at_is_the_latest_sources(context: Context, nodes: Nodes, say: Say, clock: FixedClock) -> None:
    early, late = say(context, "one", MAY - timedelta(days=9)), say(context, "two", MAY)
    event = nodes.add(NewNode("both", sources=(Source(message=late), Source(message=early))))
    thought = nodes.add(
        NewNode(
            "a thought", kind=NodeKind.THOUGHT, origin=Origin.REFLECTION, sources=(Source(node=event.id),)
        )
    )

    assert event.known_at == thought.known_at == MAY
    assert nodes.add(NewNode("by hand")).known_at == clock.now()
    assert nodes.derived_from(event.id) == [thought]
    with pytest.raises(InputError, match="before the latest source"):
        nodes.add(NewNode("too early", known_at=MAY - timedelta(seconds=1), sources=(Source(message=late),)))


def test_nothing_derives_across_scopes(context: Context, nodes: Nodes, say: Say) -> None:
    tom, shared = context.within(Scope.user("tom")), context.within(Scope.shared())
    from_tom, own = say(tom, "secret"), say(shared, "the persona's own line")
    tom_node = at(context, Scope.user("tom")).add(NewNode("a secret"))
    mei_node = nodes.add(NewNode("Mei's"))

    for source in (Source(message=from_tom), Source(node=tom_node.id), Source(message="nothing")):
        with pytest.raises(NotFoundError, match="across scopes"):
            nodes.add(NewNode("a leak", sources=(source,)))
    with pytest.raises(NotFoundError, match="across scopes"):
        at(context, Scope.shared()).add(NewNode("a leak", sources=(Source(node=mei_node.id),)))
    assert nodes.add(NewNode("from the shared life", sources=(Source(message=own),))).scope == context.scope


def test_a_deleted_message_is_no_source(context: Context, nodes: Nodes, say: Say) -> None:
    message = say(context, "gone")
    with context.store.write():
        context.store.run("UPDATE messages SET deleted_at = 1, text = '' WHERE id = ?", (message,))
    with pytest.raises(NotFoundError):
        nodes.add(NewNode("from nothing", sources=(Source(message=message),)))


def test_the_engine_does_not_write_the_shared_scope(context: Context, say: Say) -> None:
    message = say(context.within(Scope.shared()), "a line")
    with pytest.raises(InputError, match="people and imports only"):
        at(context, Scope.shared()).add(
            NewNode("a thought", origin=Origin.REFLECTION, sources=(Source(message=message),))
        )


# Fields


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"text": " \x00"}, "needs a text"),
        ({"impact": 10.1}, "impact must lie"),
        ({"impact": math.nan}, "impact must lie"),
        ({"confidence": -0.1}, "confidence must lie"),
        ({"tags": ("best-friend",)}, "relational tag"),
        ({"kind": "dream"}, "no kind"),
        ({"subject": "nobody"}, "no subject"),
        ({"occurred_from": date(2026, 2, 2), "occurred_to": date(2026, 2, 1)}, "lies before"),
        ({"valid_from": date(2026, 2, 2), "valid_to": date(2026, 2, 1)}, "lies before"),
        ({"due_on": MAY}, "due_on is a date"),
        ({"known_at": datetime(2026, 5, 1)}, "no time zone"),  # noqa: DTZ001
        ({"status": NodeStatus.OPEN}, "have a status"),
        ({"kind": NodeKind.INTENTION}, "subject of an intention is the persona"),
        ({"attribute": "x" * 65}, "short key"),
    ],
)
def test_a_field_out_of_range_is_refused_and_nothing_is_kept(
    context: Context, nodes: Nodes, change: dict[str, Any], match: str
) -> None:
    with pytest.raises(InputError, match=match):
        nodes.add(replace(NewNode("Mei likes tea"), **change))
    assert rows(context) == 0


def test_about_names_a_third_party(context: Context, nodes: Nodes) -> None:
    tom = Entities(context).add("Tom")
    with pytest.raises(InputError, match="third party"):
        nodes.add(NewNode("swims", about=tom.id))
    with pytest.raises(NotFoundError):
        nodes.add(NewNode("swims", subject=Subject.OTHER, about="nobody"))
    assert nodes.add(NewNode("hates swimming", subject=Subject.OTHER, about=tom.id)).entities == (tom.id,)


def test_promises_and_expectations_are_open_to_begin_with(nodes: Nodes) -> None:
    promise = nodes.add(NewNode("bring tea", kind=NodeKind.INTENTION, subject=Subject.PERSONA))
    hope = nodes.add(NewNode("Mei comes", kind=NodeKind.EXPECTATION, due_on=date(2027, 1, 1)))
    event = nodes.add(NewNode("rain"))

    assert (promise.status, hope.status, event.status) == (NodeStatus.OPEN, NodeStatus.OPEN, None)
    assert nodes.set_status(promise.id, NodeStatus.KEPT).status is NodeStatus.KEPT
    assert nodes.list(status=NodeStatus.OPEN) == [hope]
    with pytest.raises(InputError, match="have a status"):
        nodes.set_status(event.id, NodeStatus.KEPT)


# Entities, search and vectors go with the node


def test_a_node_is_linked_to_whom_it_names_and_again_when_an_alias_is_added(
    context: Context, nodes: Nodes
) -> None:
    directory = Entities(context)
    scott, ann = directory.add("黄逸扬"), directory.add("Ann")
    node = nodes.add(NewNode("Scott met Ann"))
    assert node.entities == (ann.id,)

    directory.add_alias(scott.id, "Scott")

    assert nodes.get(node.id).entities == tuple(sorted((scott.id, ann.id)))
    assert nodes.list(entity=scott.id) == [nodes.get(node.id)]
    directory.merge(ann.id, scott.id)
    assert nodes.get(node.id).entities == (ann.id,)
    assert nodes.list(entity=scott.id) == nodes.list(entity=ann.id) == [nodes.get(node.id)]


def test_of_two_by_one_name_the_writer_says_which(context: Context, nodes: Nodes) -> None:
    directory = Entities(context)
    one, two = directory.add("Sam"), directory.add("Sam")
    assert nodes.add(NewNode("Sam sings")).entities == tuple(sorted((one.id, two.id)))
    assert nodes.add(NewNode("Sam swims", entities=(two.id,))).entities == (two.id,)


def test_a_split_by_memories_parts_two_people_of_one_name(context: Context, nodes: Nodes) -> None:
    directory = Entities(context)
    sam = directory.add("Sam")
    sings, swims = (
        nodes.add(NewNode(text, subject=Subject.OTHER, about=sam.id)) for text in ("Sam sings", "Sam swims")
    )

    change = directory.split(sam.id, nodes=[swims.id])

    assert nodes.get(sings.id).entities == nodes.get(sings.id).entities == (sam.id,)
    assert (nodes.get(swims.id).entities, nodes.get(swims.id).about) == ((change.other,), change.other)
    assert directory.mentioned("Sam?") == {sam.id, change.other}
    directory.undo(change.id)
    assert nodes.get(swims.id) == swims
    assert [entity.id for entity in directory.list()] == [sam.id]


def test_unknown_entities_are_refused(context: Context, nodes: Nodes) -> None:
    elsewhere = Entities(context.within(Scope.user("tom"))).add("Scott")
    for entity in ("nobody", elsewhere.id):
        with pytest.raises(NotFoundError):
            nodes.add(NewNode("Scott sings", entities=(entity,)))
    assert rows(context) == 0


@pytest.fixture
def embedder(context: Context) -> EmbedderIdentity:
    identity = EmbedderIdentity("t", "1", 2, "c", Calibration(Logit(0.0, 1.0, 1.0)))
    Vectors(context).adopt(identity)
    return identity


def test_the_vector_is_stored_with_the_node_or_nothing_is(
    context: Context, nodes: Nodes, embedder: EmbedderIdentity
) -> None:
    nodes.add(NewNode("tea"), vector=np.array([1.0, 0.0], dtype=np.float32))
    assert context.store.value("SELECT count(*) FROM node_vectors") == 1
    before = rows(context)
    with pytest.raises(InputError):
        nodes.add(NewNode("coffee"), vector=np.ones(embedder.dim + 1, dtype=np.float32))
    assert rows(context) == before


def test_an_edited_text_is_searched_linked_and_embedded_anew(
    context: Context, nodes: Nodes, embedder: EmbedderIdentity
) -> None:
    directory, search = Entities(context), Search(context)
    tom, ann = directory.add("Tom"), directory.add("Ann")
    node = nodes.add(NewNode("Tom drinks tea"), vector=np.array([1.0, 0.0], dtype=np.float32))

    edited = nodes.edit(node.id, text="Ann drinks coffee", impact=3, due_on=date(2026, 7, 1))

    assert (edited.text, edited.impact, edited.due_on) == ("Ann drinks coffee", 3.0, date(2026, 7, 1))
    assert node.entities == (tom.id,)
    assert edited.entities == (ann.id,)
    assert search.nodes("tea") == []
    assert search.nodes("coffee") == [edited]
    assert context.store.value("SELECT count(*) FROM node_vectors") == 0
    assert nodes.edit(node.id, due_on=None).due_on is None
    with pytest.raises(InputError, match="lies before"):
        nodes.edit(node.id, occurred_from=date(2026, 2, 2), occurred_to=date(2026, 2, 1))


def test_pins(nodes: Nodes) -> None:
    node = nodes.add(NewNode("tea"))
    assert nodes.pin(node.id).pinned
    assert nodes.list(pinned=True) == [nodes.get(node.id)]
    assert not nodes.pin(node.id, pinned=False).pinned


# Reading


def test_another_scope_and_another_persona_see_nothing(context: Context, nodes: Nodes) -> None:
    node = nodes.add(NewNode("Mei likes tea", attribute="taste"))
    with context.store.write():
        context.store.run(
            "INSERT INTO personas (id, name, kind, created_at) VALUES ('ada', 'Ada', 'written', 0)"
        )
    ada = replace(context, persona="ada")
    for other in (
        *(at(context, scope) for scope in (Scope.user("tom"), Scope.group("mei"), Scope.shared())),
        Nodes(ada, Entities(ada)),
    ):
        assert other.list(include_superseded=True) == other.derived_from(node.id) == []
        assert other.conflicting(NewNode("Mei likes coffee", attribute="taste")) == []
        for call in (other.get, other.history, other.restore, other.pin):
            with pytest.raises(NotFoundError):
                call(node.id)


def test_a_user_reads_the_shared_life_too(context: Context, nodes: Nodes) -> None:
    shared = at(context, Scope.shared()).add(NewNode("Lin was born in Wuxi", subject=Subject.PERSONA))
    assert nodes.get(shared.id) == shared
    assert [node.id for node in nodes.list()] == [shared.id]


def test_lists_are_filtered_and_the_latest_known_comes_first(nodes: Nodes, clock: FixedClock) -> None:
    made = []
    for number, kind in enumerate((NodeKind.EVENT, NodeKind.THOUGHT, NodeKind.EVENT)):
        subject = Subject.PERSONA if kind is NodeKind.THOUGHT else Subject.USER
        made.append(nodes.add(NewNode(f"n{number}", kind=kind, subject=subject, attribute=f"a{number}")))
        clock.advance(timedelta(hours=1))

    assert nodes.list() == made[::-1]
    assert nodes.list(limit=1) == [made[2]]
    assert nodes.list(kinds=[NodeKind.EVENT]) == [made[2], made[0]]
    assert nodes.list(subject=Subject.PERSONA) == [made[1]]
    assert nodes.list(attribute="A0") == [made[0]]
    for bad in ({"limit": 0}, {"kinds": ["dream"]}, {"as_of": datetime(2026, 5, 1)}):  # noqa: DTZ001
        with pytest.raises(InputError):
            nodes.list(**bad)  # type: ignore[arg-type]


def test_an_unknown_node_is_named_with_where_it_was_looked_for(nodes: Nodes) -> None:
    with pytest.raises(NotFoundError, match=r"No node 'nothing' in shared or user:mei\."):
        nodes.get("nothing")
