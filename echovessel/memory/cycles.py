"""The audit of reflections and slow ticks: what each read, spent, wrote, and was refused."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from echovessel.clock import from_micros, to_micros
from echovessel.memory.context import Context
from echovessel.memory.records import Scope
from echovessel.memory.rows import insert

_COLUMNS = "id, scope, kind, at, outcome, reason, input_tokens, output_tokens, times, until"


class CycleKind(StrEnum):
    """What thought."""

    REFLECTION = "reflection"
    SLOW_TICK = "slow_tick"


class CycleOutcome(StrEnum):
    """``held``: a guard stopped it before the model was asked; `reason` names it."""

    DONE = "done"
    HELD = "held"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that a model wanted to write and might not, and by which rule."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Cycle:
    """One round of thinking, or `times` in a row, from `at` to `until`, that were held for one reason."""

    id: str
    scope: Scope
    kind: CycleKind
    at: datetime
    outcome: CycleOutcome
    reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    read: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    times: int = 1
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What the cycles of a stretch of time came to."""

    cycles: int
    input_tokens: int
    output_tokens: int


class Cycles:
    """The rounds of thinking of a persona."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def record(
        self,
        kind: CycleKind,
        outcome: CycleOutcome,
        *,
        reason: str = "",
        input_tokens: int = 0,
        output_tokens: int = 0,
        read: Iterable[str] = (),
        wrote: Iterable[str] = (),
        refused: Iterable[Refusal] = (),
    ) -> Cycle:
        """Write the row of a round in this scope, now; in the transaction of what it wrote."""
        store, ident = self._context.store, self._context.new_id()
        with store.write():
            insert(
                store,
                "cycles",
                id=ident,
                persona=self._context.persona,
                scope=self._context.scope.key,
                kind=str(kind),
                at=self._context.now(),
                outcome=str(outcome),
                reason=reason,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
            )
            store.run_many(
                "INSERT OR IGNORE INTO cycle_reads (cycle, node) VALUES (?, ?)",
                [(ident, node) for node in read],
            )
            store.run_many(
                "INSERT OR IGNORE INTO cycle_writes (cycle, node) VALUES (?, ?)",
                [(ident, node) for node in wrote],
            )
            store.run_many(
                "INSERT INTO cycle_refusals (cycle, rule, text) VALUES (?, ?, ?)",
                [(ident, one.rule, one.text) for one in refused],
            )
            return self._of("id = ?", (ident,))[0]

    def hold(self, kind: CycleKind, reason: str) -> Cycle:
        """Note that a guard holds a round back now; where it held the one before too, that row counts it."""
        store, context = self._context.store, self._context
        with store.write():
            row = store.row(
                "SELECT id, outcome, reason FROM cycles WHERE persona = ? AND scope = ? AND kind = ?"
                " ORDER BY at DESC, id DESC LIMIT 1",
                (context.persona, context.scope.key, str(kind)),
            )
            if row is None or row[1:] != (str(CycleOutcome.HELD), reason):
                return self.record(kind, CycleOutcome.HELD, reason=reason)
            store.run("UPDATE cycles SET times = times + 1, until = ? WHERE id = ?", (context.now(), row[0]))
            return self._of("id = ?", (row[0],))[0]

    def list(self, *, kind: CycleKind | None = None, limit: int = 100) -> builtins.list[Cycle]:
        """The rounds of this scope, the latest first."""
        where, values = "persona = ? AND scope = ?", [self._context.persona, self._context.scope.key]
        if kind is not None:
            where, values = f"{where} AND kind = ?", [*values, str(kind)]
        return self._of(f"{where} ORDER BY at DESC, id DESC LIMIT ?", (*values, limit))

    def last(self, kind: CycleKind) -> Cycle | None:
        """The latest round of a kind in this scope that was not held back."""
        found = self._of(
            "persona = ? AND scope = ? AND kind = ? AND outcome <> 'held' ORDER BY at DESC, id DESC LIMIT 1",
            (self._context.persona, self._context.scope.key, str(kind)),
        )
        return found[0] if found else None

    def spent(self, kind: CycleKind, since: datetime) -> Spent:
        """What the rounds of a kind came to since a moment, over all scopes of the persona."""
        row = self._context.store.row(
            "SELECT count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0) FROM cycles"
            " WHERE persona = ? AND kind = ? AND outcome <> 'held' AND at >= ?",
            (self._context.persona, str(kind), to_micros(since)),
        )
        assert row is not None
        return Spent(*row)

    def uses(self, nodes: Iterable[str], kind: CycleKind = CycleKind.SLOW_TICK) -> Mapping[str, int]:
        """How many rounds of a kind have read each memory; those never read are left out."""
        rows = self._context.store.rows(
            "SELECT r.node, count(*) FROM cycle_reads AS r JOIN cycles AS c ON c.id = r.cycle"
            " WHERE c.kind = ? AND r.node IN (SELECT value FROM json_each(?)) GROUP BY r.node",
            (str(kind), json.dumps(sorted(set(nodes)))),
        )
        return dict(rows)

    def _of(self, where: str, values: Iterable[str | int]) -> builtins.list[Cycle]:
        store = self._context.store
        found = []
        for ident, scope, kind, at, outcome, reason, tokens_in, tokens_out, times, until in store.rows(
            f"SELECT {_COLUMNS} FROM cycles WHERE {where}", tuple(values)
        ):
            read, wrote = (
                tuple(node for (node,) in store.rows(f"SELECT node FROM {table} WHERE cycle = ?", (ident,)))
                for table in ("cycle_reads", "cycle_writes")
            )
            refused = store.rows("SELECT rule, text FROM cycle_refusals WHERE cycle = ?", (ident,))
            found.append(
                Cycle(
                    ident,
                    Scope.parse(scope),
                    CycleKind(kind),
                    from_micros(at),
                    CycleOutcome(outcome),
                    reason,
                    tokens_in,
                    tokens_out,
                    read,
                    wrote,
                    tuple(Refusal(rule, text) for rule, text in refused),
                    times,
                    None if until is None else from_micros(until),
                )
            )
        return found
