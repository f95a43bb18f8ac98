"""The lexical side against a slow oracle: BM25 with borrowing, written from its documentation in plain Python.

The words are chosen so that no stemmer touches them, and the oracle cuts text by white space alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.records import NewMessage, NewNode, Scope

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
WORDS = ("violin", "train", "lost", "piano", "scott", "ann", "rain")
STOP = ("the", "was", "and")
ALL = Weights.default().with_(min_relevance=0.0, anchored_share=1.0)


@dataclass
class Document:
    """One message or memory, as the oracle sees it."""

    words: tuple[str, ...]
    session: str = ""  # empty for a memory
    minute: int = 0
    speaker: str = ""
    scope: str = "mei"
    before: list[Document] = field(default_factory=list)  # its neighbours, nearest first
    after: list[Document] = field(default_factory=list)

    @property
    def content(self) -> list[str]:
        return [word for word in self.words if word not in STOP]

    @property
    def closeness(self) -> float:
        return math.exp(-max(len(self.content) - 30, 0) / 30)

    def with_borrowed(self, own: float, theirs: list[list[float]]) -> float:
        total = own
        for factor, values in zip((0.7, 0.5), theirs, strict=True):
            total += sum(factor**k * value * self.closeness for k, value in enumerate(values[:4], start=1))
        return total

    def count(self, term: str) -> float:
        sides = [[d.content.count(term) * d.closeness for d in side] for side in (self.before, self.after)]
        return self.with_borrowed(self.content.count(term), sides)

    @property
    def length(self) -> float:
        sides = [[len(d.content) * d.closeness for d in side] for side in (self.before, self.after)]
        return self.with_borrowed(len(self.content), sides)


def stand_in_order(documents: Sequence[Document]) -> None:
    """Give each turn its neighbours in the session."""
    for document in documents:
        if document.session:
            talk = [d for d in documents if (d.session, d.scope) == (document.session, document.scope)]
            talk.sort(key=lambda d: d.minute)  # stable: those of one moment as they arrived
            at = next(i for i, d in enumerate(talk) if d is document)
            document.before, document.after = talk[:at][::-1], talk[at + 1 :]


def oracle(query: str, documents: Sequence[Document]) -> list[float]:
    asked = list(dict.fromkeys(word for word in query.split() if word not in STOP))
    found = {}
    for is_message in (True, False):
        layer = [d for d in documents if bool(d.session) == is_message]
        names = {d.speaker.lower() for d in layer if d.speaker}
        telling = [t for t in asked if not (is_message and t in names)] or asked
        if not layer:
            continue
        idf = {}
        for term in telling:
            n = sum(term in d.content for d in layer)
            idf[term] = math.log(1 + (len(layer) - n + 0.5) / (n + 0.5))
        best = sum(idf.values()) * 2.2
        mean = sum(d.length for d in layer) / len(layer) or 1.0
        for d in layer:
            score = 0.0
            for term in telling:
                f = d.count(term)
                score += idf[term] * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * d.length / mean))
            found[id(d)] = min(score / best, 1.0) if best else 0.0
    return [found[id(d)] for d in documents]


def opened() -> Memory:
    return Memory.open(":memory:", persona="lin", scope=Scope.user("mei"), clock=FixedClock(NOON), zone="UTC")


def engine(query: str, documents: Sequence[Document]) -> list[float]:
    with opened() as memory:
        ids = []
        for d in documents:
            place = memory.within(Scope.shared()) if d.scope == "shared" else memory
            text = " ".join(d.words)
            if d.session:
                message = NewMessage(
                    text,
                    sender="other" if d.speaker else "user",  # type: ignore[arg-type]
                    sender_name=d.speaker,
                    sent_at=NOON + timedelta(minutes=d.minute),
                    session=d.session,
                    conversation=d.session,
                )
                ids.append(place.log.add(message).id)
            else:
                ids.append(place.nodes.add(NewNode(text)).id)
        lexical = {hit.id: hit.factors.lexical for hit in memory.recall(query, weights=ALL, k=1_000).hits}
        return [lexical[item] for item in ids]


LONG = st.just(("rain",) * 45)  # past the length from which borrowing fades
DOCUMENTS = st.builds(
    Document,
    words=st.one_of(st.lists(st.sampled_from(WORDS + STOP), min_size=1, max_size=8).map(tuple), LONG),
    session=st.sampled_from(["", "one", "one", "two"]),
    minute=st.integers(0, 12),
    speaker=st.sampled_from(["", "", "Ann", "Scott"]),
    scope=st.sampled_from(["mei", "mei", "shared"]),
)
QUERIES = st.lists(st.sampled_from(WORDS + STOP + ("unheard",)), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=40)
@given(QUERIES, st.lists(DOCUMENTS, min_size=1, max_size=14))
def test_the_engine_agrees_with_the_oracle(query: str, documents: list[Document]) -> None:
    for document in documents:
        if not document.session:
            document.speaker = ""
    stand_in_order(documents)

    assert engine(query, documents) == pytest.approx(oracle(query, documents), rel=1e-5, abs=1e-9)


def test_the_oracle_itself_by_hand() -> None:
    """Two memories, one word: N = 2, n = 1, idf = ln 2; both as long as the mean, so 2.2 f / (f + 1.2) / 2.2."""
    once, never = Document(("violin", "lost")), Document(("train", "lost"))

    assert oracle("violin", [once, never]) == pytest.approx([1 / 2.2, 0.0])
    assert engine("violin", [once, never]) == pytest.approx([1 / 2.2, 0.0])


def test_an_answer_borrows_the_words_of_the_question_before_it_and_less_of_the_one_after() -> None:
    talk = [
        Document(("rain",), "one", 0),
        Document(("violin",), "one", 1),
        Document(("lost",), "one", 2),
        Document(("violin",), "two", 0),  # another session lends nothing
    ]
    stand_in_order(talk)

    before, asked, answer, _ = engine("violin", talk)

    assert [d.count("violin") for d in talk] == [0.5, 1.0, 0.7, 1.0]
    assert asked > answer > before > 0


def test_nothing_is_borrowed_beyond_four_turns() -> None:
    talk = [Document(("violin",), "one", 0), *(Document(("rain",), "one", n) for n in range(1, 7))]
    stand_in_order(talk)

    found = engine("violin", talk)

    assert [value > 0 for value in found] == [True] * 5 + [False] * 2
    assert sorted(found[:5], reverse=True) == found[:5]


def test_in_a_large_memory_a_common_word_tells_nothing_apart_unless_it_is_alone() -> None:
    """Of 1,200 messages 1,100 hold "rain": past the thousand from which a word of more than 5% is left out."""
    with opened() as memory:
        said = memory.log.add_many(
            NewMessage(
                ("rain violin" if n == 0 else "rain") if n < 1_100 else "train",
                sent_at=NOON + timedelta(days=n),
                session=f"{n}",
                conversation=f"{n}",
            )
            for n in range(1_200)
        )

        both = memory.recall("rain violin", weights=ALL, k=2_000).hits
        alone = memory.recall("rain", weights=ALL, k=2_000).hits

    assert [hit.id for hit in both if hit.factors.lexical] == [said[0].id]
    assert sum(hit.factors.lexical > 0 for hit in alone) == 1_100
