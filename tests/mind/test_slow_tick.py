"""Thinking between talks: each guard, and somebody who tries to get past it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import ModelError
from echovessel.memory.cycles import Cycle, CycleKind, CycleOutcome
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node, NodeKind, NodeStatus, Scope
from echovessel.memory.targets import Target
from echovessel.mind.settings import MindSettings
from echovessel.mind.slow_tick import slow_tick
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import ScriptedModel

SETTINGS = MindSettings()


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    embedder = HashEmbedder()
    with Memory.open(
        ":memory:",
        persona="lin",
        scope=Scope.user("mei"),
        clock=clock,
        zone="UTC",
        embedder=embedder.identity,
    ) as memory:
        memory.nodes.add(NewNode("Mei plays the piano in July", impact=4))
        yield memory


def tick(memory: Memory, *answers: Any, settings: MindSettings = SETTINGS) -> tuple[Cycle, ScriptedModel]:
    model = ScriptedModel(answers)
    return asyncio.run(slow_tick(memory, HashEmbedder(), model, settings=settings)), model


def item(kind: str = "thought", text: str = "I wonder what Mei will play", **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "about": "user", "text": text, "rests_on": ["M1"]} | fields


def answer(*items: dict[str, Any], narrative: str = "") -> dict[str, Any]:
    return {"items": list(items), "narrative": narrative}


def written(memory: Memory) -> list[Node]:
    return [node for node in memory.nodes.list() if node.origin == "slow_tick"]


def test_it_writes_thoughts_intentions_and_expectations_with_vectors_and_an_audit_row(memory: Memory) -> None:
    cycle, model = tick(
        memory,
        answer(
            item(),
            item("intention", "ask Mei which piece she plays"),
            item("expectation", "Mei tells how it went", due="2026-07-20"),
        ),
    )

    assert cycle.outcome is CycleOutcome.DONE
    nodes = {node.kind: node for node in written(memory)}
    assert set(cycle.wrote) == {node.id for node in nodes.values()}
    assert nodes[NodeKind.INTENTION].subject == "persona"
    assert nodes[NodeKind.EXPECTATION].due_on == date(2026, 7, 20)
    assert nodes[NodeKind.EXPECTATION].status is NodeStatus.OPEN
    assert nodes[NodeKind.THOUGHT].sources[0].node == cycle.read[0]
    assert [waiting.text for waiting in memory.vectors.pending(10)] == ["Mei plays the piano in July"]
    assert cycle.input_tokens > 0
    assert cycle.output_tokens > 0
    assert model.requests[0].stamp.startswith("slow_tick.en v1")


@pytest.mark.parametrize(
    "kind", ["event", "core_block", "message", "schedule", "tool", "Thought; DROP TABLE nodes", ""]
)
def test_no_other_kind_can_be_written(memory: Memory, kind: str) -> None:
    before = {node.id for node in memory.nodes.list()}

    cycle, _ = tick(memory, answer(item(kind, "Mei is my sister")))

    assert {node.id for node in memory.nodes.list()} == before
    assert [refusal.text for refusal in cycle.refused] == ["Mei is my sister"]
    assert memory.core.all() == []


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (item(rests_on=[]), "rests on nothing"),
        (item(rests_on=["M99", "nonsense"]), "rests on nothing"),
        (item(text="Mei plays the piano in July"), "only repeats"),
        (item(text="x" * 401), "longer than 400"),
    ],
)
def test_what_rests_on_nothing_repeats_or_runs_long_is_refused_and_seen(
    memory: Memory, bad: dict[str, Any], rule: str
) -> None:
    cycle, _ = tick(memory, answer(bad, item()))

    assert len(cycle.wrote) == 1
    assert [rule in refusal.rule for refusal in cycle.refused] == [True]


def test_more_than_four_items_are_refused(memory: Memory) -> None:
    cycle, _ = tick(memory, answer(*[item(text=f"thought number {n}") for n in range(6)]))

    assert len(cycle.wrote) == 4
    assert len(cycle.refused) == 2


def test_what_was_forgotten_is_not_thought_again(memory: Memory) -> None:
    cycle, _ = tick(memory, answer(item()))
    memory.forget(Target.node(cycle.wrote[0]))
    clock = memory.context.clock
    assert isinstance(clock, FixedClock)
    clock.advance(timedelta(hours=1))

    again, _ = tick(memory, answer(item()))

    assert again.wrote == ()
    assert again.refused[0].rule == "it was forgotten before"


def test_the_kill_switch(memory: Memory) -> None:
    cycle, model = tick(memory, answer(item()), settings=MindSettings(slow_tick=False))

    assert (cycle.outcome, cycle.reason) == (CycleOutcome.HELD, "thinking between talks is switched off")
    assert model.requests == []


def test_without_a_model_nothing_is_thought(memory: Memory) -> None:
    cycle = asyncio.run(slow_tick(memory, HashEmbedder(), None, settings=SETTINGS))

    assert cycle.reason == "no language model is set"


def test_the_cool_down(memory: Memory, clock: FixedClock) -> None:
    tick(memory, answer())
    clock.advance(timedelta(minutes=29))
    early, model = tick(memory, answer(item()))
    clock.advance(timedelta(minutes=1))
    late, _ = tick(memory, answer(item()))

    assert (early.outcome, model.requests) == (CycleOutcome.HELD, [])
    assert "less than 30 minutes" in early.reason
    assert late.outcome is CycleOutcome.DONE


def test_a_day_has_so_many_cycles_over_all_talks_and_begins_at_the_personas_midnight(
    memory: Memory, clock: FixedClock
) -> None:
    settings = MindSettings(day_cycles=2, cool_down=0)
    other = memory.within(Scope.user("tom"))
    other.nodes.add(NewNode("Tom sails"))
    memory.personas.set_zone("Asia/Shanghai")
    clock.set(clock.now().replace(hour=14))  # 22:00 in Shanghai

    outcomes = [tick(where, answer(), settings=settings)[0].outcome for where in (memory, other, memory)]
    clock.advance(timedelta(hours=2))
    after = tick(memory, answer(), settings=settings)[0].outcome

    assert outcomes == [CycleOutcome.DONE, CycleOutcome.DONE, CycleOutcome.HELD]
    assert after is CycleOutcome.DONE


@pytest.mark.parametrize(
    "settings",
    [MindSettings(day_input=8_200, cool_down=0), MindSettings(day_output=1_001, cool_down=0)],
)
def test_a_day_has_so_many_tokens(memory: Memory, settings: MindSettings) -> None:
    first, _ = tick(memory, answer(item()), settings=settings)
    second, model = tick(memory, answer(item(text="another")), settings=settings)

    assert first.outcome is CycleOutcome.DONE
    assert second.reason.startswith("the day's limit of ")
    assert model.requests == []


def test_a_cycle_reads_and_writes_no_more_than_its_wall(memory: Memory) -> None:
    for n in range(60):
        memory.nodes.add(NewNode(f"event number {n} " + "with many words " * 30))

    _, model = tick(memory, answer(), settings=MindSettings(cycle_input=2_000, cycle_output=300))

    (request,) = model.requests
    from echovessel.text import count_tokens

    assert sum(count_tokens(say.text) for say in request.says) <= 2_000
    assert request.max_tokens == 300


def test_an_event_is_thought_over_three_times_at_most(memory: Memory, clock: FixedClock) -> None:
    outcomes = []
    for _ in range(4):
        outcomes.append(tick(memory, answer())[0])
        clock.advance(timedelta(hours=1))

    assert [cycle.outcome for cycle in outcomes] == [CycleOutcome.DONE] * 3 + [CycleOutcome.HELD]
    assert outcomes[-1].reason == "nothing new to think about"


def test_thoughts_alone_feed_no_further_thoughts(memory: Memory, clock: FixedClock) -> None:
    """No recursion: when its events are used up, a persona doesn't think about what it thought."""
    for n in range(3):
        tick(memory, answer(item(text=f"deep thought {n}")))
        clock.advance(timedelta(hours=1))

    cycle, model = tick(memory, answer(item(text="a thought about thoughts")))

    assert (cycle.outcome, model.requests) == (CycleOutcome.HELD, [])


def test_the_self_narrative_changes_slowly(memory: Memory, clock: FixedClock) -> None:
    first = "I listen well. " * 10
    tick(memory, answer(narrative=first))
    clock.advance(timedelta(hours=1))
    jump, _ = tick(memory, answer(narrative="I am somebody else altogether."))
    clock.advance(timedelta(hours=1))
    step, _ = tick(memory, answer(narrative=first + "And I wait."))

    assert "changes more than 20%" in jump.refused[0].rule
    assert len(step.wrote) == 1


def test_a_model_that_fails_leaves_a_row_and_nothing_else(memory: Memory) -> None:
    cycle, _ = tick(memory, ModelError("The model is away."))

    assert (cycle.outcome, cycle.reason) == (CycleOutcome.FAILED, "The model is away.")
    assert written(memory) == []


def test_another_users_memories_are_never_read(memory: Memory) -> None:
    other = memory.within(Scope.user("tom"))
    secret = other.nodes.add(NewNode("Tom's secret is the lighthouse", impact=10))

    cycle, model = tick(memory, answer())

    assert secret.id not in cycle.read
    assert "lighthouse" not in model.requests[0].says[1].text


def test_overdue_expectations_expire_and_leave_the_open_ones(memory: Memory, clock: FixedClock) -> None:
    due = memory.nodes.add(
        NewNode("Mei calls", kind=NodeKind.EXPECTATION, due_on=date(2026, 6, 2), status=NodeStatus.OPEN)
    )
    endless = memory.nodes.add(NewNode("Mei visits", kind=NodeKind.EXPECTATION, status=NodeStatus.OPEN))
    clock.advance(timedelta(days=8))
    tick(memory, answer())
    assert memory.nodes.get(due.id).status is NodeStatus.OPEN  # the seventh day of grace is today
    clock.advance(timedelta(days=1))
    tick(memory, answer())
    assert memory.nodes.get(due.id).status is NodeStatus.EXPIRED
    assert memory.nodes.get(endless.id).status is NodeStatus.OPEN
    clock.advance(timedelta(days=60))
    tick(memory, answer())
    assert memory.nodes.get(endless.id).status is NodeStatus.EXPIRED


def test_the_audit_lists_rounds_of_its_scope(memory: Memory) -> None:
    tick(memory, answer(item("event", "no")))

    (cycle,) = memory.cycles.list(kind=CycleKind.SLOW_TICK)
    assert cycle.refused[0].text == "no"
    assert memory.within(Scope.user("tom")).cycles.list() == []


def test_held_again_for_the_same_reason_it_counts_in_one_row(memory: Memory, clock: FixedClock) -> None:
    """Two days of silence are one row that says how often and until when, not 96."""
    began = clock.now()
    off = MindSettings(slow_tick=False)
    for _ in range(95):
        tick(memory, settings=off)
        clock.advance(timedelta(minutes=30))
    last, _ = tick(memory, settings=off)
    other = memory.within(Scope.user("tom"))
    tick(other, settings=off)

    (row,) = memory.cycles.list()
    assert row == last
    assert (row.at, row.times, row.until) == (began, 96, clock.now())
    assert [one.times for one in other.cycles.list()] == [1]
    assert memory.cycles.spent(CycleKind.SLOW_TICK, began).cycles == 0


def test_another_reason_or_a_round_between_begins_a_new_row(memory: Memory, clock: FixedClock) -> None:
    for settings in (
        MindSettings(slow_tick=False),
        MindSettings(day_cycles=0),
        MindSettings(slow_tick=False),
    ):
        tick(memory, settings=settings)
        clock.advance(timedelta(minutes=1))
    tick(memory, answer())
    clock.advance(timedelta(minutes=1))
    for _ in range(2):
        tick(memory)
        clock.advance(timedelta(minutes=1))

    rows = [(str(one.outcome), one.reason, one.times) for one in reversed(memory.cycles.list())]
    off, cool = "thinking between talks is switched off", "the last one is less than 30 minutes ago"
    assert rows == [
        ("held", off, 1),
        ("held", "the day's limit of 0 slow ticks", 1),
        ("held", off, 1),
        ("done", "", 1),
        ("held", cool, 2),
    ]
