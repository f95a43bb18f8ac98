"""Each check of the labels fires on a copy broken in one place."""

from __future__ import annotations

from typing import Any

import pytest

from echovessel.samples.conversation import Conversation

DROP = object()

BROKEN: list[tuple[str, Any, str]] = [
    # ids
    ("speakers.1.id", "u", "speaker id u is used 2 times"),
    ("sessions.1.id", "s1", "session id s1 is used 2 times"),
    ("sessions.1.turns.1.id", "s2t1", "turn id s2t1 is used 2 times"),
    ("entities.1.id", "scott", "entity id scott is used 2 times"),
    ("memories.8.id", "m8", "memory id m8 is used 2 times"),
    ("queries.1.id", "q1", "query id q1 is used 2 times"),
    # the card and the speakers
    ("persona.style", " ", "style is empty"),
    ("about_user", "", "about_user is empty"),
    ("relationship", "x" * 5001, "relationship has 5001 characters"),
    ("kind", "group", "kind is group but 1 people talk"),
    ("speakers.1.role", "user", "0 speakers have the role persona"),
    ("speakers.0.role", "other", "0 speakers have the role user"),
    # turns and sessions
    ("zone", "Asia/Peking", "zone 'Asia/Peking' is not an IANA time zone"),
    ("zone", "Asia/Tokyo", "turn s1t1 has another offset than Asia/Tokyo had then"),
    ("sessions.0.turns.0.speaker", "ghost", "turn s1t1 has an unknown speaker ghost"),
    ("sessions.0.turns.0.at", "2026-01-01T20:00:00", "turn s1t1 has a time without an offset"),
    ("sessions.0.turns.1.at", "2026-01-01T19:59:59+08:00", "turn s1t2 is earlier than s1t1"),
    ("sessions.0.turns.1.reply_to", "s2t1", "turn s1t2 replies to s2t1, which does not come before it"),
    ("sessions.0.turns.1.reply_to", "s1t2", "turn s1t2 replies to s1t2, which does not come before it"),
    ("sessions.3.turns.1.text", "Good. ", "turn s4t2 holds stray space"),
    ("sessions.3.turns.1.text", "Go\ufffdod.", "turn s4t2 holds stray space or a character"),
    ("sessions.0.turns.1.at", "2026-01-10T19:45:00+08:00", "session s2 starts less than 30 minutes after s1"),
    ("sessions.2", DROP, "at least 4 sessions over at least 21 days"),
    # entities
    ("entities.1.name", "uncle", "entity aunt is named nowhere in the talk"),
    ("entities.1.name", "a", "entity aunt: 'a' can't serve as a name"),
    ("entities.1.aliases", [{"text": "Auntie", "kind": "nickname"}], "alias 'Auntie' of aunt is never used"),
    # memories
    ("memories.4.sources", [], "memory m5 has no source"),
    ("memories.4.sources.0.turn", "s9t9", "memory m5 rests on s9t9, which is no turn"),
    ("memories.4.sources.0.quote", "you joke", "memory m5 quotes 'you joke', which is not in turn s2t2"),
    ("memories.4.sources.0.quote", "", "memory m5 quotes ''"),
    ("memories.4.entities", ["ghost"], "memory m5 links ghost, which is no entity"),
    ("memories.6.occurred_to", "2025-12-31", "memory m7 ends before it begins"),
    ("memories.0.valid_to", "2025-12-31", "memory m1 ends before it begins"),
    ("memories.1.valid_from", None, "event m2 has no date"),
    ("memories.3.subject", "user", "intention m4 must be the persona's"),
    ("memories.3.status", None, "intention m4 must be the persona's and have a status"),
    ("memories.7.status", None, "expectation m8 has no status"),
    # what replaces what
    ("memories.0.valid_to", None, "memory m1 is superseded but has no valid_to"),
    ("memories.0.superseded_by", "m99", "memory m1 is superseded by m99, which is no memory"),
    ("memories.0.attribute", "", "memory m1 is superseded by m2 on another subject or attribute"),
    ("memories.1.subject", "other", "memory m1 is superseded by m2 on another subject or attribute"),
    ("memories.0.sources.0", {"turn": "s4t2", "quote": "Good"}, "superseded by m2, which was said earlier"),
    # questions of every type
    ("queries.0.evidence.turns", ["s9t9"], "query q1: evidence s9t9 is no turn"),
    ("queries.0.evidence.turns", ["s2t2", "s2t2"], "query q1: evidence s2t2 is listed twice"),
    ("queries.0.evidence.memories", ["m99"], "query q1: m99 is no memory"),
    ("queries.8.decoy", "m99", "query q9: m99 is no memory"),
    ("queries.7.stale", ["m99"], "query q8: m99 is no memory"),
    ("queries.0.language", "zh", "query q1: is labelled zh but reads as en"),
    ("queries.0.evidence.memories", [], "query q1: is answerable but names no evidence"),
    ("queries.0.evidence.turns", [], "query q1: is answerable but names no evidence"),
    ("queries.0.answer", "", "query q1: is answerable but has no answer"),
    (
        "queries.0.evidence.turns",
        ["s1t1"],
        "query q1: evidence memory m5 rests on none of its evidence turns",
    ),
    ("queries.0.alias", "Scott", "query q1: is single but names an alias"),
    ("queries.0.stale", ["m1"], "query q1: is single but names stale memories"),
    ("queries.0.decoy", "m6", "query q1: is single but names a decoy"),
    ("queries.0.evidence", {"turns": ["s1t1"], "memories": ["m1"]}, "query q1: rests on a superseded memory"),
    ("queries.1.text", "What do I do when I'm  SAD?", "query q2: the same text is asked twice"),
    # their own rules
    ("queries.1.evidence.memories", ["m7"], "query q2: is multi but rests on fewer than 2"),
    (
        "queries.4.evidence",
        {"turns": ["s2t2"], "memories": ["m5"]},
        "query q5: is cross_language but a memory",
    ),
    ("queries.5.alias", None, "query q6: names no alias"),
    ("queries.5.alias", "老王", "query q6: alias '老王' belongs to no entity"),
    ("queries.5.text", "他欠我什么？", "query q6: does not name the alias '老黄' in its text"),
    ("queries.5.alias", "Scott", "query q6: is alias but the alias is in another script"),
    ("memories.2.entities", ["aunt"], "query q6: evidence m3 is not linked to the owner of '老黄'"),
    ("memories.2.text", "老黃欠陈默一台电风扇。", "query q6: evidence m3 holds the alias itself"),
    ("memories.2.text", "SCOTT owes Chen a fan.", "query q7: evidence m3 holds the alias itself"),
    (
        "queries.6",
        {"alias": "老黄", "text": "What does 老黄 owe me?"},
        "query q7: is alias_cross but the memory",
    ),
    ("queries.7.stale", [], "query q8: is updated but names no stale memory"),
    ("queries.7.stale", ["m5"], "query q8: stale memory m5 is not superseded"),
    (
        "queries.7.evidence",
        {"turns": ["s2t2"], "memories": ["m5"]},
        "query q8: stale memory m1 gave way to m2",
    ),
    ("queries.8.decoy", None, "query q9: is decoy but names none"),
    ("queries.8.decoy", "m5", "query q9: decoy m5 must be a strong memory"),
    ("queries.8.decoy", "m7", "query q9: decoy m7 must be a strong memory"),
    ("memories.6.impact", 4, "query q9: evidence m7 is too strong for a decoy question"),
    ("queries.9.evidence.turns", ["s1t1"], "query q10: is off_topic but has an answer or evidence"),
    ("queries.10.answer", "Tall", "query q11: is near_miss but has an answer or evidence"),
    ("queries.9.text", "Does SCOTT play chess?", "query q10: is off_topic but names 'Scott'"),
]

HOLDS: list[tuple[str, Any]] = [
    ("queries.5.text", "老黃欠我什麼？"),  # the same name in traditional characters
    ("queries.6.text", "what does SCOTT owe me?"),
    ("memories.2.text", "黄逸扬买了Scotty牌的电风扇。"),  # part of a longer word is no name
    ("queries.9.text", "Does Scotty play chess?"),
    ("sessions.0.turns.1.at", "2026-01-01T20:00:00+08:00"),  # two messages in one second
    ("entities.0.aliases.1.kind", "typo"),
]


def broken(data: Any, path: str, value: Any) -> None:
    """Put a value at a dotted path; merge it into what is there when both are objects."""
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in way:
        data = data[step]
    if value is DROP:
        del data[last]
    elif isinstance(value, dict) and isinstance(data[last], dict):
        data[last] = {**data[last], **value}
    else:
        data[last] = value


def test_the_small_conversation_holds(small: dict[str, Any]) -> None:
    assert Conversation.model_validate(small).problems() == []


@pytest.mark.parametrize(("path", "value", "expected"), BROKEN)
def test_a_broken_label_is_named(small: dict[str, Any], path: str, value: Any, expected: str) -> None:
    broken(small, path, value)

    problems = Conversation.model_validate(small).problems()

    assert any(problem.startswith("small: ") and expected in problem for problem in problems), problems


@pytest.mark.parametrize(("path", "value"), HOLDS)
def test_what_only_looks_broken_holds(small: dict[str, Any], path: str, value: Any) -> None:
    broken(small, path, value)

    assert Conversation.model_validate(small).problems() == []
