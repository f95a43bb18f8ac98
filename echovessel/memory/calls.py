"""The log of language model calls: for what, which model, how many tokens, what it cost. No text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from echovessel.clock import from_micros, to_micros
from echovessel.memory.context import Context
from echovessel.memory.rows import insert

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = (
    "purpose", "role", "model", "stamp", "ms", "input_tokens", "output_tokens", "cost", "outcome", "scope", "at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    `cost` is in US dollars, None where the price isn't known. `outcome` is ``ok``, ``cut``, ``failed`` or
    ``cancelled``. `stamp` names the prompt file with its version and hash.
    """

    purpose: str
    role: str
    model: str
    stamp: str
    ms: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    outcome: str
    scope: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """What calls came to; `unpriced` counts those whose price isn't known."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    unpriced: int


class Calls:
    """Calls made for a persona, in every scope."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def record(self, call: Call) -> None:
        """Log a call made in this scope, now."""
        with self._context.store.write():
            insert(
                self._context.store,
                "model_calls",
                id=self._context.new_id(),
                persona=self._context.persona,
                scope=self._context.scope.key,
                at=self._context.now(),
                purpose=call.purpose,
                role=call.role,
                model=call.model,
                stamp=call.stamp,
                ms=call.ms,
                input_tokens=call.input_tokens,
                output_tokens=call.output_tokens,
                cost=call.cost,
                outcome=call.outcome,
            )

    def total(self, since: datetime | None = None, *, purpose: str | None = None) -> Total:
        """What calls since a moment came to, over all personas of the file: money is spent from one purse."""
        row = self._context.store.row(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
            " coalesce(sum(cost), 0.0), coalesce(sum(cost IS NULL), 0) FROM model_calls"
            " WHERE at >= ? AND (? IS NULL OR purpose = ?)",
            (0 if since is None else to_micros(since), purpose, purpose),
        )
        assert row is not None
        return Total(*row)

    def list(self, *, limit: int = 200) -> list[Call]:
        """The persona's latest calls, the newest first."""
        rows = self._context.store.rows(
            f"SELECT {', '.join(_COLUMNS)} FROM model_calls WHERE persona = ? ORDER BY at DESC, id DESC LIMIT ?",
            (self._context.persona, limit),
        )
        return [replace(Call(*row), at=from_micros(row[-1])) for row in rows]

    def frame(self) -> pl.DataFrame:
        """Every call of the persona as a polars frame, the newest first."""
        import polars as pl

        calls = self.list(limit=-1)
        return pl.DataFrame(
            {name: [getattr(call, name) for call in calls] for name in _COLUMNS}, strict=False
        )
