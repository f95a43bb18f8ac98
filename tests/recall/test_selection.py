"""Which memories take the k places, and the rule that each of the others fell under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, Node, Scope, Source
from echovessel.memory.targets import Target

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED, DEFAULT = Weights.seed(), Weights.default()
Cosine = Callable[[float], Vectors]
Open = Callable[..., Memory]


def texts(result: Recall) -> list[str]:
    return [hit.text for hit in result.hits]


def rules(result: Recall) -> dict[str, str]:
    return {memo.text: memo.rule for memo in result.dropped}


def at(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


# The gate


def test_the_gate_comes_before_scoring(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """A memory that everything but its relevance speaks for is out, whatever it would have scored."""
    memory.add_event("weak but fitting", vector=cosine(0.45), known_at=NOON - timedelta(days=400))
    memory.add_event("strong and unfitting", vector=cosine(0.2), impact=10, tags=("turning-point",))

    result = memory.recall("question", vector=ask, weights=SEED, now=NOON)

    assert texts(result) == ["weak but fitting"]  # sigmoid(-2 + 4*0.45) = 0.45; of 0.2: 0.23
    (dropped,) = result.dropped
    assert (dropped.text, dropped.rule) == ("strong and unfitting", "gate")
    assert dropped.score > result.hits[0].score
    assert result.dropped_counts == {"gate": 1}
    assert result.considered == 2


def test_the_gate_is_the_weights_to_move(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("half fitting", vector=cosine(0.5))  # relevance 0.5

    def found(gate: float) -> int:
        return len(memory.recall("question", vector=ask, weights=SEED.with_(min_relevance=gate)))

    assert [found(gate) for gate in (0.0, 0.49, 0.51, 1.0)] == [1, 1, 0, 0]


def test_an_anchored_memory_passes_the_gate_and_says_so(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("something far away", entities=["Scott"], vector=cosine(-0.9))
    memory.add_event("just as far away", vector=cosine(-0.9))

    result = memory.recall("Scott?", vector=ask, weights=SEED)

    assert texts(result) == ["something far away"]
    assert result.hits[0].below_gate
    assert result.hits[0].factors.entity_anchor == 1.0
    assert rules(result) == {"just as far away": "gate"}


# The anchored share


def anchored_talk(
    memory: Memory, cosine: Cosine, *, anchored: Sequence[float], others: Sequence[float]
) -> None:
    for number, value in enumerate(anchored):
        memory.add_event(f"named {number}", entities=["Scott"], vector=cosine(value), impact=10)
    for number, value in enumerate(others):
        memory.add_event(f"other {number}", vector=cosine(value))


def test_anchored_hits_take_at_most_half_of_k_under_seed(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.6, 0.55, 0.5])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["named 0", "named 1", "other 0", "other 1"]
    assert rules(result)["named 2"] == rules(result)["named 3"] == "anchored"
    assert result.dropped_counts == {"anchored": 2, "rank": 1}


@pytest.mark.parametrize(("k", "share"), [(1, 1), (2, 1), (3, 1), (5, 2), (6, 3)])
def test_half_of_k_is_rounded_down_but_at_least_one(
    memory: Memory, ask: Vectors, cosine: Cosine, k: int, share: int
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9] * 8, others=[0.5] * 8)

    hits = memory.recall("Scott?", vector=ask, weights=SEED, k=k).hits

    assert sum(hit.factors.entity_anchor for hit in hits) == share
    assert len(hits) == k


def test_among_anchored_hits_relevance_decides_and_not_the_score(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.add_event("named, strong", entities=["Scott"], vector=cosine(0.3), impact=10)
    memory.add_event("named, fitting", entities=["Scott"], vector=cosine(0.6))
    memory.add_event("other", vector=cosine(0.5))

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=2)

    assert texts(result) == ["named, fitting", "other"]
    assert rules(result) == {"named, strong": "anchored"}
    assert result.dropped[0].score > result.hits[0].score


def test_unless_nothing_else_passes(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """One other passes, so that the named ones take the three places that are left."""
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.5, 0.0, -0.2])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["named 0", "named 1", "named 2", "other 0"]
    assert result.dropped_counts == {"anchored": 1, "gate": 2}


def test_all_places_where_only_named_ones_pass(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, 0.6], others=[0.0])

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=3)

    assert texts(result) == ["named 0", "named 1", "named 2"]
    assert result.dropped_counts == {"rank": 1, "gate": 1}


def test_the_default_holds_back_only_what_is_there_for_its_name_alone(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    anchored_talk(memory, cosine, anchored=[0.9, 0.9, 0.9, -0.5, -0.5, -0.5], others=[0.6, 0.55, 0.5])
    weights = DEFAULT.with_(entity_anchor=3.0, min_relevance=0.4)  # the name alone outweighs what fits

    result = memory.recall("Scott?", vector=ask, weights=weights, k=6)

    named = [hit for hit in result.hits if hit.factors.entity_anchor]
    assert sum(not hit.below_gate for hit in named) == 3  # all that fit
    assert sum(hit.below_gate for hit in named) <= 3  # the share
    assert len(result.hits) == 6

    relevant = memory.recall("Scott?", vector=ask, weights=weights.with_(anchored_share=0.2), k=6)
    named = [hit for hit in relevant.hits if hit.factors.entity_anchor]
    assert (sum(not hit.below_gate for hit in named), sum(hit.below_gate for hit in named)) == (3, 1)
    assert sorted(texts(relevant))[-2:] == ["other 0", "other 1"]


# Folding


def test_a_message_folds_under_the_higher_memory_that_rests_on_it_and_frees_its_place(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = memory.log.add(NewMessage("I moved", sent_at=NOON), vector=cosine(0.9))
    memory.log.add(NewMessage("quite another thing", sent_at=NOON, session="b"), vector=cosine(0.6))
    memory.add_event("Mei moved", sources=(Source(message=said.id),), vector=cosine(0.95), impact=5)

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=2)

    assert texts(result) == ["Mei moved", "quite another thing"]
    assert result.hits[0].folded == (said.id,)
    assert rules(result) == {"I moved": "folded"}
    assert result.dropped_counts == {"folded": 1}


def test_a_message_above_the_memory_that_rests_on_it_keeps_its_place(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = memory.log.add(NewMessage("I moved", sent_at=NOON), vector=cosine(0.99))
    memory.add_event("Mei moved", sources=(Source(message=said.id),), vector=cosine(0.5))

    result = memory.recall("question", vector=ask, weights=DEFAULT.with_(message_relevance=3.0), k=5)

    assert texts(result) == ["I moved", "Mei moved"]
    assert result.dropped_counts == {}


def test_a_place_freed_by_folding_may_bring_in_a_memory_that_folds_more(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """By score: event a, its message, event b, its message. With k = 3 the last comes in only by a fold."""
    said = {}
    for name, value in (("a", 0.99), ("b", 0.7)):
        message = NewMessage(f"message of {name}", sent_at=NOON, session=name)
        said[name] = memory.log.add(message, vector=cosine(value - 0.02)).id
        memory.add_event(f"event {name}", sources=(Source(message=said[name]),), vector=cosine(value))

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=3)

    assert texts(result) == ["event a", "event b"]
    assert [hit.folded for hit in result.hits] == [(said["a"],), (said["b"],)]
    assert result.dropped_counts == {"folded": 2}


# What is in the prompt already


def test_what_is_in_the_prompt_leaves_its_place_to_others(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    nodes = [memory.add_event(f"event {n}", vector=cosine(0.9 - n / 100)) for n in range(30)]
    burst = {node.id for node in nodes[:20]}

    result = memory.recall("question", vector=ask, weights=SEED, k=10, exclude=burst)

    assert texts(result) == [f"event {n}" for n in range(20, 30)]
    assert result.dropped_counts == {"in_prompt": 20}
    assert {memo.rule for memo in result.dropped} == {"in_prompt"}


def test_an_unknown_id_excludes_nothing(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("event", vector=cosine(0.9))

    assert texts(memory.recall("question", vector=ask, exclude={"no such id", ""})) == ["event"]


def test_what_the_gate_drops_is_not_counted_as_in_the_prompt(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    far = memory.add_event("far", vector=cosine(-0.5))

    result = memory.recall("question", vector=ask, weights=SEED, exclude={far.id})

    assert result.dropped_counts == {"gate": 1}


# Neighbours that may not be seen


def hidden_by(how: str, memory: Memory, open_memory: Open, cosine: Cosine, number: int) -> None:
    """One neighbour nearer than the answer, that this talk must not be shown."""
    text, vector = f"nearest neighbour {number}", cosine(0.99)
    if how == "deleted":
        memory.log.delete(memory.log.add(NewMessage(text, sent_at=NOON), vector=vector).id)
    elif how == "forgotten":
        memory.forget(Target.node(memory.add_event(text, vector=vector).id))
    elif how == "superseded":
        old = memory.add_event(text, vector=vector, known_at=NOON - timedelta(days=2), attribute=text)
        memory.add_event("newer", vector=cosine(-0.9), attribute=text, supersedes=(old.id,))
    elif how == "other user":
        memory.within(Scope.user("tom")).add_event(text, vector=vector)
    elif how == "group":
        memory.within(Scope.group("club")).add_event(text, vector=vector)
    elif how == "other persona":
        open_memory(persona="mara").add_event(text, vector=vector)
    else:
        memory.log.add(NewMessage(text, sent_at=NOON), vector=vector)  # another kind


@pytest.mark.parametrize(
    ("how", "count"),
    [
        ("deleted", 200),
        ("forgotten", 20),  # each cleans the whole file
        ("superseded", 200),
        ("other user", 200),
        ("group", 200),
        ("other persona", 10),  # each opens a handle
        ("other kind", 200),
    ],
)
def test_neighbours_that_may_not_be_seen_never_hide_the_live_answer(
    memory: Memory, open_memory: Open, ask: Vectors, cosine: Cosine, how: str, count: int
) -> None:
    answers = [memory.add_event(f"live answer {n}", vector=cosine(0.6)) for n in range(3)]
    separately = how in ("forgotten", "other persona")  # the rest in one transaction, which is faster
    with nullcontext() if separately else memory.context.store.write():
        for number in range(count):
            hidden_by(how, memory, open_memory, cosine, number)

    for weights in (SEED, DEFAULT.with_(kinds=SEED.kinds)):
        result = memory.recall("nearest neighbour", vector=ask, weights=weights, k=3)

        assert {hit.id for hit in result.hits} == {node.id for node in answers}


def test_k_live_results_after_an_edit_and_a_deletion(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    """Case 15: an edited and a deleted message, each searched with k = 1."""
    edited = memory.log.add(NewMessage("the code is Apple123", sent_at=NOON), vector=cosine(0.9))
    deleted = memory.log.add(NewMessage("the key is Pear789", sent_at=NOON), vector=cosine(0.9))
    memory.log.add(NewMessage("the code hangs by the key", sent_at=NOON), vector=cosine(0.5))
    memory.log.edit(edited.id, "the code is Apple456")
    memory.log.delete(deleted.id)

    for query in ("Apple123", "Pear789", "code", "key"):
        (hit,) = memory.recall(query, vector=ask, weights=DEFAULT.with_(min_relevance=0.0), k=1).hits
        assert "Apple123" not in hit.text
        assert "Pear789" not in hit.text
    assert texts(memory.recall("Apple456", weights=DEFAULT.with_(min_relevance=0.0), k=1)) == [
        "the code is Apple456"
    ]


# Time and supersession


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


# The talk around a hit


def test_the_talk_around_a_hit_never_crosses_a_session_or_scope(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    tom = memory.within(Scope.user("tom"))
    said = {}
    for minute in range(12):
        session, handle = (
            ("one", memory) if minute % 3 == 0 else ("two", memory) if minute % 3 == 1 else ("t", tom)
        )
        message = NewMessage(
            f"{session} {minute}",
            sent_at=NOON + timedelta(minutes=minute),
            session=session,
            conversation=session,
        )
        said[minute] = handle.log.add(message, vector=cosine(0.9 if minute == 3 else -0.9))

    result = memory.recall("question", vector=ask, weights=DEFAULT)

    assert texts(result) == ["one 3"]
    around = result.context(result.hits[0], before=5, after=5)
    assert [message.text for message in around] == ["one 0", "one 3", "one 6", "one 9"]


def test_the_talk_around_several_sources_comes_once_and_in_order(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = [memory.log.add(NewMessage(f"{n}", sent_at=NOON + timedelta(minutes=n))) for n in range(8)]
    memory.nodes.add(
        NewNode("both", sources=(Source(message=said[4].id), Source(message=said[2].id))), vector=cosine(0.9)
    )

    result = memory.recall("question", vector=ask, weights=SEED)

    around = result.context(result.hits[0], before=1, after=1)
    assert [message.text for message in around] == ["1", "2", "3", "4", "5"]


# What was left out


def test_every_memory_considered_is_a_hit_or_counted_under_one_rule(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    workplaces(memory, cosine)
    anchored_talk(memory, cosine, anchored=[0.9, 0.8, 0.7, -0.8], others=[0.6, 0.6, 0.5, 0.0, -0.9])
    skipped = memory.add_event("in the prompt", vector=cosine(0.9))

    for k in (1, 2, 3, 5, 50):
        for weights in (SEED, DEFAULT):
            result = memory.recall("Scott?", vector=ask, weights=weights, k=k, exclude={skipped.id})

            assert len(result.hits) + sum(result.dropped_counts.values()) == result.considered
            assert len(result.hits) <= k
            shown = [memo.rule for memo in result.dropped]
            assert {rule: shown.count(rule) for rule in shown} == result.dropped_counts


def test_the_dropped_come_best_first_and_no_more_than_twenty(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    for number in range(60):
        memory.add_event(f"event {number}", vector=cosine(0.9 - number / 100))

    result = memory.recall("question", vector=ask, weights=SEED, k=10)

    assert [memo.text for memo in result.dropped] == [f"event {n}" for n in range(10, 30)]
    assert {memo.rule for memo in result.dropped} == {"rank"}
    # sigmoid(-2 + 4c) >= 0.4 where c >= 0.3986: the first 51 pass.
    assert result.dropped_counts == {"rank": 41, "gate": 9}


def test_equal_scores_are_settled_by_id_so_that_the_order_never_changes(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    nodes = [memory.add_event("the same", vector=cosine(0.8)) for _ in range(12)]

    for _ in range(3):
        result = memory.recall("question", vector=ask, weights=SEED, k=5)
        assert [hit.id for hit in result.hits] == sorted(node.id for node in nodes)[:5]


def test_a_popular_name_fills_no_more_places_however_many_know_it(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """600 memories of Scott score higher than any other: more than recall looks at one by one."""
    with memory.context.store.write():
        for number in range(300):
            memory.add_event(f"strong {number}", entities=["Scott"], vector=cosine(0.5), impact=10)
            memory.add_event(f"fitting {number}", entities=["Scott"], vector=cosine(0.9))
        for number in range(3):
            memory.add_event(f"other {number}", vector=cosine(0.6))

    result = memory.recall("Scott?", vector=ask, weights=SEED, k=4)

    assert texts(result) == ["fitting 0", "fitting 1", "other 0", "other 1"]
    # All of Scott's but the two hits score above the last hit; one other is below it.
    assert result.dropped_counts == {"anchored": 598, "rank": 1}


def test_equal_scores_are_settled_by_id_among_hundreds_too(memory: Memory) -> None:
    with memory.context.store.write():
        ids = [memory.add_event("the same", known_at=NOON).id for _ in range(500)]

    result = memory.recall("question", weights=SEED.with_(min_relevance=0.0), k=3)

    assert [hit.id for hit in result.hits] == sorted(ids)[:3]


def test_a_memory_of_a_whole_talk_folds_it_and_frees_all_its_places(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    said = [
        memory.log.add(NewMessage(f"line {n}", sent_at=NOON, session="a"), vector=cosine(0.9)).id
        for n in range(200)
    ]
    for number in range(3):
        memory.log.add(NewMessage(f"other {number}", sent_at=NOON, session="b"), vector=cosine(0.7))
    memory.add_event("what it came to", vector=cosine(0.95), sources=tuple(Source(message=m) for m in said))

    result = memory.recall("question", vector=ask, weights=DEFAULT, k=3)

    assert texts(result)[0] == "what it came to"
    assert [text.split()[0] for text in texts(result)[1:]] == ["other", "other"]
    assert sorted(result.hits[0].folded) == sorted(said)
    assert result.dropped_counts == {"folded": 200, "rank": 1}


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
