"""Portraits of third parties: one thought each, written anew when enough has happened."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from echovessel.embedding import Embedder
from echovessel.memory.memory import Memory
from echovessel.memory.records import Entity, NewNode, Node, NodeKind, Origin, Subject
from echovessel.mind import thinking
from echovessel.mind.fence import quoted
from echovessel.mind.prompts import prompt_file
from echovessel.mind.reflection import Thoughts, with_vectors
from echovessel.mind.settings import MindSettings
from echovessel.mind.told import names
from echovessel.models.language import LanguageModel, Purpose, Request, structured

ATTRIBUTE = "portrait"
ENOUGH, MOST_READ, MOST_A_TIME = 3, 20, 2


class _Portrait(BaseModel):
    text: str = ""
    rests_on: list[str] = Field(default_factory=list)


def due(memory: Memory, fresh: Sequence[str]) -> list[Entity]:
    """Those of whom three events or more are newer than their portrait, among the ones just spoken of."""
    spoken = dict.fromkeys(entity for node in fresh for entity in memory.nodes.get(node).entities)
    found = []
    for ident in spoken:
        last = current(memory, ident)
        events = memory.nodes.list(kinds=[NodeKind.EVENT], entity=ident, limit=MOST_READ)
        newer = [node for node in events if last is None or node.recorded_at > last.recorded_at]
        if len(newer) >= ENOUGH:
            found.append(memory.directory.get(ident))
    return found[:MOST_A_TIME]


async def portray(
    memory: Memory, embedder: Embedder, model: LanguageModel, entity: Entity, *, settings: MindSettings
) -> Thoughts:
    """Ask for a portrait; writes nothing."""
    shown, last, request = await asyncio.to_thread(_asked, memory, entity, settings)
    parsed = await structured(model, request)
    new = await asyncio.to_thread(_checked, shown, last, entity, parsed.value)
    return Thoughts(shown, await asyncio.to_thread(with_vectors, embedder, new), parsed.usage)


def _asked(
    memory: Memory, entity: Entity, settings: MindSettings
) -> tuple[thinking.Shown, Node | None, Request]:
    """What is shown, the portrait so far, and the request made of both."""
    nodes = memory.nodes.list(kinds=[NodeKind.EVENT], entity=entity.id, limit=MOST_READ)
    language = thinking.talk_language(memory, nodes)
    shown = thinking.Shown(memory, nodes, memory.context.clock.now(), language)
    last = current(memory, entity.id)
    request = prompt_file("portrait", language).request(
        values={
            "persona": names(memory)[0],
            "name": quoted(entity.name, limit=60),
            "memories": shown.text,
            "before": quoted(last.text) if last else "-",
        },
        purpose=Purpose.REFLECTION,
        role="fast",
        schema=_Portrait,
        max_tokens=settings.cycle_output,
    )
    return shown, last, request


def _checked(shown: thinking.Shown, last: Node | None, entity: Entity, drawn: _Portrait) -> list[NewNode]:
    """The portrait, where it may be written and is another than the last."""
    text, new = drawn.text.strip(), list[NewNode]()
    if text and (last is None or text != last.text) and shown.fits(text, drawn.rests_on, least=1):
        new.append(
            NewNode(
                text,
                kind=NodeKind.THOUGHT,
                subject=Subject.OTHER,
                about=entity.id,
                attribute=ATTRIBUTE,
                origin=Origin.REFLECTION,
                known_at=shown.now,
                sources=shown.sources(drawn.rests_on),
                supersedes=(last.id,) if last else (),
            )
        )
    return new


def current(memory: Memory, entity: str) -> Node | None:
    """The portrait of an entity that holds in this scope; one of somebody else that only names it is none."""
    root = memory.directory.root(entity)
    for node in memory.nodes.list(kinds=[NodeKind.THOUGHT], attribute=ATTRIBUTE, entity=entity):
        if node.scope == memory.context.scope and node.about and memory.directory.root(node.about) == root:
            return node
    return None
