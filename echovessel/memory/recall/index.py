"""The hot index of one persona and scope: every memory as a row of columns, in step with the file."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import from_micros, start_of_day, zone
from echovessel.memory.engine import Row, Store
from echovessel.memory.recall.analyser import date_terms, is_question, terms
from echovessel.memory.recall.columns import NEVER, Columns
from echovessel.memory.recall.factors import estimated_impact, impact
from echovessel.memory.recall.postings import Postings, Rows, borrowed_length, closeness, lent, within_reach
from echovessel.memory.recall.weights import KINDS, MESSAGE
from echovessel.text import language_of

_MESSAGE_CODE = KINDS.index(MESSAGE)
_REBUILD_FROM = 1_000  # dead rows tolerated before the columns are made anew,
_REBUILD_SHARE = 0.25  # and their share of all

_MESSAGES = """
    SELECT m.seq, m.id, m.session, m.sender_name, m.text, m.sent_at, m.recorded_at, m.zone, v.vector
    FROM messages m LEFT JOIN message_vectors v ON v.message = m.seq AND v.embedder = ?
    WHERE m.persona = ? AND m.scope = ? AND m.deleted_at IS NULL AND m.sender <> 'system' {only}
    ORDER BY m.sent_at, m.seq"""
_NODES = """
    SELECT n.seq, n.id, n.kind, n.text, n.impact, n.tags, coalesce(n.occurred_to, n.occurred_from), n.known_at,
           n.first_known_at, n.recorded_at, n.superseded_at, coalesce(s.recorded_at, n.superseded_at), v.vector
    FROM nodes n LEFT JOIN node_vectors v ON v.node = n.seq AND v.embedder = ?
                 LEFT JOIN nodes s ON s.id = n.superseded_by
    WHERE n.persona = ? AND n.scope = ? {only}
    ORDER BY n.seq"""
_SOURCES = """
    SELECT n.seq, m.seq FROM node_sources s JOIN nodes n ON n.id = s.node JOIN messages m ON m.id = s.message
    WHERE n.persona = ? AND n.scope = ? {only}"""
_LINKS = """
    SELECT l.entity, t.seq FROM {layer}_entities l JOIN {layer}s t ON t.id = l.{layer}
    WHERE t.persona = ? AND t.scope = ? {only}"""


class HotIndex:
    """All memories of one persona and scope, ready to be scored at once.

    Rows are only ever added: a changed memory is a dead row and a new one, and when too many are dead the index
    is made anew. What it holds equals what the file holds, whichever process wrote it, after each `refresh`.

    Attributes
    ----------
    ids : list of str
        The message or node of each row.
    sessions : list of str
        The session of each message; empty for nodes.
    names : set of str
        Terms of the names of those who talk.
    postings : Postings
    columns : Columns
    """

    def __init__(
        self, store: Store, persona: str, scope: str, *, embedder: int | None, dim: int, zone_name: str
    ) -> None:
        # Which rows are superseded at present, kept by whoever works it out until something changes.
        self.outdated: NDArray[np.bool_] | None = None
        self._store = store
        self._whose = (persona, scope)
        self._dim = dim
        self.embedder = embedder
        self.zone_name = zone_name
        self._load()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_message(self) -> NDArray[np.bool_]:
        """Which rows are messages."""
        return np.asarray(self.columns.kind == _MESSAGE_CODE)

    def rows_of(self, ids: Iterable[str]) -> list[int]:
        """Rows of these messages and nodes; those of no row here are passed over."""
        return [row for row in map(self._row_by_id.get, ids) if row is not None]

    def _load(self) -> None:
        self.ids: list[str] = []
        self.sessions: list[str] = []
        self.names: set[str] = set()
        self.postings = Postings()
        self._order: dict[str, list[tuple[int, int, int]]] = {}
        self._session_numbers: dict[str, int] = {}
        self._row_of: dict[tuple[str, int], int] = {}
        self._row_by_id: dict[str, int] = {}
        self.outdated = None
        self._linked: dict[str, array[int]] = {}
        self._resting = (array("i"), array("i"))
        self._dead = 0
        self._seen = self._last_change()
        messages = self._store.rows(_MESSAGES.format(only=""), (self.embedder, *self._whose))
        nodes = self._store.rows(_NODES.format(only=""), (self.embedder, *self._whose))
        self.columns = Columns(self._dim, len(messages) + len(nodes))
        self._add_messages(messages)
        self._add_nodes(nodes)
        rows = np.arange(len(self), dtype=np.int32)
        summed = np.bincount(
            *lent(rows, self.columns.words.astype(np.float64), self.columns), minlength=len(self)
        )
        self.columns.length[:] = summed
        for layer in ("message", "node"):
            self._link(layer, self._store.rows(_LINKS.format(layer=layer, only=""), self._whose))
        self._rest(self._store.rows(_SOURCES.format(only=""), self._whose))

    def _last_change(self) -> int:
        last: int = self._store.value("SELECT coalesce(max(seq), 0) FROM changes")
        return last

    def refresh(self) -> None:
        """Take in what this or another process has written since the last look."""
        oldest = self._store.value("SELECT coalesce(min(seq), 0) FROM changes")
        if oldest > self._seen + 1:  # the log was cut beyond what this index has read
            self._load()
            return
        changed = self._store.rows(
            "SELECT DISTINCT layer, item FROM changes WHERE seq > ? AND scope = ? AND layer <> 'name'",
            (self._seen, self._whose[1]),
        )
        self._seen = self._last_change()
        if changed:
            self.outdated = None
        for layer in ("message", "node"):
            items = [item for found, item in changed if found == layer]
            if items:
                self._replace(layer, items)
        if self._dead > max(_REBUILD_FROM, _REBUILD_SHARE * len(self)):
            self._load()

    def _replace(self, layer: str, items: Sequence[int]) -> None:
        touched: set[int] = set()
        for item in items:
            row = self._row_of.pop((layer, item), None)
            if row is not None:
                touched.update(within_reach(row, self.columns))
                self._kill(row)
        template, table, add = (
            (_MESSAGES, "m", self._add_messages) if layer == "message" else (_NODES, "n", self._add_nodes)
        )
        only = f"AND {table}.seq IN (SELECT value FROM json_each(?))"
        first = len(self)
        add(self._store.rows_of(template.format(only=only), items, (self.embedder, *self._whose)))
        for row in range(first, len(self)):
            touched.update(within_reach(row, self.columns))
        for row in touched:
            self.columns.length[row] = borrowed_length(row, self.columns)
        only = "AND t.seq IN (SELECT value FROM json_each(?))"
        self._link(layer, self._store.rows_of(_LINKS.format(layer=layer, only=only), items, self._whose))
        only = f"AND {table}.seq IN (SELECT value FROM json_each(?))"
        self._rest(self._store.rows_of(_SOURCES.format(only=only), items, self._whose))

    def _kill(self, row: int) -> None:
        columns = self.columns
        columns.alive[row] = False
        self._dead += 1
        order = self._order.get(self.sessions[row])
        if order is not None:
            del order[next(i for i, (_, _, at) in enumerate(order) if at == row)]
            before, after = int(columns.previous[row]), int(columns.following[row])
            if before >= 0:
                columns.following[before] = after
            if after >= 0:
                columns.previous[after] = before
            columns.previous[row] = columns.following[row] = -1

    def _enter(self, row: int, text: str, day_terms: list[str], vector: bytes | None) -> None:
        """What messages and nodes have in common: their words, their language, their vector."""
        columns = self.columns
        found = terms(text)
        self.postings.add(row, [*found, *day_terms])
        columns.words[row] = len(found)
        columns.closeness[row] = closeness(columns.words[row : row + 1])[0]
        columns.han[row] = language_of(text) == "zh"
        if vector is not None:
            columns.has_vector[row] = True
            columns.matrix[row] = np.frombuffer(vector, np.float32)

    def _add_messages(self, rows: Sequence[Row]) -> None:
        first = self.columns.append(len(rows))
        columns = self.columns
        for at, (seq, item, session, name, text, sent_at, recorded_at, zone_name, vector) in enumerate(
            rows, start=first
        ):
            self.ids.append(item)
            self.sessions.append(session)
            self._row_of["message", seq] = at
            self._enter(at, text, date_terms(_day(sent_at, zone_name)), vector)
            columns.kind[at] = _MESSAGE_CODE
            columns.impact[at] = estimated_impact(columns.words[at : at + 1], np.array([is_question(text)]))[
                0
            ]
            self._row_by_id[item] = at
            columns.session[at] = self._session_numbers.setdefault(session, len(self._session_numbers))
            columns.known_at[at] = columns.happened_at[at] = sent_at
            columns.recorded_at[at] = recorded_at
            if name:
                self.names.update(_name_terms(name))
            self._put_in_order(session, (sent_at, seq, at))

    def _put_in_order(self, session: str, key: tuple[int, int, int]) -> None:
        columns, row = self.columns, key[2]
        order = self._order.setdefault(session, [])
        insort(order, key)
        place = bisect_left(order, key)
        if place:
            before = order[place - 1][2]
            columns.previous[row], columns.following[before] = before, row
        if place + 1 < len(order):
            after = order[place + 1][2]
            columns.following[row], columns.previous[after] = after, row

    def _add_nodes(self, rows: Sequence[Row]) -> None:
        first = self.columns.append(len(rows))
        columns = self.columns
        for at, row in enumerate(rows, start=first):
            (
                seq,
                item,
                kind,
                text,
                strength,
                tags,
                occurred,
                told,
                known,
                recorded,
                ended,
                ended_recorded,
                vector,
            ) = row
            happened = start_of_day(occurred, self.zone_name) if occurred else told
            self.ids.append(item)
            self.sessions.append("")
            self._row_of["node", seq] = at
            self._enter(at, text, date_terms(_day(happened, self.zone_name)), vector)
            columns.kind[at] = KINDS.index(kind)
            columns.known_at[at] = known
            columns.recorded_at[at] = recorded
            columns.happened_at[at] = happened
            columns.superseded_at[at] = NEVER if ended is None else ended
            columns.superseded_recorded_at[at] = NEVER if ended is None else ended_recorded
            columns.impact[at] = impact(np.array([strength], np.float32))[0]
            self._row_by_id[item] = at
            columns.tags[at] = len(json.loads(tags))
            columns.length[at] = columns.words[at]

    def _link(self, layer: str, links: Iterable[Row]) -> None:
        for entity, seq in links:
            row = self._row_of.get((layer, seq))
            if row is not None:
                self._linked.setdefault(entity, array("i")).append(row)

    def _rest(self, sources: Iterable[Row]) -> None:
        for node, message in sources:
            rows = self._row_of.get(("node", node)), self._row_of.get(("message", message))
            if None not in rows:
                for column, row in zip(self._resting, rows, strict=True):
                    column.append(row)  # type: ignore[arg-type]

    def resting(self) -> tuple[Rows, Rows]:
        """Rows of nodes, and of the messages that they rest on, pairwise; dead ones and repeats may be among them."""
        nodes, messages = self._resting
        return np.array(nodes, np.int32), np.array(messages, np.int32)

    def linked(self, entities: Iterable[str]) -> Iterator[Rows]:
        """For each entity, the rows linked to it; dead ones may be among them."""
        for entity in entities:
            if entity in self._linked:
                yield np.array(self._linked[entity], np.int32)


@lru_cache(maxsize=4096)
def _name_terms(name: str) -> tuple[str, ...]:
    return tuple(terms(name))


def _day(moment: int, zone_name: str) -> date:
    return from_micros(moment).astimezone(zone(zone_name)).date()
