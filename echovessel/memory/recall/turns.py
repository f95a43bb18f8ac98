"""The order of turns in their sessions: who stands before and after whom."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from echovessel.memory.recall.columns import Columns

_Key = tuple[int, int, int]  # when it was sent, its seq, its row


class Turns:
    """Keeps `previous` and `following` of the columns in step as turns come and go.

    Turns of a session stand by when they were sent, and those of one moment by when they arrived.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        # Only of sessions in which something has changed since `link_all`.
        self._orders: dict[int, list[_Key]] = {}

    def link_all(self) -> None:
        """Link all rows that have a session; they stand in order of time already."""
        columns = self._columns
        rows = np.flatnonzero(columns.session >= 0)
        rows = rows[np.argsort(columns.session[rows], kind="stable")]
        together = columns.session[rows[1:]] == columns.session[rows[:-1]]
        before, after = rows[:-1][together], rows[1:][together]
        columns.previous[after], columns.following[before] = before, after

    def put(self, row: int, session: int) -> None:
        """Put a new row into its session."""
        columns = self._columns
        order = self._order(session)  # before the row is part of it
        columns.session[row] = session
        key = self._key(row)
        insort(order, key)
        place = bisect_left(order, key)
        if place:
            before = order[place - 1][2]
            columns.previous[row], columns.following[before] = before, row
        if place + 1 < len(order):
            after = order[place + 1][2]
            columns.following[row], columns.previous[after] = after, row

    def take_out(self, row: int) -> None:
        """Take a living row out of its session; its neighbours close up."""
        columns = self._columns
        order = self._order(int(columns.session[row]))
        del order[bisect_left(order, self._key(row))]
        before, after = int(columns.previous[row]), int(columns.following[row])
        if before >= 0:
            columns.following[before] = after
        if after >= 0:
            columns.previous[after] = before
        columns.previous[row] = columns.following[row] = -1

    def _order(self, session: int) -> list[_Key]:
        order = self._orders.get(session)
        if order is None:
            columns = self._columns
            rows = np.flatnonzero((columns.session == session) & columns.alive)
            order = self._orders[session] = sorted(self._key(row) for row in rows.tolist())
        return order

    def _key(self, row: int) -> _Key:
        return int(self._columns.known_at[row]), int(self._columns.seq[row]), row
