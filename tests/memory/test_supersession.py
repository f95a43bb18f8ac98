from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock, from_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import MEMORY, Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker
from echovessel.memory.nodes import Nodes
from echovessel.memory.records import NewNode, Node, NodeKind, Origin, Scope, Source, Subject
from echovessel.memory.rows import insert

Say = Callable[..., str]


@pytest.fixture
def nodes(context: Context) -> Nodes:
    return Nodes(context, Entities(context))


def month(number: int) -> datetime:
    return datetime(2026, number, 1, tzinfo=UTC)


def job(text: str, known: int, *old: Node) -> NewNode:
    return NewNode(
        text, attribute="workplace", known_at=month(known), supersedes=tuple(node.id for node in old)
    )


def texts(found: list[Node]) -> list[str]:
    return [node.text for node in found]


def test_the_new_fact_is_current_and_the_old_one_kept(nodes: Nodes) -> None:
    old = nodes.add(job("Lanting", 3))
    new = nodes.add(job("Northgate", 5, old))

    assert nodes.list() == [new]
    assert texts(nodes.list(include_superseded=True)) == ["Northgate", "Lanting"]
    was = nodes.get(old.id)
    assert (was.superseded_by, was.superseded_at) == (new.id, month(5))
    assert texts(nodes.history(old.id)) == texts(nodes.history(new.id)) == ["Lanting", "Northgate"]


def test_as_of_is_exact_at_the_change(nodes: Nodes) -> None:
    nodes.add(job("Northgate", 5, nodes.add(job("Lanting", 3))))
    moment = timedelta(microseconds=1)
    assert texts(nodes.list(as_of=month(3) - moment)) == []
    assert texts(nodes.list(as_of=month(3))) == ["Lanting"]
    assert texts(nodes.list(as_of=month(5) - moment)) == ["Lanting"]
    assert texts(nodes.list(as_of=month(5))) == ["Northgate"]
    assert texts(nodes.list(as_of=month(5), include_superseded=True)) == ["Northgate", "Lanting"]


def test_recorded_as_of_shows_what_the_file_held(nodes: Nodes, clock: FixedClock) -> None:
    clock.set(month(7))
    old = nodes.add(job("Lanting", 3))
    clock.set(month(9))
    nodes.add(job("Northgate", 5, old))

    assert texts(nodes.list(recorded_as_of=month(6))) == []
    assert texts(nodes.list(recorded_as_of=month(8))) == ["Lanting"]
    assert texts(nodes.list(recorded_as_of=month(9))) == ["Northgate"]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"kind": NodeKind.THOUGHT}, "its kind"),
        ({"subject": Subject.PERSONA}, "its subject"),
        ({"attribute": "home"}, "its attribute"),
        ({"attribute": ""}, "its attribute"),
        ({"known_at": month(2)}, "known later"),
    ],
)
def test_only_the_same_fact_is_replaced(nodes: Nodes, change: dict[str, object], match: str) -> None:
    old = nodes.add(job("Lanting", 3))
    with pytest.raises(InputError, match=match):
        nodes.add(replace(job("Northgate", 5, old), **change))
    assert nodes.list() == [old]


def test_a_memory_without_an_attribute_is_replaced_by_a_person_alone(nodes: Nodes) -> None:
    event, bystander = nodes.add(NewNode("rain")), nodes.add(NewNode("wind"))
    heard = NewNode("sun", origin=Origin.IMPORT, supersedes=(event.id,))
    with pytest.raises(InputError, match="only a person may name"):
        nodes.add(heard)
    stored = nodes.add(replace(heard, supersedes=()))
    with pytest.raises(InputError, match="only a person may name"):
        nodes.supersede(event.id, stored.id)
    assert texts(nodes.list()) == ["sun", "wind", "rain"]

    clear = nodes.add(NewNode("clear", supersedes=(event.id,)))

    assert nodes.get(event.id).superseded_by == clear.id
    assert nodes.get(bystander.id).superseded_by is None
    assert nodes.conflicting(NewNode("storm")) == []  # having none is nothing in common
    with pytest.raises(InputError, match="its attribute"):
        nodes.add(NewNode("hail", attribute="weather", supersedes=(clear.id,)))


def test_a_fact_is_replaced_once(nodes: Nodes) -> None:
    old = nodes.add(job("Lanting", 3))
    new = nodes.add(job("Northgate", 4, old))
    with pytest.raises(InputError, match=f"superseded already, by '{new.id}'"):
        nodes.add(job("Southgate", 5, old))
    assert nodes.list() == [new]


def test_the_facts_of_two_third_parties_do_not_replace_each_other(context: Context, nodes: Nodes) -> None:
    directory = Entities(context)
    tom, ann = directory.add("Tom"), directory.add("Ann")

    def works(who: str, where: str, known: int) -> NewNode:
        return NewNode(where, subject=Subject.OTHER, about=who, attribute="workplace", known_at=month(known))

    old = nodes.add(works(tom.id, "Lanting", 3))
    assert nodes.conflicting(works(ann.id, "Northgate", 4)) == []
    with pytest.raises(InputError, match="its about"):
        nodes.add(
            NewNode("x", subject=Subject.OTHER, about=ann.id, attribute="workplace", supersedes=(old.id,))
        )

    directory.merge(tom.id, ann.id)  # one person after all

    assert nodes.conflicting(works(ann.id, "Northgate", 4)) == [nodes.get(old.id)]


def test_another_scopes_fact_is_unknown_or_not_ones_own(context: Context, nodes: Nodes) -> None:
    elsewhere, shared = context.within(Scope.user("tom")), context.within(Scope.shared())
    toms = Nodes(elsewhere, Entities(elsewhere)).add(job("Lanting", 3))
    own = Nodes(shared, Entities(shared)).add(job("Wuxi", 3))

    with pytest.raises(NotFoundError):
        nodes.add(job("Northgate", 5, toms))
    with pytest.raises(InputError, match="its scope"):
        nodes.add(job("Northgate", 5, own))
    assert nodes.conflicting(job("Northgate", 5)) == []


def test_conflicting_lists_what_may_be_superseded(nodes: Nodes) -> None:
    lanting = nodes.add(job("Lanting", 3))
    nodes.add(NewNode("tea", attribute="drink", known_at=month(3)))
    later = nodes.add(job("Southgate", 6))

    assert nodes.conflicting(job("LANTING", 5)) == []
    assert nodes.conflicting(job("Northgate", 5)) == [lanting]
    assert nodes.conflicting(job("Northgate", 7)) == [lanting, later]
    assert nodes.conflicting(NewNode("rain")) == []
    nodes.add(job("Northgate", 7, lanting, later))
    assert texts(nodes.list()) == ["Northgate", "tea"]


def test_a_late_arrival_is_filed_as_history(nodes: Nodes) -> None:
    northgate = nodes.add(job("Northgate", 6))
    lanting = nodes.add(job("Lanting", 3))
    assert nodes.conflicting(job("Lanting", 3)) == []

    nodes.supersede(lanting.id, northgate.id)

    assert texts(nodes.list()) == ["Northgate"]
    assert texts(nodes.list(as_of=month(4))) == ["Lanting"]


def test_supersede_refuses_a_circle(nodes: Nodes) -> None:
    one, two = nodes.add(job("Lanting", 3)), nodes.add(job("Northgate", 3))
    nodes.supersede(one.id, two.id)
    for pair in ((two.id, one.id), (two.id, two.id)):
        with pytest.raises(InputError, match="itself"):
            nodes.supersede(*pair)


def test_restore_undoes_a_supersession(nodes: Nodes) -> None:
    old = nodes.add(job("Lanting", 3))
    nodes.add(job("Northgate", 5, old))
    assert nodes.restore(old.id) == old
    assert texts(nodes.list()) == ["Northgate", "Lanting"]
    with pytest.raises(InputError, match="not superseded"):
        nodes.restore(old.id)


def test_deleting_the_new_fact_revives_the_old_one(context: Context, nodes: Nodes) -> None:
    """After forgetting, never none."""
    a = nodes.add(job("Lanting", 3))
    b = nodes.add(job("Northgate", 4, a))
    c = nodes.add(job("Southgate", 5, b))

    with context.store.write():
        context.store.run("DELETE FROM nodes WHERE id = ?", (b.id,))
    assert (nodes.get(a.id).superseded_by, nodes.get(a.id).superseded_at) == (c.id, month(5))
    assert nodes.list() == [c]
    with context.store.write():
        context.store.run("DELETE FROM nodes WHERE id = ?", (c.id,))
    assert nodes.list() == [a]


# A fact said again


def test_a_mention_counts_and_is_known_later_but_was_known_before(
    context: Context, nodes: Nodes, say: Say
) -> None:
    node = nodes.add(job("Lanting", 3))
    again = nodes.mention(
        node.id, Source(message=say(context, "still at Lanting", month(5)), quote="Lanting")
    )

    assert (again.id, again.mentions, again.known_at, again.first_known_at) == (
        node.id,
        2,
        month(5),
        month(3),
    )
    assert [source.quote for source in again.sources] == ["Lanting"]
    assert nodes.list(as_of=month(4)) == [again], (
        "what was said in March was known in April, whatever came in May"
    )


def test_the_same_source_counts_once(context: Context, nodes: Nodes, say: Say) -> None:
    node = nodes.add(job("Lanting", 3))
    source = Source(message=say(context, "Lanting", month(5)))
    assert nodes.mention(node.id, source) == nodes.mention(node.id, source)
    assert nodes.get(node.id).mentions == 2


def test_a_fact_said_again_after_it_was_replaced_is_current_again(
    context: Context, nodes: Nodes, say: Say
) -> None:
    """Merged into the superseded node it would vanish."""
    lanting = nodes.add(job("Lanting", 2))
    nodes.add(job("Northgate", 3, lanting))
    source = Source(message=say(context, "back at Lanting", month(5)), quote="Lanting")

    back = nodes.mention(lanting.id, source)

    assert back.id != lanting.id
    assert (back.text, back.known_at, back.sources) == ("Lanting", month(5), (source,))
    assert nodes.list() == [back]
    assert texts(nodes.history(back.id)) == ["Lanting", "Northgate", "Lanting"]
    # And once more: the node that holds it now counts it, also by the old id.
    more = nodes.mention(lanting.id, Source(message=say(context, "Lanting!", month(6))))
    assert (more.id, more.mentions) == (back.id, 2)


def test_said_again_before_it_was_replaced_is_history(context: Context, nodes: Nodes, say: Say) -> None:
    lanting = nodes.add(job("Lanting", 2))
    northgate = nodes.add(job("Northgate", 5, lanting))
    again = nodes.mention(lanting.id, Source(message=say(context, "Lanting", month(4))))
    assert (again.id, again.mentions) == (lanting.id, 2)
    assert nodes.list() == [northgate]


def test_said_again_between_two_changes_finds_its_place(context: Context, nodes: Nodes, say: Say) -> None:
    a = nodes.add(job("Lanting", 1))
    b = nodes.add(job("Northgate", 2, a))
    c = nodes.add(job("Southgate", 5, b))

    nodes.mention(a.id, Source(message=say(context, "Lanting again", month(3))))

    assert nodes.list() == [c]
    assert [texts(nodes.list(as_of=month(m))) for m in (1, 2, 3, 5)] == [
        ["Lanting"],
        ["Northgate"],
        ["Lanting"],
        ["Southgate"],
    ]


# Laws


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["say", "repeat", "forget"]), st.integers(0, 9), st.integers(0, 40)),
        max_size=12,
    )
)
def test_one_fact_is_live_whatever_is_said_repeated_or_forgotten(
    steps: list[tuple[str, int, int]], say: Say, clock: FixedClock
) -> None:
    store = Store(MEMORY)
    context = Context(store, "lin", Scope.user("mei"), clock, IdMaker())
    with store.write():
        insert(store, "personas", id="lin", name="Lin", kind="written", created_at=0)
    nodes = Nodes(context, Entities(context))
    made = [nodes.add(NewNode("fact 0", attribute="a", known_at=month(1))).id]
    for step, which, day in steps:
        known = month(1) + timedelta(days=day)
        if step == "say":
            new = NewNode(f"fact {which}", attribute="a", known_at=known)
            live = nodes.list()[0]
            if nodes.conflicting(new):
                new = NewNode(new.text, attribute="a", known_at=known, supersedes=(live.id,))
                made.append(nodes.add(new).id)
        elif step == "repeat":
            source = Source(message=say(context, "again", known))
            kept = nodes.mention(made[which % len(made)], source).id
            if kept not in made:
                made.append(kept)
        elif len(made) > 1:
            gone = made.pop(which % len(made))
            with store.write():
                store.run("DELETE FROM nodes WHERE id = ?", (gone,))
        assert len(nodes.list()) == 1
        first = from_micros(store.value("SELECT min(first_known_at) FROM nodes"))
        for days in range(0, 45, 4):
            moment = month(1) + timedelta(days=days)
            assert len(nodes.list(as_of=moment)) == (1 if moment >= first else 0)
        assert len(nodes.history(made[0])) == len(made)
    store.close()


def test_the_engine_needs_the_source_when_it_supersedes(context: Context, nodes: Nodes, say: Say) -> None:
    old = nodes.add(job("Lanting", 3))
    message = say(context, "I've started at Northgate", month(5))
    new = nodes.add(
        NewNode(
            "Northgate",
            attribute="workplace",
            origin=Origin.EXTRACTION,
            sources=(Source(message=message),),
            supersedes=(old.id,),
        )
    )
    assert nodes.get(old.id).superseded_at == new.known_at == month(5)
