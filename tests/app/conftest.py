"""Memories on the shelf: a sample, an empty one, and one that is full of tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("gradio", reason="the page needs the extra `app`")

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import (
    Actor,
    CoreLabel,
    Mood,
    NewMessage,
    NewNode,
    NodeKind,
    NodeStatus,
    RelationalTag,
    Scope,
    Source,
    Subject,
)
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import LanguageModel, Purpose, Request, ScriptedModel
from echovessel.runtime.config import Config
from echovessel.runtime.vessel import Vessel
from echovessel.workbench.app.shelf import Opened

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOSTILE = (
    '<script>window.hacked=1</script><img src=x onerror="window.hacked=1"> [x](javascript:window.hacked=1) '
    "{{constructor.constructor('window.hacked=1')()}} ${window.hacked=1} </textarea></style>"
)
HOSTILE_NAME = "<img src=x onerror='window.hacked=1'> {{7*7}} ${window.hacked=1}"


def new_vessel(path: Path | str = ":memory:", *, model: LanguageModel | None = None) -> Vessel:
    embedder = HashEmbedder()
    memory = Memory.open(
        path, persona="lin", scope=Scope.user("owner"), embedder=embedder.identity, clock=FixedClock(NOW)
    )
    memory.personas.set_zone("UTC")
    home = None if path == ":memory:" else Path(path).parent
    return Vessel(memory, embedder, Config(), model=model, home=home)


SAID = "I start at the harbour on Monday"
FACT = "Mei starts at the harbour."
REPLY = "The harbour! <b>Tell me</b> how the first day goes."


def talker() -> ScriptedModel:
    """Replies always the same, and makes one memory of a talk whose first message is `SAID`."""

    def answer(request: Request) -> Any:
        if request.purpose is Purpose.REPLY:
            return REPLY
        if request.purpose is not Purpose.EXTRACTION:
            return {}
        source = {"message": 1, "words": SAID}
        return {"events": [{"text": FACT, "subject": "user", "impact": 5, "sources": [source]}]}

    return ScriptedModel(answer)


def opened_of(vessel: Vessel, name: str = "Lin") -> Opened:
    return Opened(name, vessel, "Vessel.sample('lin')")


@pytest.fixture
def bare() -> Iterator[Opened]:
    """A memory that holds nothing."""
    vessel = new_vessel()
    yield opened_of(vessel)
    vessel.close()


@pytest.fixture
def small() -> Iterator[Opened]:
    """A talk of four turns, two jobs of which one replaced the other, a promise, a thought, and two friends."""
    vessel = new_vessel()
    memory = vessel.memory
    memory.personas.set_name("Lin")
    memory.personas.set_name("Mei", scope=memory.context.scope)
    says = [
        NewMessage(
            "I work at Lanting Press with Scott", sent_at=datetime(2026, 3, 2, 9, tzinfo=UTC), session="a"
        ),
        NewMessage("Noted.", sender="persona", sent_at=datetime(2026, 3, 2, 9, 1, tzinfo=UTC), session="a"),
        NewMessage(
            "I've started at Northgate Books", sent_at=datetime(2026, 5, 20, 9, tzinfo=UTC), session="b"
        ),
        NewMessage("Kafka the corgi is lazy", sent_at=datetime(2026, 5, 20, 9, 1, tzinfo=UTC), session="b"),
    ]
    first, _, third, fourth = memory.log.add_many(says)
    scott = memory.directory.add("Scott", kind="person", aliases=("黄逸扬", "Huang"))
    kafka = memory.directory.add("Kafka", kind="pet")
    job = NewNode(
        "Mei works at Lanting Press.",
        attribute="employer",
        subject=Subject.USER,
        impact=4,
        occurred_from=date(2026, 3, 2),
        occurred_to=date(2026, 3, 2),
        tags=(RelationalTag.IDENTITY,),
        sources=(Source(message=first.id, quote="I work at Lanting Press"),),
        entities=(scott.id,),
    )
    old = memory.nodes.add(job)
    memory.nodes.add(
        replace(
            job,
            text="Mei works at Northgate Books.",
            occurred_from=date(2026, 5, 20),
            occurred_to=date(2026, 5, 20),
            sources=(Source(message=third.id, quote="Northgate Books"),),
            entities=(),
            supersedes=(old.id,),
        )
    )
    memory.nodes.add(
        NewNode(
            "Kafka is a lazy corgi.",
            sources=(Source(message=fourth.id, quote="lazy"),),
            entities=(kafka.id, scott.id),
            impact=-2,
        )
    )
    memory.nodes.add(
        NewNode(
            "Lin promised to write on Friday.",
            kind=NodeKind.INTENTION,
            subject=Subject.PERSONA,
            due_on=date(2026, 6, 5),
            status=NodeStatus.OPEN,
            sources=(Source(message=third.id),),
        )
    )
    memory.nodes.add(
        NewNode(
            "Mei changes jobs gladly.", kind=NodeKind.THOUGHT, sources=(Source(node=old.id),), pinned=True
        )
    )
    memory.core.set(CoreLabel.PERSONA, "A recording engineer.", actor=Actor.IMPORT)
    memory.moods.set(Mood("calm", 0.6, "pleased", NOW))
    vessel.embed_pending()
    yield opened_of(vessel)
    vessel.close()


@pytest.fixture
def hostile() -> Iterator[Opened]:
    """Tags in every place that people or models write."""
    opened = hostile_memory(new_vessel())
    yield opened
    opened.vessel.close()


def hostile_memory(vessel: Vessel) -> Opened:
    memory = vessel.memory
    memory.personas.set_name(f"Lin {HOSTILE}"[:200])
    memory.personas.set_name(f"Mei {HOSTILE}"[:200], scope=memory.context.scope)
    for label in CoreLabel:
        memory.core.set(label, HOSTILE, actor=Actor.IMPORT)
    memory.moods.set(Mood(HOSTILE, 0.5, HOSTILE, NOW))
    told = memory.log.add(NewMessage(HOSTILE, sender="other", sender_name=HOSTILE[:200], sent_at=NOW))
    one = memory.directory.add(f"Ann {HOSTILE_NAME}", kind="<b>kind</b>", aliases=(f"Annie {HOSTILE_NAME}",))
    two = memory.directory.add("Bo", kind="person")
    old = memory.nodes.add(
        NewNode(
            f"Old {HOSTILE}",
            attribute="home",
            emotions=(HOSTILE[:60],),
            sources=(Source(message=told.id, quote=HOSTILE),),
            entities=(one.id, two.id),
        )
    )
    memory.nodes.add(
        NewNode(f"New {HOSTILE}", attribute="home", sources=(Source(message=told.id),), supersedes=(old.id,))
    )
    memory.nodes.add(NewNode(f"So {HOSTILE}", kind=NodeKind.THOUGHT, sources=(Source(node=old.id),)))
    memory.nodes.add(
        NewNode(
            f"Will {HOSTILE}",
            kind=NodeKind.EXPECTATION,
            status=NodeStatus.OPEN,
            due_on=date(2026, 5, 1),
            sources=(Source(message=told.id),),
        )
    )
    vessel.embed_pending()
    return Opened("Hostile", vessel, "Vessel.sample('lin')", (HOSTILE,))
