"""What is awaited ends: fulfilled by what is said, or expired here."""

from __future__ import annotations

from datetime import timedelta

from echovessel.clock import day_of
from echovessel.memory.memory import Memory
from echovessel.memory.records import Node, NodeKind, NodeStatus

GRACE = timedelta(days=7)
WITHOUT_A_DAY = timedelta(days=60)


def expire(memory: Memory) -> list[Node]:
    """Let go of what is a week overdue, or was awaited without a day for sixty; gives what expired."""
    now = memory.context.clock.now()
    today = day_of(now, memory.personas.zone_of(memory.context.scope))
    gone = [
        node
        for node in memory.nodes.list(kinds=[NodeKind.EXPECTATION], status=NodeStatus.OPEN)
        if node.scope == memory.context.scope
        and (node.due_on + GRACE < today if node.due_on else node.known_at + WITHOUT_A_DAY < now)
    ]
    with memory.context.store.write():
        return [memory.nodes.set_status(node.id, NodeStatus.EXPIRED) for node in gone]
