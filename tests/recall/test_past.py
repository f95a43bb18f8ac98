"""The present, the past and the audit form: what is superseded, and what was not known yet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from echovessel.clock import FixedClock
from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, Node, Source

SEED, DEFAULT = Weights.seed(), Weights.default()
Cosine = Callable[[float], Vectors]


def texts(result: Recall) -> list[str]:
    return [hit.text for hit in result.hits]


def rules(result: Recall) -> dict[str, str]:
    return {memo.text: memo.rule for memo in result.dropped}


def at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def workplaces(memory: Memory, cosine: Cosine) -> tuple[Node, Node]:
    """Case 2: Lanting Press since March, Northgate Books since 20 June, each with what was said."""
    said = [
        memory.log.add(NewMessage(text, sent_at=at(day), session=day), vector=cosine(0.9))
        for text, day in (
            ("I work at Lanting Press", "2026-03-05"),
            ("I've started at Northgate Books", "2026-06-20"),
        )
    ]
    old = memory.nodes.add(
        NewNode("Mei works at Lanting Press", attribute="workplace", sources=(Source(message=said[0].id),)),
        vector=cosine(0.8),
    )
    new = memory.nodes.add(
        NewNode(
            "Mei works at Northgate Books",
            attribute="workplace",
            sources=(Source(message=said[1].id),),
            supersedes=(old.id,),
        ),
        vector=cosine(0.8),
    )
    return old, new


def test_case_2_the_present_the_past_and_both(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    old, new = workplaces(memory, cosine)

    def ids(**options: object) -> list[str]:
        hits = memory.recall("Where?", vector=ask, weights=SEED, now=at("2026-07-01"), **options).hits  # type: ignore[arg-type]
        return [hit.id for hit in hits]

    assert ids() == [new.id]
    assert ids(as_of=at("2026-04-15")) == [old.id]
    assert ids(as_of=at("2026-03-04")) == []
    assert ids(include_superseded=True) == [new.id, old.id]


def test_a_superseded_hit_says_that_it_is_one(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    old, _ = workplaces(memory, cosine)

    hits = memory.recall("Where?", vector=ask, weights=SEED, include_superseded=True).hits
    assert [hit.superseded for hit in hits if hit.id == old.id] == [True]
    assert sum(hit.superseded for hit in hits) == 1

    result = memory.recall("Where?", vector=ask, weights=SEED)
    assert rules(result) == {"Mei works at Lanting Press": "superseded"}
    assert result.dropped_counts == {"superseded": 1}


def test_what_was_said_of_an_outdated_fact_does_not_come_back(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    old, _ = workplaces(memory, cosine)

    now = memory.recall("Where?", vector=ask, weights=DEFAULT, now=at("2026-07-01"))
    assert not any("Lanting" in text for text in texts(now))
    assert rules(now)["I work at Lanting Press"] == "superseded"

    april = memory.recall("Where?", vector=ask, weights=DEFAULT, as_of=at("2026-04-15"))
    assert all("Lanting" in text for text in texts(april))
    assert texts(april)

    both = memory.recall("Where?", vector=ask, weights=DEFAULT, include_superseded=True, k=10)
    assert old.id in {hit.id for hit in both.hits}
    assert "I work at Lanting Press" in {*texts(both), *rules(both)}


def test_a_message_that_also_backs_a_current_fact_comes_back(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    old, _ = workplaces(memory, cosine)
    lanting = old.sources[0].message
    assert lanting is not None
    # Written after the fact that ended, and far from the question: it only keeps the message alive.
    memory.nodes.add(
        NewNode("Mei learned typesetting", sources=(Source(message=lanting),)), vector=cosine(-0.9)
    )

    assert lanting in {hit.id for hit in memory.recall("Where?", vector=ask, weights=DEFAULT).hits}


def test_a_memory_that_was_not_known_yet_keeps_no_message_alive(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    old, _ = workplaces(memory, cosine)
    lanting = old.sources[0].message
    assert lanting is not None
    later = NewNode("Mei learned typesetting", sources=(Source(message=lanting),), known_at=at("2026-08-01"))
    memory.nodes.add(later, vector=cosine(-0.9))

    def outdated(day: str) -> bool:
        dropped = memory.recall("Where?", vector=ask, as_of=at(day)).dropped
        return lanting in {memo.id for memo in dropped if memo.rule == "superseded"}

    assert [outdated(day) for day in ("2026-03-06", "2026-07-01", "2026-08-02")] == [False, True, False]


def test_restoring_the_old_fact_brings_back_what_was_said_of_it(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    old, _ = workplaces(memory, cosine)
    memory.recall("Where?", vector=ask)  # the index has seen it superseded
    memory.nodes.restore(old.id)

    result = memory.recall("Where?", vector=ask, weights=SEED)

    assert "Mei works at Lanting Press" in texts(result)
    assert result.dropped_counts == {}


def test_the_audit_form_shows_what_was_in_the_file_then(
    memory: Memory, clock: FixedClock, ask: Vectors, cosine: Cosine
) -> None:
    """A fact of March that was written down in June was not in the file in April."""
    clock.set(at("2026-04-01"))
    early = memory.add_event("written in April", vector=cosine(0.8), known_at=at("2026-03-01"))
    clock.set(at("2026-06-01"))
    late = memory.add_event("written in June", vector=cosine(0.8), known_at=at("2026-03-01"))

    def ids(**options: object) -> set[str]:
        return {hit.id for hit in memory.recall("question", vector=ask, weights=SEED, **options).hits}  # type: ignore[arg-type]

    assert ids() == {early.id, late.id}
    assert ids(as_of=at("2026-03-15")) == {early.id, late.id}
    assert ids(recorded_as_of=at("2026-04-15")) == {early.id}
    assert ids(recorded_as_of=at("2026-03-15")) == set()


def test_the_audit_form_of_a_supersession_goes_by_when_the_newer_fact_was_written(
    memory: Memory, clock: FixedClock, ask: Vectors, cosine: Cosine
) -> None:
    clock.set(at("2026-04-01"))
    old = memory.add_event("old", vector=cosine(0.8), known_at=at("2026-03-01"), attribute="home")
    clock.set(at("2026-06-01"))
    new = memory.add_event(
        "new", vector=cosine(0.8), known_at=at("2026-03-10"), attribute="home", supersedes=(old.id,)
    )

    def ids(**options: object) -> list[str]:
        return [hit.id for hit in memory.recall("question", vector=ask, weights=SEED, **options).hits]  # type: ignore[arg-type]

    assert ids(as_of=at("2026-04-15")) == [new.id]  # known since 10 March
    assert ids(recorded_as_of=at("2026-04-15")) == [old.id]  # but not yet in the file


def test_words_said_later_do_not_move_the_score_of_a_recall_of_the_past(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    for number, text in enumerate(("the violin", "the piano and the violin", "the old piano")):
        memory.add_event(text, vector=cosine(0.5), known_at=at("2026-03-01") + timedelta(hours=number))

    def scores() -> list[tuple[str, float]]:
        result = memory.recall("violin piano", vector=ask, as_of=at("2026-04-01"), weights=SEED)
        return [(hit.id, hit.score) for hit in result.hits]

    before = scores()
    for number in range(20):
        memory.add_event(f"violin {number}", vector=cosine(0.5), known_at=at("2026-05-01"))

    assert before
    assert scores() == before


def test_both_forms_of_the_past_at_once(
    memory: Memory, clock: FixedClock, ask: Vectors, cosine: Cosine
) -> None:
    """What is in the file today of what was known in April: not what was learned in June."""
    old, _ = workplaces(memory, cosine)
    clock.set(at("2026-08-01"))

    result = memory.recall(
        "Where?", vector=ask, weights=SEED, as_of=at("2026-04-15"), recorded_as_of=at("2026-07-30")
    )

    assert [hit.id for hit in result.hits] == [old.id]
    assert not result.hits[0].superseded
