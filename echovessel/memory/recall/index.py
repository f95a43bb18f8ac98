"""The hot index of one persona and scope: every memory as a row of columns, in step with the file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import day_of, from_micros, start_of_day
from echovessel.memory.engine import Row, Store
from echovessel.memory.recall import sql
from echovessel.memory.recall.analyser import date_terms, is_question, terms
from echovessel.memory.recall.columns import NEVER, Columns
from echovessel.memory.recall.factors import estimated_impact, impact
from echovessel.memory.recall.fitting import says_when
from echovessel.memory.recall.postings import Postings, Rows, borrowed_length, closeness, lent, within_reach
from echovessel.memory.recall.turns import Turns
from echovessel.memory.recall.weights import KINDS, MESSAGE
from echovessel.text import language_of

_MESSAGE_CODE = KINDS.index(MESSAGE)
# No day begins inside a quarter of an hour: turns of one quarter share their date. Zones have kept to that since 1973.
_QUARTER = 15 * 60 * 1_000_000
_WHOLE_QUARTERS = 94_694_400_000_000
_REBUILD_FROM = 1_000  # dead or changed rows tolerated before the columns are made anew,
_REBUILD_SHARE = 0.25  # and their share of all


class HotIndex:
    """All memories of one persona and scope, ready to be scored at once.

    Rows are only ever added: a changed memory is a dead row and a new one, and when too many are dead the index
    is made anew. What it holds equals what the file holds, whichever process wrote it, after each `refresh`.

    Attributes
    ----------
    ids : list of str
        The message or node of each row.
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

    def names(self, visible: NDArray[np.bool_]) -> set[str]:
        """Terms of the names of those who say something in these rows."""
        if not self._speakers:
            return set()
        numbers = self.columns.speaker[visible] + 1
        talking = np.bincount(numbers, minlength=len(self._speakers) + 1)[1:] > 0
        return {
            term for name, talks in zip(self._speakers, talking, strict=True) if talks for term in terms(name)
        }

    def said_by(self, words: Collection[str], visible: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Rows of the messages of whoever is named among these terms: of one alone, since two tell nothing apart."""
        named = [number for name, number in self._speakers.items() if not set(terms(name)).isdisjoint(words)]
        if len(named) != 1:
            return np.empty(0, np.intp)
        return np.flatnonzero((self.columns.speaker == named[0]) & visible)

    def rows_of(self, ids: Iterable[str]) -> list[int]:
        """Rows of these messages and nodes; those of no row here are passed over."""
        return [row for row in map(self._row_by_id.get, ids) if row is not None]

    def _load(self) -> None:
        self.ids: list[str] = []
        self._speakers: dict[str, int] = {}
        self.outdated = None
        self._row_by_id: dict[str, int] = {}
        self._row_of: dict[str, dict[int, int]] = {"message": {}, "node": {}}
        self._sessions: list[str] = []
        self._session_numbers: dict[str, int] = {}
        self._linked: dict[str, array[int]] = {}
        self._resting = (array("i"), array("i"))
        self._dead = 0
        self._seen = self._last_change()
        self.columns = Columns(self._dim, self._store.value(sql.COUNT, (*self._whose, *self._whose)))
        self.postings = Postings.of_rows(self._all_terms())
        self._turns = Turns(self.columns)
        self._turns.link_all()
        rows = np.arange(len(self), dtype=np.int32)
        summed = np.bincount(
            *lent(rows, self.columns.words.astype(np.float64), self.columns), minlength=len(self)
        )
        self.columns.length[:] = summed
        for layer in ("message", "node"):
            self._link(
                layer, self._store.rows(sql.LINKS.format(layer=layer, whose=sql.everything("t")), self._whose)
            )
        self._rest(self._store.rows(sql.SOURCES.format(whose=sql.everything("n")), self._whose))

    def _all_terms(self) -> Iterator[list[str]]:
        """The terms of each row of the file, while the rest of it goes into the columns."""
        for template, table, add in (
            (sql.MESSAGES, "m", self._add_messages),
            (sql.NODES, "n", self._add_nodes),
        ):
            query = template.format(whose=sql.everything(table))
            for rows in self._store.batches(query, (self.embedder, *self._whose)):
                first = len(self)
                yield from add(rows)
                if template is sql.MESSAGES:
                    self.columns.session[first:] = [self._session_number(row[2]) for row in rows]

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
        if len(changed) > max(_REBUILD_FROM, _REBUILD_SHARE * len(self)):
            self._load()
            return
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
            row = self._row_of[layer].pop(item, None)
            if row is not None:
                touched.update(within_reach(row, self.columns))
                if layer == "message":
                    self._turns.take_out(row)
                self.columns.alive[row] = False
                self._dead += 1
        template, table, add = (
            (sql.MESSAGES, "m", self._add_messages)
            if layer == "message"
            else (sql.NODES, "n", self._add_nodes)
        )
        first = len(self)
        query = template.format(whose=sql.changed(table, table))
        rows = self._store.rows_of(query, items, (self.embedder, *self._whose))
        for row, found in enumerate(add(rows), start=first):
            self.postings.add(row, found)
        if layer == "message":
            for row, (_, _, session, *_) in enumerate(rows, start=first):
                self._turns.put(row, self._session_number(session))
        for row in range(first, len(self)):
            touched.update(within_reach(row, self.columns))
        for row in touched:
            self.columns.length[row] = borrowed_length(row, self.columns)
        query = sql.LINKS.format(layer=layer, whose=sql.changed("t", "t"))
        self._link(layer, self._store.rows_of(query, items, self._whose))
        query = sql.SOURCES.format(whose=sql.changed("n", table))
        self._rest(self._store.rows_of(query, items, self._whose))

    def _add_messages(self, rows: Sequence[Row]) -> list[list[str]]:
        """Add messages to the columns, but for their place in the talk; gives the terms of each."""
        if not rows:
            return []
        seqs, ids, _, names, texts, sent_at, recorded_at, zones, vectors = zip(*rows, strict=True)
        days = [day_terms(*at) for at in zip(sent_at, zones, strict=True)]
        new, found = self._add("message", seqs, ids, texts, days, vectors)
        columns = self.columns
        columns.kind[new] = _MESSAGE_CODE
        columns.known_at[new] = columns.happened_at[new] = sent_at
        columns.recorded_at[new] = recorded_at
        columns.impact[new] = estimated_impact(
            columns.words[new], np.fromiter(map(is_question, texts), np.bool_, len(texts))
        )
        columns.timed[new] = list(map(says_when, texts))
        columns.speaker[new] = [
            self._speakers.setdefault(name, len(self._speakers)) if name else -1 for name in names
        ]
        return found

    def _add_nodes(self, rows: Sequence[Row]) -> list[list[str]]:
        """Add nodes to the columns; gives the terms of each."""
        if not rows:
            return []
        seqs, ids, kinds, texts, impacts, tags, occurred, told, known, recorded, ended, noted, vectors = zip(
            *rows, strict=True
        )
        happened = [
            start_of_day(day, self.zone_name) if day else at for day, at in zip(occurred, told, strict=True)
        ]
        days = [day_terms(at, self.zone_name) for at in happened]
        new, found = self._add("node", seqs, ids, texts, days, vectors)
        columns = self.columns
        columns.kind[new] = [KINDS.index(kind) for kind in kinds]
        columns.known_at[new] = known
        columns.recorded_at[new] = recorded
        columns.happened_at[new] = happened
        columns.superseded_at[new] = [NEVER if at is None else at for at in ended]
        columns.superseded_recorded_at[new] = [NEVER if at is None else at for at in noted]
        columns.impact[new] = impact(np.array(impacts, np.float32))
        columns.tags[new] = [len(json.loads(each)) for each in tags]
        columns.length[new] = columns.words[new]
        return found

    def _add(
        self,
        layer: str,
        seqs: Sequence[int],
        ids: Sequence[str],
        texts: Sequence[str],
        days: Iterable[list[str]],
        vectors: Sequence[bytes | None],
    ) -> tuple[slice, list[list[str]]]:
        """What messages and nodes have in common; gives their rows, and the terms of each with those of its day."""
        columns = self.columns
        first = columns.append(len(ids))
        new = slice(first, first + len(ids))
        numbers = range(first, first + len(ids))
        self.ids.extend(ids)
        self._row_by_id.update(zip(ids, numbers, strict=True))
        self._row_of[layer].update(zip(seqs, numbers, strict=True))
        said = [terms(text) for text in texts]
        columns.seq[new] = seqs
        columns.words[new] = [len(each) for each in said]
        columns.closeness[new] = closeness(columns.words[new])
        columns.han[new] = [language_of(text) == "zh" for text in texts]
        held = [row for row, vector in zip(numbers, vectors, strict=True) if vector is not None]
        if held:
            together = b"".join(vector for vector in vectors if vector is not None)
            columns.has_vector[held] = True
            columns.matrix[held] = np.frombuffer(together, np.float32).reshape(len(held), -1)
        return new, [[*each, *day] for each, day in zip(said, days, strict=True)]

    def _session_number(self, session: str) -> int:
        number = self._session_numbers.setdefault(session, len(self._sessions))
        if number == len(self._sessions):
            self._sessions.append(session)
        return number

    def session_of(self, row: int) -> str:
        """The session of a message; empty for a node."""
        number = int(self.columns.session[row])
        return "" if number < 0 else self._sessions[number]

    def _link(self, layer: str, links: Iterable[Row]) -> None:
        for entity, seq in links:
            row = self._row_of[layer].get(seq)
            if row is not None:
                self._linked.setdefault(entity, array("i")).append(row)

    def _rest(self, sources: Iterable[Row]) -> None:
        for node, message in sources:
            rows = self._row_of["node"].get(node), self._row_of["message"].get(message)
            if None not in rows:
                for column, row in zip(self._resting, rows, strict=True):
                    column.append(row)  # type: ignore[arg-type]

    def resting(self) -> tuple[Rows, Rows]:
        """Rows of nodes, and of the messages that they rest on, pairwise; dead ones and repeats may be among them."""
        nodes, messages = self._resting
        return np.frombuffer(nodes, np.int32).copy(), np.frombuffer(messages, np.int32).copy()

    def linked(self, entities: Iterable[str]) -> Iterator[Rows]:
        """For each entity, the rows linked to it; dead ones may be among them."""
        for entity in entities:
            if entity in self._linked:
                yield np.frombuffer(self._linked[entity], np.int32).copy()


def day_terms(moment: int, zone_name: str) -> list[str]:
    """The date terms of the day on which a stored time falls in a zone."""
    if moment < _WHOLE_QUARTERS:
        return date_terms(day_of(from_micros(moment), zone_name))
    return _quarter_terms(moment // _QUARTER, zone_name)


@lru_cache(maxsize=1 << 14)
def _quarter_terms(quarter: int, zone_name: str) -> list[str]:
    return date_terms(day_of(from_micros(quarter * _QUARTER), zone_name))
