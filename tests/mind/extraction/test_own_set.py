"""A perfect extraction of our own labelled talks gets through: the checks refuse little that is right."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, Scope, Sender
from echovessel.mind.extraction import Extraction, extract
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import ScriptedModel
from echovessel.samples.conversation import Conversation, TalkSession

FILES = sorted((Path(__file__).parents[3] / "datasets" / "own" / "conversations").glob("*.json"))


def perfect(talk: Conversation, session: TalkSession) -> dict[str, Any]:
    """The gold memories that rest on this session alone, as a model would return them."""
    number = {turn.id: place for place, turn in enumerate(session.turns, 1)}
    name = {entity.id: entity.name for entity in talk.entities}
    answer: dict[str, list[Any]] = {"events": [], "promises": [], "expectations": []}
    lists = {"event": "events", "intention": "promises", "expectation": "expectations"}
    for memory in talk.memories:
        inside = memory.sources and all(source.turn in number for source in memory.sources)
        if memory.scope == "talk" and memory.kind in lists and inside:
            names = [name[entity] for entity in memory.entities]
            answer[lists[memory.kind]].append(
                {
                    "text": memory.text,
                    "subject": memory.subject,
                    "about": names[0] if memory.subject == "other" and names else "",
                    "attribute": memory.attribute,
                    "impact": memory.impact,
                    "tags": list(memory.tags),
                    "entities": names,
                    "sources": [
                        {"message": number[source.turn], "words": source.quote} for source in memory.sources
                    ],
                }
            )
    answer["entities"] = [
        {"name": entity.name, "kind": entity.kind, "aliases": [alias.text for alias in entity.aliases]}
        for entity in talk.entities
    ]
    return answer


def read_all(talk: Conversation) -> list[tuple[dict[str, Any], Extraction]]:
    """Each session of a talk with what was made of it."""
    embedder, speakers = HashEmbedder(), talk.speaker
    group = len(speakers) > 2
    scope = Scope.group("circle") if group else Scope.user("friend")
    clock = FixedClock(max(turn.at for turn in talk.turns.values()) + timedelta(days=1))
    with Memory.open(
        ":memory:", persona="one", scope=scope, clock=clock, zone=talk.zone, embedder=embedder.identity
    ) as memory:
        memory.personas.set_name(talk.persona.name)
        user = next((each.name for each in talk.speakers if each.role == "user"), "circle")
        memory.personas.set_name(user, scope=scope)
        found = []
        for session in talk.sessions:
            messages = [
                memory.log.add(
                    NewMessage(
                        turn.text,
                        sender=Sender(speakers[turn.speaker].role),
                        sender_name=speakers[turn.speaker].name if group else "",
                        sent_at=turn.at,
                        session=session.id,
                    )
                )
                for turn in session.turns
            ]
            answer = perfect(talk, session)
            stored = memory.sessions.get(messages[0].session)
            model = ScriptedModel([answer])
            found.append((answer, asyncio.run(extract(memory, embedder, model, stored, messages=messages))))
        return found


@pytest.mark.skipif(not FILES, reason="the labelled set is not part of this copy")
def test_what_is_right_gets_through() -> None:
    asked = kept = 0
    strays = []
    for file in FILES:
        talk = Conversation.read(file)
        group = len(talk.speakers) > 2
        for answer, found in read_all(talk):
            items = [*answer["events"], *answer["promises"], *answer["expectations"]]
            asked += len(items)
            kept += len(found.drafts)
            subject = {item["text"]: item["subject"] for item in answer["events"]}
            moved = {refusal.text for refusal in found.dropped if refusal.rule.endswith("kept so")}
            strays += [
                draft.node.text
                for draft in found.drafts
                if subject.get(draft.node.text, draft.node.subject) != draft.node.subject
                and not (group or draft.node.text in moved)
            ]

    assert asked > 400
    assert kept / asked >= 0.95
    assert strays == []
