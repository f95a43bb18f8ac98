from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import InputError, NotFoundError
from echovessel.memory import names as names_module
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.records import Scope

Say = Callable[..., str]


@pytest.fixture
def directory(context: Context) -> Entities:
    return Entities(context)


def linked(context: Context, message: str) -> set[str]:
    rows = context.store.rows("SELECT entity FROM message_entities WHERE message = ?", (message,))
    return {entity for (entity,) in rows}


def test_an_entity_has_every_name_it_goes_by(directory: Entities) -> None:
    added = directory.add("黄逸扬", aliases=["Scott", "老黄", "SCOTT"])

    assert added.aliases == ("黄逸扬", "Scott", "老黄")
    assert directory.get(added.id) == added
    assert directory.list() == [added]
    assert directory.list(kind="place") == []


def test_find_folds_case_width_script_and_titles(directory: Entities) -> None:
    scott = directory.add("黄逸扬", aliases=["Scott"])
    for name in ("scott", "ＳＣＯＴＴ", "黃逸揚", "Dr. Scott", "Mr Scott", "黄逸扬老师", " Scott "):
        assert directory.find(name) == [scott], name
    assert directory.find("Scot") == []


def test_a_surname_with_a_title_is_not_another_with_another(directory: Entities) -> None:
    teacher, manager = directory.add("王老师"), directory.add("王总")
    assert directory.find("王老师") == [teacher]
    assert directory.find("王总") == [manager]
    assert directory.find("王先生") == []


def test_mr_smith_is_smith_but_not_mrs_smith(directory: Entities) -> None:
    mister = directory.add("Mr Smith")
    assert directory.find("Smith") == [mister]
    assert directory.find("Mr. Smith") == [mister]
    assert directory.find("Mrs Smith") == []

    missis = directory.add("Mrs Smith")
    assert directory.find("Smith") == [mister, missis]
    # A full name is one person whatever the title.
    jane = directory.add("Dr Jane Smith")
    assert directory.find("Prof. Jane Smith") == [jane]


def test_two_people_may_share_a_name(directory: Entities) -> None:
    one, two = directory.add("Sam"), directory.add("Sam")
    assert directory.find("sam") == [one, two]
    assert directory.mentioned("Where is Sam?") == {one.id, two.id}


def test_an_alias_of_one_letter_is_refused_and_nothing_is_kept(directory: Entities) -> None:
    with pytest.raises(InputError, match="found everywhere"):
        directory.add("Scott", aliases=["S"])
    assert directory.list() == []
    entity = directory.add("林")  # one Han character is a name
    with pytest.raises(InputError, match="found everywhere"):
        directory.add_alias(entity.id, "L")


def test_adding_an_alias_links_the_messages_that_hold_it(
    context: Context, directory: Entities, say: Say
) -> None:
    by_alias, annual, other = (
        say(context, "Scott升职了"),
        say(context, "Scotty升职了"),
        say(context, "下雨了"),
    )
    entity = directory.add("黄逸扬")
    assert not linked(context, by_alias)

    directory.add_alias(entity.id, "Scott")

    assert linked(context, by_alias) == {entity.id}
    assert linked(context, annual) == linked(context, other) == set()


def test_a_longer_alias_of_another_takes_a_link_over(context: Context, directory: Entities, say: Say) -> None:
    message = say(context, "王小明来了")
    short = directory.add("小明")
    assert linked(context, message) == {short.id}

    full = directory.add("王小明")

    assert linked(context, message) == {full.id}


def test_removing_an_alias_takes_its_links_with_it(context: Context, directory: Entities, say: Say) -> None:
    message = say(context, "Scott升职了")
    entity = directory.add("黄逸扬", aliases=["Scott"])

    assert directory.remove_alias(entity.id, "ＳＣＯＴＴ").aliases == ("黄逸扬",)
    assert linked(context, message) == set()
    assert directory.mentioned("Scott") == set()
    with pytest.raises(NotFoundError, match="does not go by"):
        directory.remove_alias(entity.id, "Scott")
    with pytest.raises(InputError, match="only name"):
        directory.remove_alias(entity.id, "黄逸扬")


def test_nobody_is_shown_under_a_name_that_was_taken_away(directory: Entities) -> None:
    entity = directory.add("Scotty", aliases=["黄逸扬"])
    left = directory.remove_alias(entity.id, "Scotty")
    assert (left.name, left.aliases) == ("黄逸扬", ("黄逸扬",))


def test_a_batch_links_once_at_the_end(context: Context, directory: Entities, say: Say) -> None:
    message = say(context, "Ann und Ben")
    with directory.batch():
        ann, ben = directory.add("Ann"), directory.add("Ben")
        assert linked(context, message) == set()
    assert linked(context, message) == {ann.id, ben.id}


def test_a_batch_that_fails_leaves_nothing(directory: Entities) -> None:
    def add_and_fail() -> None:
        with directory.batch():
            directory.add("Ann")
            assert directory.mentioned("Ann")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        add_and_fail()
    assert directory.list() == []
    # The next change takes the numbers in the log that the failed one had.
    ben = directory.add("Ben")
    assert directory.mentioned("Ann and Ben") == {ben.id}


def test_a_batch_links_shared_names_in_the_shared_scope_too(
    context: Context, directory: Entities, say: Say
) -> None:
    message = say(context.within(Scope.shared()), "Rose called")
    with directory.batch():
        rose = directory.add("Rose", scope=Scope.shared())
    assert linked(context, message) == {rose.id}


def test_rename_keeps_the_old_name_as_an_alias(directory: Entities) -> None:
    entity = directory.add("Scott")
    renamed = directory.rename(entity.id, "黄逸扬")
    assert (renamed.name, renamed.aliases) == ("黄逸扬", ("Scott", "黄逸扬"))


# Scopes


def test_another_scope_and_another_persona_see_nothing(context: Context, directory: Entities) -> None:
    entity = directory.add("Scott")
    others = [
        context.within(Scope.user("tom")),
        context.within(Scope.group("mei")),
        context.within(Scope.shared()),
    ]
    with context.store.write():
        context.store.run(
            "INSERT INTO personas (id, name, kind, created_at) VALUES ('ada', 'Ada', 'written', 0)"
        )
    for other in (*others, replace(context, persona="ada")):
        elsewhere = Entities(other)
        assert elsewhere.list() == elsewhere.find("Scott") == []
        assert elsewhere.mentioned("Scott") == set()
        with pytest.raises(NotFoundError):
            elsewhere.get(entity.id)
        with pytest.raises(NotFoundError):
            elsewhere.add_alias(entity.id, "Scotty")


def test_a_name_learned_from_one_user_of_a_shared_entity_stays_that_users(context: Context, say: Say) -> None:
    shared, mei, tom = (
        Entities(context.within(s)) for s in (Scope.shared(), Scope.user("mei"), Scope.user("tom"))
    )
    in_shared = say(context.within(Scope.shared()), "Dumpling was late")
    aunt = shared.add("Aunt Rose")

    mei.add_alias(aunt.id, "Dumpling")
    assert tom.get(aunt.id).aliases == ("Aunt Rose",)
    assert tom.mentioned("Dumpling") == set()
    assert linked(context, in_shared) == set(), "what Mei knows must not mark a line that Tom reads"
    tom.add_alias(aunt.id, "Dumpling")
    assert mei.mentioned("Dumpling") == tom.mentioned("Dumpling") == {aunt.id}

    with pytest.raises(InputError, match="shared scope"):
        mei.remove_alias(aunt.id, "Aunt Rose")


def test_a_shared_alias_links_every_users_messages_each_by_its_own_names(context: Context, say: Say) -> None:
    tom = context.within(Scope.user("tom"))
    from_mei, from_tom = say(context, "Rose Lee called"), say(tom, "Rose Lee called")
    lee = Entities(context).add("Rose Lee")

    rose = Entities(context.within(Scope.shared())).add("Rose")

    assert linked(context, from_mei) == {lee.id}
    assert linked(context, from_tom) == {rose.id}


def test_an_entity_is_not_written_into_a_scope_that_cant_be_read(directory: Entities) -> None:
    with pytest.raises(InputError, match="can't be written"):
        directory.add("Scott", scope=Scope.user("tom"))
    assert directory.add("Rose", scope=Scope.shared()).scope == Scope.shared()


# The matcher is kept, and kept in step


def test_the_matcher_is_built_once(context: Context, directory: Entities, say: Say) -> None:
    directory.add("Scott")
    first = directory.matcher()
    say(context, "another row")

    assert directory.matcher() is first
    assert Entities(context).matcher() is first


def test_another_process_adds_a_name(
    context: Context, directory: Entities, tmp_path: Path, clock: FixedClock
) -> None:
    assert directory.mentioned("Scott") == set()
    other = Store(tmp_path / "memory.db")
    try:
        entity = Entities(replace(context, store=other)).add("Scott")
        assert directory.mentioned("Scott") == {entity.id}
        Entities(replace(context, store=other)).add_alias(entity.id, "老黄")
        assert directory.mentioned("老黄") == {entity.id}
    finally:
        other.close()


def test_a_name_forgotten_by_sql_is_gone(context: Context, directory: Entities) -> None:
    entity = directory.add("Scott")
    assert directory.mentioned("Scott")
    with context.store.write():
        context.store.run("DELETE FROM entities WHERE id = ?", (entity.id,))
    assert directory.mentioned("Scott") == set()


def test_a_cut_log_of_changes_hides_nothing(context: Context, directory: Entities) -> None:
    directory.add("Scott")
    directory.mentioned("Scott")
    with context.store.write():
        context.store.run("DELETE FROM aliases")
        context.store.run("DELETE FROM changes")
    assert directory.mentioned("Scott") == set()


def test_ten_thousand_aliases_are_not_read_again_on_every_call(
    context: Context, directory: Entities, monkeypatch: pytest.MonkeyPatch
) -> None:
    with directory.batch():
        for number in range(1_000):
            directory.add(f"Name {number}", aliases=[f"nick{number}x{i}" for i in range(9)])
    assert len(directory.matcher()) == 10_000
    monkeypatch.setattr(names_module, "_read", lambda _: pytest.fail("read again"))

    for _ in range(100):
        assert len(directory.mentioned("is nick77x3 or Name 5 there?")) == 2
