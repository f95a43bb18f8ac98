"""What the model is shown of what is known already, each thing under a short handle: nothing else can be replaced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.memory import Memory
from echovessel.memory.records import Entity, Node, NodeKind, NodeStatus, Question, Subject
from echovessel.memory.vectors import Layer
from echovessel.mind.extraction.records import Draft
from echovessel.mind.extraction.talk import Chunk
from echovessel.mind.fence import fenced, quoted

FACTS = 60
OPEN = 30
ENTITIES = 80
QUESTIONS = 5
NEAR = 4

_T = TypeVar("_T")


@dataclass(frozen=True)
class Shown:
    """Known facts, open promises and expectations, entities and open questions, by handle.

    `noted` is what earlier chunks of the same talk brought, with its place among the drafts.
    """

    facts: dict[str, Node] = field(default_factory=dict)
    promises: dict[str, Node] = field(default_factory=dict)
    expectations: dict[str, Node] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    noted: dict[str, tuple[int, Draft]] = field(default_factory=dict)

    def text(self) -> str:
        """All of it as data between tags; empty lists are left out."""
        parts = [
            ("facts", [_fact(handle, node) for handle, node in self.facts.items()]),
            ("noted", [_noted(handle, draft) for handle, (_, draft) in self.noted.items()]),
            ("promises", [_open(handle, node) for handle, node in self.promises.items()]),
            ("expectations", [_open(handle, node) for handle, node in self.expectations.items()]),
            ("entities", [_entity(handle, entity) for handle, entity in self.entities.items()]),
            (
                "questions",
                [
                    f"{handle}: {quoted(each.one.name, limit=80)} = {quoted(each.other.name, limit=80)}?"
                    for handle, each in self.questions.items()
                ],
            ),
        ]
        return "\n".join(fenced(name, entries) for name, entries in parts if entries)


def gather(memory: Memory, chunk: Chunk, vectors: NDArray[np.float32]) -> Shown:
    """What is known and may bear on a stretch of talk.

    Parameters
    ----------
    vectors : array of shape (n, dim)
        Unit vectors of what is said; the nearest facts are shown.
    """
    # No one read transaction over all of it: a reply must not wait until many neighbours are found.
    named = {entity for line in chunk.lines for entity in memory.directory.mentioned(line.message.text)}
    entities = sorted(memory.directory.list(), key=lambda entity: entity.id not in named)
    known = [*entities[: len(named)], *entities[len(named) :][::-1]][:ENTITIES]
    return Shown(
        _handles("F", _facts(memory, named, vectors)),
        _handles("P", _open_nodes(memory, NodeKind.INTENTION)),
        _handles("X", _open_nodes(memory, NodeKind.EXPECTATION)),
        _handles("E", known),
        _handles("Q", memory.directory.questions()[:QUESTIONS]),
    )


def _facts(memory: Memory, named: Iterable[str], vectors: NDArray[np.float32]) -> list[Node]:
    """Current events of this scope: the nearest, those of the entities named, and what is known about the user.

    What can change (it has an attribute) comes first, as the nearest vectors may miss what a new job or home replaces.
    """
    best: dict[str, float] = {}
    for vector in vectors:
        for near in memory.vectors.nearest(vector, NEAR, layers=[Layer.NODE], kinds=[NodeKind.EVENT]):
            best[near.id] = max(best.get(near.id, -1.0), near.cosine)
    nearest = [
        memory.nodes.get(ident) for ident in sorted(best, key=lambda ident: -best[ident])[: FACTS // 2]
    ]
    about = [node for each in sorted(named) for node in _events(memory, entity=each, limit=10)]
    states = [node for node in _events(memory, subject=Subject.USER, limit=300) if node.attribute][
        : FACTS // 2
    ]
    found = {node.id: node for node in (*nearest, *states, *about) if node.scope == memory.context.scope}
    return list(found.values())[:FACTS]


def _events(memory: Memory, **filters: object) -> list[Node]:
    return memory.nodes.list(kinds=[NodeKind.EVENT], **filters)  # type: ignore[arg-type]


def _open_nodes(memory: Memory, kind: NodeKind) -> list[Node]:
    found = memory.nodes.list(kinds=[kind], status=NodeStatus.OPEN, limit=OPEN)
    return [node for node in found if node.scope == memory.context.scope]


def _handles(letter: str, items: Sequence[_T]) -> dict[str, _T]:
    return {f"{letter}{number}": item for number, item in enumerate(items, 1)}


def _fact(handle: str, node: Node) -> str:
    key = f" [{quoted(node.attribute)}]" if node.attribute else ""
    day = node.occurred_from or node.known_at.date()
    return f"{handle}{key} {day}: {quoted(node.text, limit=240)}"


def _noted(handle: str, draft: Draft) -> str:
    key = f" [{quoted(draft.node.attribute)}]" if draft.node.attribute else ""
    return f"{handle}{key}: {quoted(draft.node.text, limit=240)}"


def _open(handle: str, node: Node) -> str:
    due = f" ({node.due_on})" if node.due_on else ""
    return f"{handle}{due}: {quoted(node.text, limit=240)}"


def _entity(handle: str, entity: Entity) -> str:
    names = ", ".join(quoted(alias, limit=80) for alias in entity.aliases[:8])
    return f"{handle} ({quoted(entity.kind, limit=40)}): {names}"
