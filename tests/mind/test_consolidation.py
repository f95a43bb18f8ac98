"""A talk that is over becomes memories, stage by stage; a crash anywhere loses nothing and doubles nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import ModelError
from echovessel.memory.cycles import CycleKind
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, NewMessage, Origin, Scope, Sender, SessionState
from echovessel.memory.stages import Stages
from echovessel.memory.targets import Target
from echovessel.mind.consolidation import Consolidated, Consolidator, State
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import Purpose, Request, ScriptedModel

EMBEDDER = HashEmbedder()
SAID = ("I moved to Cork last week.", "Rosa helped me carry the piano.", "I can't sleep there yet.")


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("mei"),
        clock=clock,
        zone="UTC",
        embedder=EMBEDDER.identity,
    ) as memory:
        yield memory


def talk(memory: Memory, *lines: str, close: bool = True) -> str:
    """Store what Mei said as one session; gives its id."""
    stored: list[Message] = [memory.log.add(NewMessage(line, sender=Sender.USER)) for line in lines]
    if close:
        memory.sessions.close(stored[0].session)
    return stored[0].session


def event(number: int, words: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, "subject": "user", "sources": [{"message": number, "words": words}]} | fields


def extraction(*events: dict[str, Any]) -> dict[str, Any]:
    return {"events": list(events), "mood": {"mood": "warm", "energy": 0.6}}


def moved(impact: float = 9) -> dict[str, Any]:
    return extraction(
        event(1, SAID[0], "Mei moved to Cork", impact=impact),
        event(3, SAID[2], "Mei can't sleep in her new home", impact=3),
    )


def scripted(found: dict[str, Any] | None = None) -> ScriptedModel:
    """A model that answers by what it is asked for."""

    def answer(request: Request) -> dict[str, Any]:
        if request.purpose is Purpose.EXTRACTION:
            return moved() if found is None else found
        if request.purpose is Purpose.REFLECTION:
            return {
                "thoughts": [
                    {"about": "user", "text": "Mei is unsettled", "rests_on": ["M1", "M2"], "pin": True}
                ]
            }
        return {"items": [{"kind": "intention", "text": "ask Mei how she sleeps", "rests_on": ["M1"]}]}

    return ScriptedModel(answer)


def run(memory: Memory, session: str, model: Any) -> Consolidated:
    return asyncio.run(Consolidator(memory, EMBEDDER, model).run(session))


def texts(memory: Memory) -> list[str]:
    return sorted(node.text for node in memory.nodes.list())


WHOLE = ["Mei can't sleep in her new home", "Mei is unsettled", "Mei moved to Cork", "ask Mei how she sleeps"]


def test_a_talk_becomes_events_a_thought_and_an_intention_and_is_settled(memory: Memory) -> None:
    session = talk(memory, *SAID)

    done = run(memory, session, scripted())

    assert done.state is State.SETTLED
    assert texts(memory) == WHOLE
    assert {memory.nodes.get(node).text for node in done.nodes} == {WHOLE[0], WHOLE[2]}
    assert {memory.nodes.get(node).text for node in done.thoughts} == {WHOLE[1], WHOLE[3]}
    assert memory.sessions.get(session).state is SessionState.SETTLED
    assert memory.moods.get().mood == "warm"
    (thought,) = [node for node in memory.nodes.list() if node.origin is Origin.REFLECTION]
    assert (thought.subject, thought.pinned) == ("user", True)
    assert [waiting for waiting in memory.vectors.pending(10) if waiting.layer == "node"] == []


def test_a_second_run_asks_nothing_and_changes_nothing(memory: Memory) -> None:
    session, model = talk(memory, *SAID), scripted()
    run(memory, session, model)
    asked = len(model.requests)

    again = run(memory, session, model)

    assert (again.state, len(model.requests), texts(memory)) == (State.SETTLED, asked, WHOLE)


class Crash(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("stage", ["extract", "reflect", "portraits", "think"])
def test_it_goes_on_at_the_first_stage_that_is_not_committed(
    memory: Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, stage: str, when: str
) -> None:
    """Cut off within the transaction of each stage, and right after it."""
    session, mark = talk(memory, *SAID), Stages.mark

    def cut(self: Stages, session: str, through: int, name: str, **detail: Any) -> None:
        if name == stage and when == "before":
            raise Crash
        mark(self, session, through, name, **detail)

    settle = Consolidator._settle

    def cut_later(self: Consolidator, *place: Any) -> bool:
        raise Crash

    monkeypatch.setattr(Stages, "mark", cut)
    if when == "after":
        monkeypatch.setattr(Consolidator, "_settle", cut_later)
    with pytest.raises(Crash):
        run(memory, session, scripted())
    monkeypatch.setattr(Stages, "mark", mark)
    monkeypatch.setattr(Consolidator, "_settle", settle)

    assert memory.sessions.get(session).state is SessionState.PENDING
    clock.advance(timedelta(minutes=31))
    done = run(memory, session, scripted())

    assert done.state is State.SETTLED
    assert texts(memory) == WHOLE
    assert [cycle.kind for cycle in memory.cycles.list()] == [CycleKind.SLOW_TICK, CycleKind.REFLECTION]


def test_nothing_worth_remembering_is_settled_without_a_model(memory: Memory) -> None:
    model = scripted()

    assert run(memory, talk(memory, "Hi."), model).state is State.TRIVIAL
    assert model.requests == []
    assert texts(memory) == []


def test_a_short_talk_of_something_strong_is_read(memory: Memory) -> None:
    model = scripted(extraction())

    assert run(memory, talk(memory, "My father died."), model).state is State.SETTLED
    assert model.requests[0].purpose is Purpose.EXTRACTION


def test_without_a_model_it_waits_and_is_read_once_there_is_one(memory: Memory) -> None:
    session = talk(memory, *SAID)

    assert run(memory, session, None).state is State.WAITING
    assert memory.sessions.get(session).state is SessionState.PENDING
    assert run(memory, session, scripted()).state is State.SETTLED


def test_what_is_said_later_is_read_alone(memory: Memory) -> None:
    session = talk(memory, *SAID)
    run(memory, session, scripted())
    memory.log.add(NewMessage("Rosa and I married today.", sender=Sender.USER))
    memory.sessions.close(session)
    model = scripted(extraction(event(4, "Rosa and I married today.", "Mei married Rosa", impact=9)))

    done = run(memory, session, model)

    assert [memory.nodes.get(node).text for node in done.nodes] == ["Mei married Rosa"]
    assert texts(memory).count("Mei moved to Cork") == 1


def test_a_model_that_fails_leaves_the_talk_waiting_with_the_reason_and_a_growing_pause(
    memory: Memory, clock: FixedClock
) -> None:
    session = talk(memory, *SAID)
    mind = Consolidator(memory, EMBEDDER, ScriptedModel(lambda _: ModelError("The model is away.")))

    (failed,) = asyncio.run(mind.run_pending())
    trouble = memory.stages.trouble(session)
    assert (failed.state, failed.why) == (State.FAILED, "The model is away.")
    assert trouble is not None
    assert (trouble.stage, trouble.why, trouble.tries) == ("extract", "The model is away.", 1)
    assert memory.sessions.get(session).state is SessionState.PENDING

    clock.advance(timedelta(minutes=1))
    assert asyncio.run(mind.run_pending()) == []
    clock.advance(timedelta(minutes=1))
    assert len(asyncio.run(mind.run_pending())) == 1
    clock.advance(timedelta(minutes=3))
    assert asyncio.run(mind.run_pending()) == []
    clock.advance(timedelta(minutes=1))
    (done,) = asyncio.run(Consolidator(memory, EMBEDDER, scripted()).run_pending())
    assert done.state is State.SETTLED
    assert memory.stages.trouble(session) is None


def test_talks_of_every_user_are_read_each_in_its_own_scope(memory: Memory) -> None:
    talk(memory, *SAID)
    tom = memory.within(Scope.user("tom"))
    talk(tom, *SAID)

    done = asyncio.run(Consolidator(memory, EMBEDDER, scripted()).run_pending())

    assert [one.state for one in done] == [State.SETTLED] * 2
    assert {node.scope.key for node in tom.nodes.list()} == {"user:tom"}
    assert texts(memory).count("Mei moved to Cork") == 1


def test_what_is_forgotten_between_two_stages_is_not_thought_about(memory: Memory, clock: FixedClock) -> None:
    session = talk(memory, *SAID)
    failing = ScriptedModel(
        lambda request: moved() if request.purpose is Purpose.EXTRACTION else ModelError("Away.")
    )
    assert run(memory, session, failing).state is State.FAILED
    (gone,) = [node for node in memory.nodes.list() if node.text == "Mei moved to Cork"]
    memory.forget(Target.node(gone.id))

    model = scripted()
    run(memory, session, model)

    assert all("moved to Cork" not in say.text for request in model.requests for say in request.says)


def test_a_session_that_is_not_there_is_an_error(memory: Memory) -> None:
    from echovessel.errors import NotFoundError

    with pytest.raises(NotFoundError):
        run(memory, "nowhere", scripted())
