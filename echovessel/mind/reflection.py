"""Looking back after a talk: a few thoughts that say more than any one memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from echovessel.embedding import Embedder
from echovessel.memory.cycles import Cycle, CycleKind, CycleOutcome
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node, NodeKind, Origin
from echovessel.mind import narrative, thinking
from echovessel.mind.fence import quoted
from echovessel.mind.prompts import prompt_file
from echovessel.mind.settings import MindSettings
from echovessel.mind.told import names
from echovessel.models.language import LanguageModel, Parsed, Purpose, Request, Usage, structured

STRONG = 8.0
EVERY = timedelta(hours=24)
MOST_THOUGHTS, MOST_READ, DAYS = 3, 30, 30


class _Thought(BaseModel):
    about: str = "user"
    text: str
    rests_on: list[str] = Field(default_factory=list)
    pin: bool = False


class _Reflection(BaseModel):
    thoughts: list[_Thought] = Field(default_factory=list)
    narrative: str = ""


@dataclass(frozen=True)
class Thoughts:
    """What a round of thinking wants to write, ready to be written in one transaction."""

    shown: thinking.Shown
    new: tuple[tuple[NewNode, NDArray[np.float32]], ...]
    usage: Usage


def due(memory: Memory, *, strongest: float, settings: MindSettings) -> str:
    """Why no reflection is due now; empty when one is.

    Due when something of impact 8 or more happened, or the last one is a day ago; thoughts written by other means
    don't count as one.
    """
    cycles, now = memory.cycles, memory.context.clock.now()
    today = cycles.spent(CycleKind.REFLECTION, thinking.persona_midnight(memory))
    if today.cycles >= settings.reflections:
        return f"{settings.reflections} reflections today already"
    if abs(strongest) >= STRONG:
        return ""
    last = cycles.last(CycleKind.REFLECTION)
    since = last.at if last else next((m.sent_at for m in memory.log.between(limit=1)), now)
    return "" if now - since >= EVERY else "nothing strong happened, and the last one is less than a day ago"


async def reflect(
    memory: Memory, embedder: Embedder, model: LanguageModel, *, fresh: Sequence[str], settings: MindSettings
) -> Thoughts | None:
    """Ask for thoughts; writes nothing. None where there is nothing to think about.

    Parameters
    ----------
    fresh : sequence of str
        Ids of what the talk has just brought; read first.
    """
    asked = await asyncio.to_thread(_asked, memory, fresh, settings)
    if asked is None:
        return None
    shown, request = asked
    parsed = await structured(model, request)
    return await asyncio.to_thread(_found, memory, embedder, shown, parsed, settings)


def _asked(
    memory: Memory, fresh: Sequence[str], settings: MindSettings
) -> tuple[thinking.Shown, Request] | None:
    """What is shown, and the request made of it."""
    nodes = _read(memory, fresh)
    if not nodes:
        return None
    language = thinking.talk_language(memory, nodes)
    shown = thinking.Shown(memory, nodes, memory.context.clock.now(), language)
    persona, speaker = names(memory)
    last = narrative.current(memory)
    request = prompt_file("reflection", language).request(
        values={
            "persona": persona,
            "speaker": speaker,
            "today": f"{shown.now:%Y-%m-%d}",
            "memories": shown.text,
            "narrative": quoted(last.text) if last else "-",
        },
        purpose=Purpose.REFLECTION,
        role="main",
        schema=_Reflection,
        max_tokens=settings.cycle_output,
    )
    return shown, request


def _found(
    memory: Memory,
    embedder: Embedder,
    shown: thinking.Shown,
    parsed: Parsed[_Reflection],
    settings: MindSettings,
) -> Thoughts:
    """What may be written of the answer, with vectors."""
    found = parsed.value
    new = [
        NewNode(
            thought.text.strip(),
            kind=NodeKind.THOUGHT,
            subject=thinking.subject_of(thought.about),
            pinned=thought.pin and thinking.subject_of(thought.about) == "user",
            origin=Origin.REFLECTION,
            known_at=shown.now,
            sources=shown.sources(thought.rests_on),
        )
        for thought in found.thoughts[:MOST_THOUGHTS]
        if shown.fits(thought.text, thought.rests_on, least=2)
    ]
    for thought in found.thoughts[MOST_THOUGHTS:]:
        shown.refuse(f"more than {MOST_THOUGHTS} thoughts", thought.text)
    for dropped in parsed.dropped:
        shown.refuse("it has not the form asked for", dropped)
    add_narrative(memory, shown, found.narrative, new, Origin.REFLECTION, settings)
    return Thoughts(shown, with_vectors(embedder, new), parsed.usage)


def add_narrative(
    memory: Memory,
    shown: thinking.Shown,
    text: str,
    new: list[NewNode],
    origin: Origin,
    settings: MindSettings,
) -> None:
    """Add a new version of the self-narrative to what is written, or refuse it."""
    last = narrative.current(memory)
    if not text.strip() or (last is not None and text.strip() == last.text):
        return
    if rule := narrative.refusal(text.strip(), last, limit=settings.drift):
        shown.refuse(rule, text.strip())
    elif not shown.nodes:
        shown.refuse("it rests on nothing that was shown", text.strip())
    else:
        sources = shown.sources(f"M{n}" for n in range(1, min(len(shown.nodes), 5) + 1))
        new.append(narrative.version(memory, text, last, origin, sources))


def write(
    memory: Memory, kind: CycleKind, thoughts: Thoughts, mark: Callable[[Cycle], None] = lambda _: None
) -> Cycle:
    """Write what was thought, with its audit row, in one transaction; `mark` adds to it."""
    with memory.context.store.write():
        wrote = [memory.nodes.add(node, vector=vector).id for node, vector in thoughts.new]
        cycle = memory.cycles.record(
            kind,
            CycleOutcome.DONE,
            input_tokens=thoughts.usage.input_tokens,
            output_tokens=thoughts.usage.output_tokens,
            read=[node.id for node in thoughts.shown.nodes],
            wrote=wrote,
            refused=thoughts.shown.refused,
        )
        mark(cycle)
        return cycle


def with_vectors(
    embedder: Embedder, new: Sequence[NewNode]
) -> tuple[tuple[NewNode, NDArray[np.float32]], ...]:
    """Each with the vector of its text."""
    return tuple(zip(new, thinking.vectors(embedder, [node.text for node in new]), strict=True))


def _read(memory: Memory, fresh: Sequence[str]) -> list[Node]:
    first = [memory.nodes.get(ident) for ident in fresh]
    others = [
        node for node in thinking.recent(memory, days=DAYS, limit=MOST_READ) if node.id not in set(fresh)
    ]
    kinds = (NodeKind.EVENT, NodeKind.THOUGHT)
    return [n for n in [*first, *others] if n.kind in kinds and n.attribute != narrative.ATTRIBUTE][
        :MOST_READ
    ]
