"""Third parties: one entity for one name, no entity for the two who talk, and none that nobody named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope, Subject

Make = Callable[..., dict[str, Any]]


def test_a_name_in_four_talks_is_one_entity(memory: Memory, talks: Any) -> None:
    """Case 8: equal names match before vectors, however they are described."""
    for who in ("a radio station", "a band", "", "where Tom works"):
        talks.form("Mei: KRTX again", entities=[{"name": "KRTX", "kind": "organisation", "who": who}])

    assert [entity.name for entity in memory.directory.list()] == ["KRTX"]


def test_known_entities_are_shown_so_that_a_variant_is_no_new_person(memory: Memory, talks: Any) -> None:
    talks.form("Mei: 黄逸扬升职了", entities=[{"name": "黄逸扬", "who": "同事"}])
    written = talks.form(
        "Mei: 逸扬请我吃饭，Scott就是逸扬",
        entities=[{"name": "逸扬", "aliases": ["Scott", "老黄"], "known": "E1"}],
    )

    assert "E1 (person): 黄逸扬" in talks.asked
    (entity,) = memory.directory.list()
    assert written.entities == (entity.id,)
    assert set(entity.aliases) == {"黄逸扬", "逸扬", "Scott"}  # 老黄 was said nowhere


def test_two_that_one_talk_tells_apart_are_never_merged_for_being_alike(memory: Memory, talks: Any) -> None:
    talks.form(
        "Mei: Joanna and Johanna came by",
        entities=[{"name": n, "who": "a friend of Mei from school in Cork"} for n in ("Joanna", "Johanna")],
    )

    assert [entity.name for entity in memory.directory.list()] == ["Joanna", "Johanna"]
    assert memory.directory.questions() == []


def test_the_answer_to_a_question_settles_it(memory: Memory, talks: Any) -> None:
    who = "the neighbour with the red bicycle and the small dog in Cork"
    talks.form("Mei: Patrick Doyle was here", entities=[{"name": "Patrick Doyle", "who": who}])
    talks.form("Mei: Paddy Byrne was here", entities=[{"name": "Paddy Byrne", "who": who}])
    (question,) = memory.directory.questions()

    talks.form(
        "Lin: Is Paddy Byrne that neighbour?",
        answers=[
            {
                "question": "Q1",
                "same": True,
                "sources": [{"message": 1, "words": "Is Paddy Byrne that neighbour?"}],
            }
        ],
    )
    assert memory.directory.questions() == [question]  # asking is no answer

    talks.form(
        "Mei: Yes, Paddy is Patrick Doyle",
        answers=[
            {"question": "Q1", "same": True, "sources": [{"message": 1, "words": "Paddy is Patrick Doyle"}]}
        ],
    )

    assert memory.directory.questions() == []
    assert memory.directory.root(question.other.id) == question.one.id


@pytest.mark.parametrize("name", ["Mei", "Lin", "the user", "she", "我", "x", "Zebedee"])
def test_no_entity_for_the_two_who_talk_for_a_pronoun_or_for_nobody(
    memory: Memory, talks: Any, event: Make, name: str
) -> None:
    line = "she said that I saw Lin there"
    found = talks.read(
        talks.say(f"Mei: {line}"),
        {
            "entities": [{"name": name}],
            "events": [event("Somebody was there", (1, line), subject="other", about=name)],
        },
    )

    assert found.drafts == ()
    assert found.entities == ()


def test_facts_of_one_entity_do_not_replace_anothers(memory: Memory, talks: Any, event: Make) -> None:
    for who, place in (("Tom", "Cork"), ("Ann", "Galway")):
        line = f"{who} lives in {place}"
        talks.form(
            f"Mei: {line}",
            events=[event(line, (1, line), subject="other", about=who, attribute="home", replaces=["F1"])],
        )

    assert sorted(talks.texts()) == ["Ann lives in Galway", "Tom lives in Cork"]

    line = "Tom lives in Lille now"
    talks.form(
        f"Mei: {line}",
        events=[
            event(line, (1, line), subject="other", about="Tom", attribute="home", replaces=["F1", "F2"])
        ],
    )

    assert sorted(talks.texts()) == ["Ann lives in Galway", "Tom lives in Lille now"]


def test_in_a_group_a_fact_belongs_to_whoever_said_it(memory: Memory, talks: Any, event: Make) -> None:
    inside = memory.within(Scope.group("choir"))
    talks.memory = inside
    talks.form(
        "Tom: I hate swimming",
        "Ann: I love it",
        events=[
            event("Tom hates swimming", (1, "I hate swimming")),
            event("Ann loves swimming", (2, "I love it"), subject="other", about="Ann"),
            event("Ann hates swimming", (1, "I hate swimming"), subject="other", about="Ann"),
        ],
    )

    names = {entity.id: entity.name for entity in inside.directory.list()}
    told = {(node.text, node.subject, names[node.about or ""]) for node in inside.nodes.list()}

    assert told == {
        ("Tom hates swimming", Subject.OTHER, "Tom"),
        ("Ann loves swimming", Subject.OTHER, "Ann"),
    }


def test_in_a_group_a_fact_of_nobody_knows_whom_is_refused(memory: Memory, talks: Any, event: Make) -> None:
    inside = memory.within(Scope.group("choir"))
    talks.memory = inside
    messages = talks.say("Tom: I hate swimming", "Ann: me too, I hate swimming")

    both = event("They hate swimming", (1, "I hate swimming"), (2, "I hate swimming"))
    found = talks.read(messages, {"events": [both]})

    assert found.drafts == ()
    assert "whose fact" in found.dropped[0].rule


def test_the_users_mother_is_somebody(memory: Memory, talks: Any, event: Make) -> None:
    """Named by whose she is, where the talk only says "my mother"; what changes of her is replaced."""
    for day, place in (("first", "Cork"), ("then", "Galway")):
        line = f"{day} my mother lived in {place}"
        fact = event(
            f"Mei's mother lives in {place}",
            (1, line),
            subject="other",
            about="Mei's mother",
            attribute="home",
            replaces=["F1"],
        )
        talks.form(f"Mei: {line}", events=[fact])

    assert talks.texts() == ["Mei's mother lives in Galway"]


def test_a_name_that_the_model_spells_out_goes_by_what_was_said(
    memory: Memory, talks: Any, event: Make
) -> None:
    line = "Anna B is here"
    talks.form(
        f"Mei: {line}",
        entities=[{"name": "Anna Bautista", "aliases": ["Anna B"]}],
        events=[event(line, (1, line), subject="other", about="Anna Bautista")],
    )

    (entity,) = memory.directory.list()
    assert entity.aliases == ("Anna B",)
    assert memory.nodes.list()[0].about == entity.id


def test_a_fact_that_opens_with_a_third_party_is_that_ones(memory: Memory, talks: Any, event: Make) -> None:
    """The model called it the user's; both its text and its words say Tom's."""
    line = "Tom hates swimming"
    talks.form(f"Mei: {line}", events=[event(line, (1, line), attribute="dislikes", entities=["Tom"])])

    (node,) = memory.nodes.list()
    assert (node.subject, node.about) == (Subject.OTHER, memory.directory.find("Tom")[0].id)


def test_a_third_party_without_a_name_replaces_nothing(memory: Memory, talks: Any, event: Make) -> None:
    for line in ("A neighbour moved to Cork", "A neighbour moved to Galway"):
        talks.form(
            f"Mei: {line}",
            events=[event(line, (1, line), subject="other", attribute="home", replaces=["F1"])],
        )

    assert len(talks.texts()) == 2
    assert {node.attribute for node in memory.nodes.list()} == {""}
