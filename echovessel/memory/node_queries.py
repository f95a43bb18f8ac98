"""Queries over nodes: scope, time and whatever else, all of it in SQL before any limit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from echovessel.clock import to_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row, Value

LATEST = "n.known_at DESC, n.seq DESC"
SOONEST_DUE = "n.due_on IS NULL, n.due_on, n.known_at, n.seq"


class Query:
    """Conditions on nodes `n`, beginning with the persona and the scopes that may be read."""

    def __init__(self, context: Context) -> None:
        self._store = context.store
        self._conditions = ["n.persona = ?", "n.scope IN (SELECT value FROM json_each(?))"]
        self._values: list[Value] = [context.persona, json.dumps(context.readable)]

    def where(self, condition: str, *values: Value) -> Query:
        """Add a condition."""
        self._conditions.append(condition)
        self._values.extend(values)
        return self

    def among(self, column: str, values: Iterable[str]) -> Query:
        """Only rows whose column holds one of these."""
        return self.where(f"{column} IN (SELECT value FROM json_each(?))", json.dumps(list(values)))

    def known(
        self, as_of: datetime | None, recorded_as_of: datetime | None, *, include_superseded: bool
    ) -> Query:
        """Only what was known, or held by the file, at a moment; now when both are left out."""
        if as_of is not None:
            moment = to_micros(as_of)
            self.where("n.first_known_at <= ?", moment)
            if not include_superseded:
                self.where("(n.superseded_at IS NULL OR n.superseded_at > ?)", moment)
        if recorded_as_of is not None:
            moment = to_micros(recorded_as_of)
            self.where("n.recorded_at <= ?", moment)
            if not include_superseded:
                self.where(
                    "NOT EXISTS (SELECT 1 FROM nodes AS later"
                    " WHERE later.id = n.superseded_by AND later.recorded_at <= ?)",
                    moment,
                )
        if as_of is None and recorded_as_of is None and not include_superseded:
            self.where("n.superseded_at IS NULL")
        return self

    def rows(self, columns: str, *, limit: int | None = None, order: str = LATEST) -> list[Row]:
        """The rows, the latest known first unless asked for another order.

        Raises
        ------
        InputError
            A limit below 1.
        """
        if limit is not None and limit < 1:
            raise InputError(f"limit must be 1 or more, found {limit}.")
        where, cut = " AND ".join(self._conditions), "" if limit is None else f" LIMIT {int(limit)}"
        return self._store.rows(
            f"SELECT {columns} FROM nodes AS n WHERE {where} ORDER BY {order}{cut}",
            self._values,
        )
