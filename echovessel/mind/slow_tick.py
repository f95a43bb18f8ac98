"""The slow tick: the persona thinking while nobody talks, behind guards that always win."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta

from pydantic import BaseModel, Field

from echovessel.embedding import Embedder
from echovessel.errors import ModelError
from echovessel.memory.cycles import Cycle, CycleKind, CycleOutcome
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node, NodeKind, NodeStatus, Origin, Subject
from echovessel.mind import narrative, thinking
from echovessel.mind.expectations import expire
from echovessel.mind.fence import fenced, quoted
from echovessel.mind.prompts import prompt_file
from echovessel.mind.reflection import Thoughts, add_narrative, with_vectors, write
from echovessel.mind.settings import MindSettings
from echovessel.mind.told import names
from echovessel.models.language import LanguageModel, Parsed, Purpose, Request, structured
from echovessel.text import count_tokens

MOST_ITEMS, MOST_READ, DAYS = 4, 24, 14
# A closed list: nothing else can be written, whatever a model asks for.
KINDS = {"thought": NodeKind.THOUGHT, "intention": NodeKind.INTENTION, "expectation": NodeKind.EXPECTATION}


class _Item(BaseModel):
    kind: str
    about: str = "user"
    text: str
    rests_on: list[str] = Field(default_factory=list)
    due: str = ""


class _Tick(BaseModel):
    items: list[_Item] = Field(default_factory=list)
    narrative: str = ""


async def slow_tick(
    memory: Memory,
    embedder: Embedder,
    model: LanguageModel | None,
    *,
    settings: MindSettings,
    mark: Callable[[Cycle], None] = lambda _: None,
) -> Cycle:
    """One round of thinking in this scope; leaves an audit row of what it read, spent, wrote and was refused.

    It can only add thoughts, intentions and expectations: no core block, no other kind, no schedule, no tool, no
    further round. Where a guard holds, nothing is asked and the row says which; held again for the same reason, the row
    counts how often and until when.

    Parameters
    ----------
    mark : callable, optional
        Called with the row in its transaction, so that whoever counts rounds never counts one twice.
    """
    asked = await asyncio.to_thread(_asked, memory, model, settings)
    if model is None or isinstance(asked, str):
        return await asyncio.to_thread(_held, memory, str(asked), mark)
    shown, request = asked
    try:
        parsed = await structured(model, request)
    except ModelError as error:
        read, size = [node.id for node in shown.nodes], _size(request)
        return await asyncio.to_thread(_failed, memory, str(error), size, read, mark)
    return await asyncio.to_thread(_written, memory, embedder, shown, parsed, settings, mark)


def _asked(
    memory: Memory, model: LanguageModel | None, settings: MindSettings
) -> tuple[thinking.Shown, Request] | str:
    """What is shown and the request made of it, or the guard that holds."""
    expire(memory)
    if reason := held(memory, model, settings):
        return reason
    nodes = _read(memory, settings)
    return _within(memory, nodes, settings) if nodes else "nothing new to think about"


def _written(
    memory: Memory,
    embedder: Embedder,
    shown: thinking.Shown,
    parsed: Parsed[_Tick],
    settings: MindSettings,
    mark: Callable[[Cycle], None],
) -> Cycle:
    """Write what may be written of the answer."""
    new = _checked(shown, parsed.value)
    for dropped in parsed.dropped:
        shown.refuse("it has not the form asked for", dropped)
    add_narrative(memory, shown, parsed.value.narrative, new, Origin.SLOW_TICK, settings)
    thoughts = Thoughts(shown, with_vectors(embedder, new), parsed.usage)
    return write(memory, CycleKind.SLOW_TICK, thoughts, mark)


def _held(memory: Memory, reason: str, mark: Callable[[Cycle], None]) -> Cycle:
    """The row of a round that a guard held back; one row for as long as the reason stays the same."""
    with memory.context.store.write():
        cycle = memory.cycles.hold(CycleKind.SLOW_TICK, reason)
        mark(cycle)
        return cycle


def _failed(memory: Memory, why: str, tokens: int, read: list[str], mark: Callable[[Cycle], None]) -> Cycle:
    """The row of a round that the model left without an answer."""
    with memory.context.store.write():
        failed = CycleOutcome.FAILED
        cycle = memory.cycles.record(CycleKind.SLOW_TICK, failed, reason=why, input_tokens=tokens, read=read)
        mark(cycle)
        return cycle


def held(memory: Memory, model: LanguageModel | None, settings: MindSettings) -> str:
    """The guard that keeps the persona from thinking now; empty where none does."""
    if not settings.slow_tick:
        return "thinking between talks is switched off"
    if model is None:
        return "no language model is set"
    today = memory.cycles.spent(CycleKind.SLOW_TICK, thinking.persona_midnight(memory))
    for used, limit, what in (
        (today.cycles + 1, settings.day_cycles, "slow ticks"),
        (today.input_tokens + settings.cycle_input, settings.day_input, "tokens read"),
        (today.output_tokens + settings.cycle_output, settings.day_output, "tokens written"),
    ):
        if used > limit:
            return f"the day's limit of {limit} {what}"
    last = memory.cycles.last(CycleKind.SLOW_TICK)
    if last and memory.context.clock.now() - last.at < timedelta(minutes=settings.cool_down):
        return f"the last one is less than {settings.cool_down} minutes ago"
    return ""


def _read(memory: Memory, settings: MindSettings) -> list[Node]:
    """Recent events and thoughts; each event a few times at most, and no round on thoughts alone."""
    nodes = [
        n
        for n in thinking.recent(memory, days=DAYS, limit=MOST_READ * 2)
        if n.attribute != narrative.ATTRIBUTE
    ]
    uses = memory.cycles.uses(node.id for node in nodes)
    events = [n for n in nodes if n.kind is NodeKind.EVENT and uses.get(n.id, 0) < settings.uses]
    if not events:
        return []
    thoughts = [n for n in nodes if n.kind is NodeKind.THOUGHT and uses.get(n.id, 0) < settings.uses]
    return [*events[: MOST_READ - 6], *thoughts[:6]]


def _within(memory: Memory, nodes: list[Node], settings: MindSettings) -> tuple[thinking.Shown, Request]:
    """As many memories as the token wall lets through, and the request made of them."""
    language, now = thinking.talk_language(memory, nodes), memory.context.clock.now()
    persona, speaker = names(memory)
    last = narrative.current(memory)
    promises = memory.nodes.list(kinds=[NodeKind.INTENTION], status=NodeStatus.OPEN, limit=12)
    values = {
        "persona": persona,
        "speaker": speaker,
        "today": f"{now:%Y-%m-%d}",
        "narrative": quoted(last.text, limit=1_000) if last else "-",
        "promises": fenced("memory", [quoted(node.text, limit=300) for node in promises] or ["-"]),
    }
    while True:
        shown = thinking.Shown(memory, nodes, now, language)
        request = prompt_file("slow_tick", language).request(
            values=values | {"memories": shown.text},
            purpose=Purpose.SLOW_TICK,
            role="main",
            schema=_Tick,
            max_tokens=settings.cycle_output,
        )
        if len(nodes) == 1 or _size(request) <= settings.cycle_input:
            return shown, request
        nodes = nodes[: max(1, len(nodes) * 3 // 4)]


def _size(request: Request) -> int:
    return sum(count_tokens(say.text) for say in request.says)


def _checked(shown: thinking.Shown, tick: _Tick) -> list[NewNode]:
    new = []
    for item in tick.items[:MOST_ITEMS]:
        kind = KINDS.get(item.kind.strip().casefold())
        if kind is None:
            shown.refuse(f"the slow tick may not write a {item.kind!r}", item.text)
        elif shown.fits(item.text, item.rests_on, least=1):
            new.append(_node(item, kind, shown))
    for item in tick.items[MOST_ITEMS:]:
        shown.refuse(f"more than {MOST_ITEMS} items", item.text)
    return new


def _node(item: _Item, kind: NodeKind, shown: thinking.Shown) -> NewNode:
    promised = kind in (NodeKind.INTENTION, NodeKind.EXPECTATION)
    return NewNode(
        item.text.strip(),
        kind=kind,
        subject=Subject.PERSONA if kind is NodeKind.INTENTION else thinking.subject_of(item.about),
        due_on=_day(item.due) if promised else None,
        status=NodeStatus.OPEN if promised else None,
        origin=Origin.SLOW_TICK,
        known_at=shown.now,
        sources=shown.sources(item.rests_on),
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
