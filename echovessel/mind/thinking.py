"""What thinking rounds share: memories shown under handles, and what comes back checked against them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import day_of, from_micros, start_of_day
from echovessel.embedding import Embedder
from echovessel.memory.cycles import Refusal
from echovessel.memory.memory import Memory
from echovessel.memory.records import Node, Source, Subject
from echovessel.memory.tombstones import Tombstones
from echovessel.mind.fence import fenced, quoted
from echovessel.mind.told import when_it_was
from echovessel.text import Language, fold, language_of

LONGEST = 400


@dataclass
class Shown:
    """Memories as a model sees them: M1, M2, ..."""

    memory: Memory
    nodes: Sequence[Node]
    now: datetime
    language: Language
    refused: list[Refusal] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Fenced lines, each with its handle and its day."""
        zone = self.memory.personas.zone_of(self.memory.context.scope)
        today = day_of(self.now, zone)
        lines = []
        for number, node in enumerate(self.nodes, start=1):
            when = when_it_was(node, today, zone, self.language)
            lines.append(f"M{number} ({node.kind}, {when}) {quoted(node.text)}")
        return fenced("memory", lines)

    def named(self, handles: Iterable[str]) -> list[Node]:
        """The memories that handles name; unknown ones are passed over."""
        by_handle = {f"m{number}": node for number, node in enumerate(self.nodes, start=1)}
        found = (by_handle.get(handle.strip().casefold()) for handle in handles)
        return list(dict.fromkeys(node for node in found if node is not None))

    def sources(self, handles: Iterable[str]) -> tuple[Source, ...]:
        """What a thought rests on."""
        return tuple(Source(node=node.id) for node in self.named(handles))

    def refuse(self, rule: str, text: str) -> None:
        """Note what might not be written."""
        self.refused.append(Refusal(rule, text))

    def fits(self, text: str, handles: Sequence[str], *, least: int) -> bool:
        """Whether a text may be written: not empty, not long, resting on enough, new, and not forgotten before."""
        clean = text.strip()
        known = {fold(node.text) for node in self.nodes}
        if not clean:
            return False
        if len(clean) > LONGEST:
            self.refuse("longer than 400 characters", clean)
        elif len(self.named(handles)) < least:
            self.refuse("it rests on nothing that was shown", clean)
        elif fold(clean) in known:
            self.refuse("it only repeats a memory", clean)
        elif forgotten(self.memory, clean):
            self.refuse("it was forgotten before", clean)
        else:
            return True
        return False


def forgotten(memory: Memory, text: str) -> bool:
    """Whether a thought of these words was deleted for good."""
    graves = Tombstones(memory.context)
    kinds = ("thought", "intention", "expectation", "event")
    scope = memory.context.scope.key
    return graves.any() and any(graves.hold(graves.of_node(scope, kind, text)) for kind in kinds)


def talk_language(memory: Memory, nodes: Sequence[Node]) -> Language:
    """The language of a scope's memories."""
    return language_of(
        "\n".join(node.text for node in nodes) or "\n".join(m.text for m in memory.log.last(20))
    )


def subject_of(about: str) -> Subject:
    """Whom a thought is about, as the model says it."""
    return {"user": Subject.USER, "persona": Subject.PERSONA}.get(about.strip().casefold(), Subject.OTHER)


def vectors(embedder: Embedder, texts: Sequence[str]) -> list[NDArray[np.float32]]:
    """Vectors of texts, none for none."""
    return list(embedder.embed(list(texts), kind="passage")) if texts else []


def persona_midnight(memory: Memory) -> datetime:
    """When the persona's day began: daily limits count from here."""
    persona = memory.personas.get(memory.context.persona)
    zone = persona.zone or memory.personas.zone_of(memory.context.scope)
    return from_micros(start_of_day(day_of(memory.context.clock.now(), zone), zone))


def recent(memory: Memory, *, days: int, limit: int) -> list[Node]:
    """Memories of the last days, the strongest first, and of equals the latest."""
    since = memory.context.clock.now() - timedelta(days=days)
    found = [node for node in memory.nodes.list(limit=limit * 4) if node.known_at >= since]
    found = [node for node in found if node.scope == memory.context.scope]
    return sorted(found, key=lambda node: (abs(node.impact), node.known_at), reverse=True)[:limit]
