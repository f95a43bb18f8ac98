"""Turns kept step by step, on demand: a trace holds what was said, so it goes with whatever it may quote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from echovessel.clock import from_micros
from echovessel.errors import NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.rows import insert

if TYPE_CHECKING:
    import polars as pl

KEPT = 200


@dataclass(frozen=True, slots=True)
class Trace:
    """One turn; `body` as the turn wrote it."""

    id: str
    at: datetime
    body: dict[str, Any]


class Traces:
    """The latest 200 traces of a scope."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, turn: str, body: dict[str, Any]) -> None:
        """Keep a turn, and let the oldest go."""
        store, mine = self._context.store, (self._context.persona, self._context.scope.key)
        with store.write():
            insert(
                store,
                "traces",
                id=turn,
                persona=mine[0],
                scope=mine[1],
                at=self._context.now(),
                body=json.dumps(body, ensure_ascii=False),
            )
            store.run(
                "DELETE FROM traces WHERE persona = ? AND scope = ? AND id NOT IN"
                " (SELECT id FROM traces WHERE persona = ? AND scope = ? ORDER BY at DESC, id DESC LIMIT ?)",
                (*mine, *mine, KEPT),
            )

    def list(self, *, limit: int = KEPT) -> list[Trace]:
        """The latest, the newest first."""
        rows = self._context.store.rows(
            "SELECT id, at, body FROM traces WHERE persona = ? AND scope = ? ORDER BY at DESC, id DESC LIMIT ?",
            (self._context.persona, self._context.scope.key, limit),
        )
        return [Trace(ident, from_micros(at), json.loads(body)) for ident, at, body in rows]

    def get(self, turn: str) -> Trace:
        """The trace of a turn.

        Raises
        ------
        NotFoundError
            It wasn't kept, or went with something it quoted.
        """
        for trace in self.list():
            if trace.id == turn:
                return trace
        raise NotFoundError(
            f"No trace of turn {turn!r} is kept here. Set traces = true under [server] to keep them."
        )

    def frame(self) -> pl.DataFrame:
        """One row a stage of each turn: turn, at, speaker, stage, ms, tokens in and out."""
        import polars as pl

        rows = [
            {
                "turn": trace.id,
                "at": trace.at,
                "speaker": trace.body.get("speaker", ""),
                "stage": stage["name"],
                "ms": float(stage["ms"]),
                "input_tokens": trace.body.get("usage", {}).get("input_tokens", 0),
                "output_tokens": trace.body.get("usage", {}).get("output_tokens", 0),
            }
            for trace in self.list()
            for stage in trace.body.get("stages", ())
        ]
        schema: dict[str, pl.DataType | type[pl.DataType]] = {
            "turn": pl.String,
            "at": pl.Datetime("us", "UTC"),
            "speaker": pl.String,
            "stage": pl.String,
            "ms": pl.Float64,
            "input_tokens": pl.Int64,
            "output_tokens": pl.Int64,
        }
        return pl.DataFrame(rows, schema=schema)
