"""Memory alone speaks: quotes with their day, or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Weights
from echovessel.memory.records import Message, NewMessage, NewNode, NodeKind, Origin, Sender, Source, Subject
from echovessel.mind.crisis import WordsOfCrisis
from echovessel.mind.prompt import Prompt
from echovessel.mind.speaker import ExtractiveSpeaker

# Without an embedder nothing is sure by likeness, so these ask about names.


@pytest.fixture
def answer(memory: Memory, prompt: Callable[..., Prompt]) -> Callable[..., str]:
    def answer(*heard: Message, **options: object) -> str:
        return ExtractiveSpeaker(memory).answer(prompt(*heard, **options))

    return answer


def test_it_quotes_what_you_said_with_the_day(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], answer: Callable[..., str]
) -> None:
    memory.directory.add("Scott")
    old = memory.log.add(NewMessage("Scott moved to Cork", session="old"))
    clock.advance(timedelta(days=3))
    recall = memory.recall("Where is Scott?", weights=Weights.default())
    heard = say("Where is Scott?")

    from echovessel.mind.prompt import assemble

    told = ExtractiveSpeaker(memory).answer(assemble(memory, recall, [heard], now=clock.now()))

    assert old.id in [hit.id for hit in recall.hits]
    assert told == "3 days ago you told me: “Scott moved to Cork”"


def test_it_is_honest_about_whose_words_they_are(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], answer: Callable[..., str]
) -> None:
    scott = memory.directory.add("斯科特")
    said = memory.log.add(NewMessage("斯科特升职了，是我妈说的"))
    memory.nodes.add(
        NewNode(
            "斯科特升职了",
            subject=Subject.OTHER,
            about=scott.id,
            entities=(scott.id,),
            occurred_from=date(2026, 5, 29),
            occurred_to=date(2026, 5, 29),
            origin=Origin.EXTRACTION,
            sources=(Source(message=said.id, quote="斯科特升职了，是我妈说的"),),
        )
    )

    assert answer(say("斯科特怎么样？")) == "三天前：斯科特升职了 你当时说：“斯科特升职了，是我妈说的”"


def test_it_says_when_it_recalls_nothing(say: Callable[..., Message], answer: Callable[..., str]) -> None:
    assert answer(say("What is a quark?")) == "I don't remember anything about that."
    assert answer(say("夸克是什么？")) == "这件事我没有印象。"


def test_it_streams_what_it_answers(
    memory: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    speaker, found = ExtractiveSpeaker(memory), prompt(say("夸克是什么 and why?"))

    async def pieces() -> list[object]:
        return [piece async for piece in speaker.speak(found)]

    *parts, last = asyncio.run(pieces())
    assert "".join(part.text for part in parts) == last.reply.text == speaker.answer(found)  # type: ignore[attr-defined]
    assert len(parts) > 5


def test_it_tells_what_was_on_its_mind_word_for_word(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], answer: Callable[..., str]
) -> None:
    said = say("Hi.")
    clock.advance(timedelta(hours=1))
    assert answer(say("What's been on your mind?")) == "Nothing new has been on my mind since we last talked."
    event = memory.nodes.add(NewNode("Mei called", sources=(Source(message=said.id),)))
    memory.nodes.add(
        NewNode(
            "Mei sounds tired on Mondays",
            kind=NodeKind.THOUGHT,
            origin=Origin.SLOW_TICK,
            sources=(Source(node=event.id),),
        )
    )

    assert "- Mei sounds tired on Mondays" in answer(say("What's been on your mind?"))


def test_in_danger_it_offers_help_and_nothing_else(
    say: Callable[..., Message], answer: Callable[..., str]
) -> None:
    heard = say("I want to die")

    told = answer(heard, crisis=WordsOfCrisis().look(heard.text))

    assert "988" in told
    assert "remember" not in told


def test_every_sender_can_be_quoted(memory: Memory, clock: FixedClock, answer: Callable[..., str]) -> None:
    memory.directory.add("Scott")
    for sender, name in ((Sender.PERSONA, ""), (Sender.OTHER, "Ana")):
        memory.log.add(
            NewMessage(f"Scott is fine, says {sender}", sender=sender, sender_name=name, session="old")
        )
    recall = memory.recall("Scott?", k=5)
    from echovessel.mind.prompt import assemble

    heard = memory.log.add(NewMessage("Scott?"))
    told = ExtractiveSpeaker(memory).answer(assemble(memory, recall, [heard], now=clock.now()))

    assert "Today I said: “Scott is fine, says persona”" in told
    assert "Today Ana said: “Scott is fine, says other”" in told


def test_a_question_that_was_asked_before_is_no_answer(
    memory: Memory, clock: FixedClock, say: Callable[..., Message]
) -> None:
    memory.directory.add("Scott")
    memory.log.add(NewMessage("Where does Scott live?", session="old"))
    memory.log.add(NewMessage("Scott lives in Cork.", session="old"))
    clock.advance(timedelta(days=2))
    recall = memory.recall("Where is Scott now?", weights=Weights.default())
    heard = say("Where is Scott now?")

    from echovessel.mind.prompt import assemble

    told = ExtractiveSpeaker(memory).answer(assemble(memory, recall, [heard], now=clock.now()))

    assert told == "2 days ago you told me: “Scott lives in Cork.”"
