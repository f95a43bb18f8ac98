from __future__ import annotations

from datetime import timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.records import Actor, CoreLabel, Scope


def test_the_label_decides_the_scope(context: Context) -> None:
    blocks = CoreBlocks(context)
    blocks.set("persona", "Lin repairs violins.", actor="manual")
    blocks.set("user", "Mei likes tea.", actor=Actor.ADMIN)

    assert [(b.label, b.scope.key) for b in blocks.all()] == [("persona", "shared"), ("user", "user:mei")]
    for scope in (Scope.user("tom"), Scope.group("club"), Scope.shared()):
        assert [b.label for b in CoreBlocks(context.within(scope)).all()] == [CoreLabel.PERSONA]


def test_a_block_of_a_user_needs_a_users_scope(context: Context) -> None:
    for scope in (Scope.shared(), Scope.group("club")):
        with pytest.raises(InputError, match="belongs to a user"):
            CoreBlocks(context.within(scope)).set("relationship", "friends", actor="manual")


@pytest.mark.parametrize("actor", ["extraction", "reflection", "slow_tick", "", "persona"])
def test_the_engine_may_not_write(context: Context, actor: str) -> None:
    blocks = CoreBlocks(context)
    with pytest.raises(InputError, match="may not write core blocks"):
        blocks.set("self", "I have changed.", actor=actor)
    assert blocks.get("self") is None
    assert blocks.history("self") == []


def test_five_thousand_characters_fit_and_one_more_does_not(context: Context) -> None:
    blocks = CoreBlocks(context)
    assert blocks.set("style", "字" * 5000, actor="manual").text == "字" * 5000
    with pytest.raises(InputError, match="at most 5000 characters, found 5001"):
        blocks.set("style", "字" * 5001, actor="manual")
    assert len(blocks.history("style")) == 1


def test_an_unknown_label_is_refused_with_the_five_there_are(context: Context) -> None:
    with pytest.raises(InputError, match="persona, self, style, user, relationship"):
        CoreBlocks(context).get("goals")


def test_every_change_keeps_who_when_before_and_after(context: Context, clock: FixedClock) -> None:
    blocks = CoreBlocks(context)
    blocks.set("self", "one", actor="manual", note="first draft")
    start = clock.now()
    clock.advance(timedelta(days=1))
    blocks.set("self", "two", actor="import")
    blocks.set("self", "two", actor="manual")  # no change, no revision

    first, second = blocks.history("self")
    assert (first.actor, first.at, first.note) == ("manual", start, "first draft")
    assert (first.before, first.after) == ("", "one")
    assert (second.actor, second.at, second.before, second.after) == ("import", clock.now(), "one", "two")


def test_undo_walks_back_step_by_step_and_is_itself_kept(context: Context) -> None:
    blocks = CoreBlocks(context)
    for text in ("one", "two", "three"):
        blocks.set("self", text, actor="manual")

    assert blocks.undo("self").text == "two"
    assert blocks.undo("self").text == "one"
    blocks.set("self", "four", actor="manual")
    assert blocks.undo("self").text == "one"
    assert blocks.undo("self").text == ""
    with pytest.raises(InputError, match="no change to undo"):
        blocks.undo("self")
    assert len(blocks.history("self")) == 8


def test_undo_does_not_touch_another_user(context: Context) -> None:
    mei, tom = CoreBlocks(context), CoreBlocks(context.within(Scope.user("tom")))
    mei.set("user", "about Mei", actor="manual")
    tom.set("user", "about Tom", actor="manual")

    mei.undo("user")

    block = tom.get("user")
    assert block is not None
    assert block.text == "about Tom"


def test_what_no_database_can_hold_is_cleaned(context: Context) -> None:
    assert CoreBlocks(context).set("self", "a\x00b\ud800", actor="manual").text == "ab\ufffd"
