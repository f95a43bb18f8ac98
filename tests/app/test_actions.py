"""What can be done from the page changes the memory, and can be taken back, but for forgetting."""

from __future__ import annotations

from datetime import date

import pytest

from echovessel.errors import EchoVesselError, InputError, NotFoundError
from echovessel.memory.records import NewNode, NodeKind, NodeStatus, Scope
from echovessel.workbench.app import actions
from echovessel.workbench.app.shelf import Opened


def node(opened: Opened, text: str) -> str:
    return next(
        one.id for one in opened.memory.nodes.list(include_superseded=True) if one.text.startswith(text)
    )


def edit(opened: Opened, item: str, **changed: object) -> None:
    before = opened.memory.nodes.get(item)
    fields = {
        "text": before.text,
        "impact": before.impact,
        "tags": before.tags,
        "occurred_from": before.occurred_from,
        "occurred_to": before.occurred_to,
    }
    actions.edit_node(opened, item, **(fields | changed))  # type: ignore[arg-type]


def test_a_correction_is_searched_and_recalled_at_once_and_taken_back(small: Opened) -> None:
    item = node(small, "Kafka")

    edit(
        small,
        item,
        text="Kafka is a lazy poodle.",
        impact=7.0,
        tags=["correction"],
        occurred_from=date(2026, 5, 1),
    )

    changed = small.memory.nodes.get(item)
    assert (changed.text, changed.impact, changed.tags) == ("Kafka is a lazy poodle.", 7.0, ("correction",))
    assert [one.id for one in small.memory.search.nodes("poodle")] == [item]
    assert not small.memory.vectors.pending(10)

    assert small.undo() is not None
    back = small.memory.nodes.get(item)
    assert (back.text, back.impact, back.tags, back.occurred_from) == (
        "Kafka is a lazy corgi.",
        -2.0,
        (),
        None,
    )
    assert not small.memory.search.nodes("poodle")
    assert not small.memory.vectors.pending(10)


def test_a_message_is_corrected_and_taken_back(small: Opened) -> None:
    message = small.memory.search.messages("corgi")[0].id

    actions.edit_message(small, message, "Kafka the poodle is lazy")
    assert small.memory.search.messages("poodle")

    small.undo()
    assert small.memory.log.get(message).text == "Kafka the corgi is lazy"


def test_a_refused_correction_leaves_nothing_to_undo(small: Opened) -> None:
    with pytest.raises(EchoVesselError):
        edit(small, node(small, "Kafka"), text="  ")

    assert small.undo() is None


def test_pin_and_back(small: Opened) -> None:
    item = node(small, "Kafka")

    assert actions.pin(small, item) is True
    assert small.memory.nodes.get(item).pinned
    small.undo()
    assert not small.memory.nodes.get(item).pinned


def test_a_new_fact_takes_the_place_of_the_old_one_and_gives_it_back(small: Opened) -> None:
    old = node(small, "Mei works at Northgate")

    new = actions.replace(small, old, "Mei works for herself.")

    assert small.memory.nodes.get(old).superseded_by == new.id
    assert (new.attribute, new.valid_from) == ("employer", date(2026, 6, 1))
    assert not small.memory.vectors.pending(10)

    small.undo()
    assert small.memory.nodes.get(old).superseded_by is None
    with pytest.raises(NotFoundError):
        small.memory.nodes.get(new.id)


def test_a_memory_without_attribute_is_replaced_because_it_was_named_and_alone(small: Opened) -> None:
    kafka = node(small, "Kafka")
    others = {one.id for one in small.memory.nodes.list() if one.id != kafka}

    new = actions.replace(small, kafka, "Kafka is brisk.")

    old = small.memory.nodes.get(kafka)
    assert (old.superseded_by, new.attribute, new.subject, new.about) == (new.id, "", old.subject, old.about)
    assert {one.id for one in small.memory.nodes.list()} == others | {new.id}
    with pytest.raises(InputError, match="superseded already"):
        actions.replace(small, kafka, "Kafka is asleep.")

    small.undo()
    assert small.memory.nodes.get(kafka).superseded_by is None


def test_a_promise_that_is_replaced_stays_open_and_due(small: Opened) -> None:
    promise = node(small, "Lin promised")

    new = actions.replace(small, promise, "Lin promised to call on Friday.")

    assert (new.kind, new.status, new.due_on) == (NodeKind.INTENTION, NodeStatus.OPEN, date(2026, 6, 5))


def test_what_belongs_to_everyone_is_changed_in_its_own_scope(small: Opened) -> None:
    shared = small.memory.within(Scope.shared()).nodes.add(
        NewNode("Lin grew up in Hangzhou.", subject="persona")
    )

    edit(small, shared.id, text="Lin grew up in Suzhou.")

    assert small.memory.nodes.get(shared.id).text == "Lin grew up in Suzhou."


@pytest.mark.parametrize("derived", ["drop", "keep"])
def test_the_dry_run_tells_what_forgetting_then_does(small: Opened, derived: actions.Derived) -> None:
    old = small.memory.nodes.get(node(small, "Mei works at Lanting"))
    thought = node(small, "Mei changes jobs")
    target = actions.target_of(old, session=False)

    told = actions.plan(small, target, derived=derived)
    assert (told.nodes, told.derived, told.done) == ((old.id,), (thought,), False)
    assert small.memory.nodes.get(old.id)

    actions.forget(small, target, derived=derived)
    left = [one.id for one in small.memory.nodes.list(include_superseded=True)]
    assert old.id not in left
    assert (thought in left) is (derived == "keep")


def test_forgetting_a_session_takes_its_turns(small: Opened) -> None:
    message = small.memory.search.messages("Lanting")[0]

    actions.forget(small, actions.target_of(message, session=True), derived="drop")

    assert [one.text for one in small.memory.log.last(10)] == [
        "I've started at Northgate Books",
        "Kafka the corgi is lazy",
    ]


def test_after_forgetting_no_step_can_bring_the_text_back(small: Opened) -> None:
    item = node(small, "Kafka")
    edit(small, item, text="Kafka bites.")

    actions.forget(small, actions.target_of(small.memory.nodes.get(item), session=False), derived="drop")

    assert small.undo() is None


def test_merge_and_split_are_taken_back(small: Opened) -> None:
    directory = small.memory.directory
    scott, kafka = (directory.find(name)[0].id for name in ("Scott", "Kafka"))

    actions.merge(small, scott, kafka)
    assert directory.find("Kafka")[0].id == scott
    small.undo()
    assert directory.find("Kafka")[0].id == kafka

    actions.split(small, scott, aliases=["Huang"], nodes=[], name="Old Huang")
    assert directory.find("Huang")[0].name == "Old Huang"
    small.undo()
    assert directory.find("Huang")[0].id == scott


def test_an_entity_is_not_merged_with_itself(small: Opened) -> None:
    scott = small.memory.directory.find("Scott")[0].id

    with pytest.raises(InputError, match="itself"):
        actions.merge(small, scott, scott)
