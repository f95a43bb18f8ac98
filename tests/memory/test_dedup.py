from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import MEMORY, Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker
from echovessel.memory.records import Scope
from echovessel.memory.rows import insert

Say = Callable[..., str]


@pytest.fixture
def directory(context: Context) -> Entities:
    with context.store.write():
        context.store.run(
            "INSERT INTO embedders (name, version, dim, checksum, calibration, active)"
            " VALUES ('t', '1', 3, 'c', '{}', 1)"
        )
    return Entities(context)


def at_cosine(cosine: float) -> np.ndarray:
    """A vector at that cosine to the first axis."""
    return np.array([cosine, np.sqrt(1 - cosine**2), 0.0], dtype=np.float32)


SAME = at_cosine(1.0)


def linked(context: Context, message: str) -> set[str]:
    rows = context.store.rows("SELECT entity FROM message_entities WHERE message = ?", (message,))
    return {entity for (entity,) in rows}


# Tier 1


def test_case_8_a_name_said_in_four_sessions_is_one_entity(directory: Entities) -> None:
    # Vectors that contradict: equal names match before vectors.
    said = ["KRTX", "krtx", "ＫＲＴＸ", " KRTX "]
    found = [
        directory.ensure(name, kind="company", vector=at_cosine(1 - i / 2)) for i, name in enumerate(said)
    ]

    assert [each.how for each in found] == ["new", "alias", "alias", "alias"]
    assert len({each.entity.id for each in found if each.entity}) == 1
    assert [entity.name for entity in directory.list()] == ["KRTX"]


def test_a_name_of_two_people_is_ambiguous_and_makes_no_third(directory: Entities) -> None:
    one, two = directory.add("Sam"), directory.add("Sam", kind="place")

    found = directory.ensure("sam", kind="pet")
    assert (found.how, found.entity) == ("ambiguous", None)
    assert [candidate.entity for candidate in found.candidates] == [one, two]
    assert len(directory.list()) == 2
    # The kind decides where it can.
    assert directory.resolve("Sam", kind="place").entity == two


# Tiers 2 and 3


@pytest.mark.parametrize(
    ("cosine", "how"),
    [(0.95, "similar"), (0.9, "similar"), (0.89, "uncertain"), (0.7, "uncertain"), (0.69, "new")],
)
def test_the_thresholds(directory: Entities, cosine: float, how: str) -> None:
    directory.ensure("Jonathan", vector=SAME)
    assert directory.resolve("Nathaniel", vector=at_cosine(cosine + 1e-6)).how == how


def test_without_a_vector_only_equal_names_count(directory: Entities) -> None:
    directory.ensure("Jonathan", vector=SAME)
    assert directory.resolve("Nathaniel").how == "new"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("小明", "王大锤子"),
        ("王大锤子", "阿明"),
        ("Al", "Albert"),
        ("Albert", "Bo"),
        ("王老师", "王老师傅们"),
    ],
)
def test_short_names_never_merge_on_likeness(directory: Entities, known: str, said: str) -> None:
    directory.ensure(known, vector=SAME)
    assert directory.resolve(said, vector=SAME).how == "uncertain"


def test_two_near_entities_are_uncertain(directory: Entities) -> None:
    directory.ensure("Jonathan", vector=SAME)
    second = directory.ensure("Benedict", vector=-SAME).entity
    assert second is not None
    directory.ensure("Benedict", vector=SAME)
    directory.ensure("Benedict", vector=SAME)
    assert directory.resolve("Nathaniel", vector=SAME).how == "uncertain"


def test_another_kind_is_not_like_it(directory: Entities) -> None:
    directory.ensure("Jonathan", vector=SAME, kind="company")
    assert directory.resolve("Nathaniel", vector=SAME, kind="person").how == "new"


def test_a_likeness_is_merged_and_can_be_undone(directory: Entities) -> None:
    first = directory.ensure("Jonathan", vector=SAME).entity
    found = directory.ensure("Johnny-boy", vector=SAME)

    assert first is not None
    assert found.how == "similar"
    assert found.entity is not None
    assert (found.entity.id, found.entity.aliases) == (first.id, ("Jonathan", "Johnny-boy"))
    (change,) = directory.changes()
    directory.undo(change.id)
    assert [entity.aliases for entity in directory.list()] == [("Jonathan",), ("Johnny-boy",)]


def test_an_uncertain_pair_is_asked_about_once_and_settled(directory: Entities) -> None:
    directory.ensure("Jonathan", vector=SAME)
    assert directory.ensure("Nathaniel", vector=at_cosine(0.8)).how == "uncertain"
    assert directory.ensure("Nathaniel", vector=at_cosine(0.8)).how == "alias"

    (question,) = directory.questions()
    assert (question.one.name, question.other.name) == ("Jonathan", "Nathaniel")
    assert question.similarity == pytest.approx(0.8)
    change = directory.settle(question.id, same=True)
    assert directory.questions() == []
    assert [entity.aliases for entity in directory.list()] == [("Jonathan", "Nathaniel")]
    with pytest.raises(NotFoundError):
        directory.settle(question.id, same=True)

    assert change is not None
    directory.undo(change.id)
    assert len(directory.list()) == 2


def test_a_no_leaves_them_two(directory: Entities) -> None:
    directory.ensure("Jonathan", vector=SAME)
    directory.ensure("Nathaniel", vector=at_cosine(0.8))
    (question,) = directory.questions()
    assert directory.settle(question.id, same=False) is None
    assert directory.questions() == []
    assert len(directory.list()) == 2


def test_a_pair_merged_by_hand_is_not_asked_about(directory: Entities) -> None:
    one = directory.ensure("Jonathan", vector=SAME).entity
    other = directory.ensure("Nathaniel", vector=at_cosine(0.8)).entity
    assert one is not None
    assert other is not None
    directory.merge(one.id, other.id)
    assert directory.questions() == []


@pytest.mark.parametrize("vector", [np.zeros(3), np.ones(2), np.array([1.0, np.nan, 0.0]), np.ones((1, 3))])
def test_a_vector_that_does_not_fit_is_refused_and_nothing_is_kept(
    directory: Entities, vector: np.ndarray
) -> None:
    with pytest.raises(InputError, match="3 finite numbers"):
        directory.ensure("Jonathan", vector=vector)
    assert directory.list() == []


def test_thresholds_out_of_order_are_refused(directory: Entities) -> None:
    with pytest.raises(InputError, match="lower <= upper"):
        directory.resolve("Jonathan", upper=0.5, lower=0.6)


# Merge, split, undo


def test_a_merge_makes_one_of_two_in_every_reading(context: Context, directory: Entities, say: Say) -> None:
    scott, huang = directory.add("Scott"), directory.add("黄逸扬")
    message = say(context, "unrelated")

    change = directory.merge(scott.id, huang.id)

    assert (change.kind, change.entity, change.other) == ("merge", scott.id, huang.id)
    assert [entity.aliases for entity in directory.list()] == [("Scott", "黄逸扬")]
    assert directory.mentioned("黄逸扬来了") == {scott.id}
    assert directory.members({scott.id}) == {scott.id, huang.id}
    assert directory.get(huang.id).merged_into == scott.id
    assert linked(context, message) == set()
    with pytest.raises(InputError, match="one entity already"):
        directory.merge(huang.id, scott.id)


def test_undo_of_a_merge_gives_back_what_was_written_since(
    context: Context, directory: Entities, say: Say
) -> None:
    scott, huang = directory.add("Scott"), directory.add("黄逸扬")
    change = directory.merge(scott.id, huang.id)
    message = say(context, "黄逸扬来了")
    with context.store.write():  # as the writer of messages links it: to the root
        for entity in directory.mentioned("黄逸扬来了"):
            insert(context.store, "message_entities", message=message, entity=entity)
    assert linked(context, message) == {scott.id}

    undone = directory.undo(change.id)

    assert undone.undone_at == context.clock.now()
    assert linked(context, message) == {huang.id}
    with pytest.raises(InputError, match="undone at"):
        directory.undo(change.id)


def test_undoing_the_first_of_two_merges_leaves_the_second(directory: Entities) -> None:
    a, b, c = (directory.add(name) for name in ("Anna", "Berta", "Carla"))
    first = directory.merge(b.id, a.id)
    directory.merge(c.id, b.id)
    assert directory.root(a.id) == c.id

    directory.undo(first.id)

    assert [entity.aliases for entity in directory.list()] == [("Anna",), ("Carla", "Berta")]


def test_a_split_takes_names_and_their_messages_along(
    context: Context, directory: Entities, say: Say
) -> None:
    both = directory.add("Scott", aliases=["Huang", "老黄"])
    huang_said, scott_said = say(context, "Huang came"), say(context, "Scott came")
    directory.add_alias(both.id, "came")  # links both messages to the one entity
    directory.remove_alias(both.id, "came")

    change = directory.split(both.id, aliases=["huang", "老黄"], name="黄先生")

    assert directory.get(both.id).aliases == ("Scott",)
    assert set(directory.get(change.other).aliases) == {"Huang", "老黄", "黄先生"}
    assert directory.get(change.other).name == "黄先生"
    assert directory.mentioned("Huang") == {change.other}
    assert linked(context, scott_said) <= {both.id}
    assert linked(context, huang_said) <= {change.other}

    directory.undo(change.id)
    assert [entity.aliases for entity in directory.list()] == [("Scott", "Huang", "老黄")]


def test_a_split_must_leave_a_name_and_name_what_exists(directory: Entities) -> None:
    scott = directory.add("Scott")
    with pytest.raises(InputError, match="at least one name"):
        directory.split(scott.id, aliases=["Scott"])
    with pytest.raises(InputError, match="names or the nodes"):
        directory.split(scott.id)
    with pytest.raises(NotFoundError, match="does not go by"):
        directory.split(scott.id, aliases=["Huang"])
    assert directory.list() == [scott]


def test_undo_of_a_split_keeps_what_the_new_one_has_gained(directory: Entities) -> None:
    both = directory.add("Scott", aliases=["Huang"])
    change = directory.split(both.id, aliases=["Huang"])
    directory.add_alias(change.other, "Dumpling")

    directory.undo(change.id)

    assert [set(entity.aliases) for entity in directory.list()] == [{"Scott", "Huang", "Dumpling"}]


def test_undo_of_a_split_after_the_old_one_was_merged_into_the_new(directory: Entities) -> None:
    both = directory.add("Scott", aliases=["Huang"])
    change = directory.split(both.id, aliases=["Huang"])
    directory.merge(change.other, both.id)
    directory.undo(change.id)
    assert [set(entity.aliases) for entity in directory.list()] == [{"Scott", "Huang"}]


def test_a_forgotten_half_can_not_be_brought_back(context: Context, directory: Entities) -> None:
    one, other = directory.add("Scott"), directory.add("Huang")
    change = directory.merge(one.id, other.id)
    with context.store.write():
        context.store.run("DELETE FROM entities WHERE id = ?", (other.id,))
    with pytest.raises(InputError, match="forgotten"):
        directory.undo(change.id)


def test_the_log_holds_no_text(context: Context, directory: Entities) -> None:
    both = directory.add("Scott", aliases=["Huang"])
    directory.split(both.id, aliases=["Huang"])
    assert all("Huang" not in json.dumps(row) for row in context.store.rows("SELECT * FROM entity_changes"))


def test_shared_entities_are_merged_only_in_the_shared_scope(context: Context) -> None:
    shared, mei = Entities(context.within(Scope.shared())), Entities(context)
    rose, rosa = shared.add("Rose"), shared.add("Rosa")
    own = mei.add("Rosie")

    for keep, absorb in ((rose, rosa), (own, rose)):
        with pytest.raises(InputError, match="belongs to shared"):
            mei.merge(keep.id, absorb.id)
    mei.merge(rose.id, own.id)
    assert mei.mentioned("Rosie") == {rose.id}
    assert shared.mentioned("Rosie") == set()
    shared.merge(rose.id, rosa.id)
    assert Entities(context.within(Scope.user("tom"))).get(rose.id).aliases == ("Rose", "Rosa")


def test_an_unknown_change_or_one_of_another_scope_is_unknown(context: Context, directory: Entities) -> None:
    change = directory.merge(directory.add("Scott").id, directory.add("Huang").id)
    for elsewhere in (Entities(context.within(Scope.user("tom"))), Entities(context.within(Scope.shared()))):
        with pytest.raises(NotFoundError):
            elsewhere.undo(change.id)


# Laws

NAMES = ["Anna", "Berta", "Carla", "Dora", "Ann", "王小明", "小明"]


def snapshot(context: Context) -> list[list[tuple[object, ...]]]:
    run = context.store.rows
    return [
        run("SELECT id, name, merged_into FROM entities ORDER BY id"),
        run("SELECT id, entity, scope, folded FROM aliases ORDER BY id"),
        run("SELECT message, entity FROM message_entities ORDER BY 1, 2"),
    ]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changes_undone_in_reverse_are_as_if_they_had_never_been(
    data: st.DataObject, say: Say, clock: FixedClock
) -> None:
    store = Store(MEMORY)
    context = Context(store, "lin", Scope.user("mei"), clock, IdMaker())
    with store.write():
        insert(store, "personas", id="lin", name="Lin", kind="written", created_at=0)
    directory = Entities(context)
    for name in NAMES:
        say(context, f"{name} 和 {data.draw(st.sampled_from(NAMES))} came")
    for name in NAMES:
        directory.add(
            name, aliases=data.draw(st.lists(st.sampled_from(["Queen", "King", "老大"]), max_size=2))
        )
    before, done = [], []

    for _ in range(data.draw(st.integers(1, 5))):
        roots = directory.list()
        one = data.draw(st.sampled_from(roots))
        state = snapshot(context)
        if data.draw(st.booleans()) and len(one.aliases) > 1:
            change = directory.split(one.id, aliases=[data.draw(st.sampled_from(one.aliases))])
        elif len(roots) > 1:
            other = data.draw(st.sampled_from([root for root in roots if root != one]))
            change = directory.merge(one.id, other.id)
        else:
            break
        before.append(state)
        done.append(change)
    while done:
        directory.undo(done.pop().id)
        assert snapshot(context) == before.pop()
    store.close()
