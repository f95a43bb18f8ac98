"""A turn as it is kept to be looked at later."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echovessel.runtime.turns import Turn


def trace_of(turn: Turn) -> dict[str, Any]:
    """What was heard, which memories rose, what entered the prompt and what didn't, what was said, how long it took."""
    hits = turn.recall.rows() if turn.recall else []
    prompt = turn.prompt
    return {
        "heard": [message.id for message in turn.heard],
        "reply": turn.reply.id if turn.reply else None,
        "speaker": turn.speaker,
        "usage": asdict(turn.usage),
        "stages": [asdict(stage) for stage in turn.stages],
        "hits": [
            {k: row[k] for k in ("rank", "id", "kind", "score", "relevance", "entity_anchor")} for row in hits
        ],
        "dropped": dict(turn.recall.dropped_counts) if turn.recall else {},
        "considered": turn.recall.considered if turn.recall else 0,
        "ledger": [asdict(row) for row in prompt.ledger] if prompt else [],
        "prompt": [asdict(say) for say in prompt.says] if prompt else [],
        "why": turn.why,
    }
