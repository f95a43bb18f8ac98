"""What a question asks for beside its words: who said it, and when it was."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.errors import WeightError
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Hit, Recall, Weights
from echovessel.memory.recall.fitting import asks_when, says_when
from echovessel.memory.records import NewMessage, Scope, Sender

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
OPEN = Weights.default().with_(min_relevance=0.0)


@pytest.fixture
def group(memory: Memory) -> Memory:
    """Two who talk, in sessions of their own, so that no line borrows from another."""
    band = memory.within(Scope.group("band"))
    for number, (name, text) in enumerate(
        (("Ana Silva", "The violin was mended."), ("Bo", "The violin was mended."), ("Bo", "I sing."))
    ):
        sent = NOON - timedelta(minutes=number)
        message = NewMessage(
            text, sender=Sender.OTHER, sender_name=name, sent_at=sent, conversation=str(number)
        )
        band.log.add(message)
    return band


def hit_of(recall: Recall, speaker: str) -> Hit:
    return next(hit for hit in recall.hits if hit.speaker == speaker and "violin" in hit.text)


@pytest.mark.parametrize(
    "query", ["What did Ana say of the violin?", "ANA'S violin?", "Silva and the violin"]
)
def test_whom_the_question_names_is_heard_first(group: Memory, query: str) -> None:
    recall = group.recall(query, weights=OPEN, now=NOON)

    assert recall.hits[0].speaker == "Ana Silva"
    # 0.2 of the weight of an entity, 1.0; and no entity is named, so that nothing is anchored.
    assert hit_of(recall, "Ana Silva").contributions["entity_anchor"] == pytest.approx(0.2)
    assert hit_of(recall, "Bo").contributions["entity_anchor"] == 0
    assert not any(hit.factors.anchored for hit in recall.hits)


@pytest.mark.parametrize(
    "query", ["Did Ana or Bo mend the violin?", "Who mended the violin?", "The banana violin"]
)
def test_two_names_or_none_tell_nobody_apart(group: Memory, query: str) -> None:
    recall = group.recall(query, weights=OPEN, now=NOON)

    assert {hit.factors.entity_anchor for hit in recall.hits} == {0.0}


def test_who_said_it_is_no_pass_through_the_gate(group: Memory) -> None:
    strict = Weights.default().with_(min_relevance=0.99)

    assert group.recall("Ana?", weights=strict, now=NOON).hits == ()


def test_the_seed_knows_nothing_of_it(group: Memory) -> None:
    weights = Weights.seed().with_(min_relevance=0.0)

    recall = group.recall("When did Ana say it of the violin?", weights=weights, now=NOON)

    assert {hit.factors.entity_anchor for hit in recall.hits} == {0.0}


def test_asked_when_a_line_with_a_time_is_likelier(memory: Memory) -> None:
    for number, text in enumerate(("We went to the lake.", "We went to the lake yesterday.")):
        memory.log.add(NewMessage(text, sent_at=NOON, conversation=str(number)))

    def odds(query: str, weights: Weights) -> list[float]:
        hits = sorted(memory.recall(query, weights=weights, now=NOON).hits, key=lambda hit: len(hit.text))
        return [math.log(hit.factors.relevance / (1 - hit.factors.relevance)) for hit in hits]

    plain, timed = odds("When were we at the lake?", OPEN)
    plain_off, timed_off = odds("When were we at the lake?", OPEN.with_(when_asked=0.0))
    same, also = odds("Who was at the lake?", OPEN), odds("Who was at the lake?", OPEN.with_(when_asked=0.0))

    assert plain == pytest.approx(plain_off)
    assert timed == pytest.approx(timed_off + 0.5)
    assert same == pytest.approx(also)


@pytest.mark.parametrize(
    "question",
    [
        "When did she move?",
        "What day is it?",
        "which year was that",
        "How long ago?",
        "他什么时候搬的家？",
        "婚礼是几号",
        "等了多久？",
    ],
)
def test_questions_for_a_time(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize(
    "question", ["Where does she live?", "他住在哪儿？", "Whenever", "Who?", "几个人去？"]
)
def test_questions_for_something_else(question: str) -> None:
    assert not asks_when(question)


@pytest.mark.parametrize(
    "text",
    [
        "I moved last week",
        "on 5 May",
        "back in 2023",
        "Three days ago",
        "see you on the 3rd",
        "昨天搬的",
        "上个月",
        "三月五号",
        "去年冬天",
        "下周三",
    ],
)
def test_lines_with_a_time(text: str) -> None:
    assert says_when(text)


@pytest.mark.parametrize("text", ["I moved to Cork", "我搬到了苏州", "The mayor marched", "", "justice"])
def test_lines_without_a_time(text: str) -> None:
    assert not says_when(text)


def test_a_speaker_never_weighs_as_an_entity() -> None:
    with pytest.raises(WeightError, match="below 1"):
        Weights(speaker_anchor=1.0)
