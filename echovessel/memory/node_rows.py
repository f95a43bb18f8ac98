"""How a row of `nodes` becomes a record, with its sources and entities."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime

from echovessel.clock import from_micros
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.names import names_of
from echovessel.memory.records import (
    Node,
    NodeKind,
    NodeStatus,
    Origin,
    RelationalTag,
    Scope,
    Source,
    Subject,
)

COLUMNS = (
    "n.id, n.scope, n.kind, n.subject, n.about, n.attribute, n.text, n.impact, n.emotions, n.tags,"
    " n.occurred_from, n.occurred_to, n.valid_from, n.valid_to, n.due_on, n.status, n.confidence, n.mentions,"
    " n.pinned, n.known_at, n.recorded_at, n.origin, n.superseded_by, n.superseded_at, n.import_id,"
    " n.first_known_at"
)


def nodes_of(context: Context, rows: Sequence[Row]) -> list[Node]:
    """The records of rows selected by `COLUMNS`, in the same order, without sources that can't be read from here."""
    ids = [row[0] for row in rows]
    sources: dict[str, list[Source]] = defaultdict(list)
    for node, message, source, quote in context.store.rows_of(
        "SELECT s.node, s.message, s.source_node, s.quote FROM node_sources s"
        " LEFT JOIN messages m ON m.id = s.message"
        " WHERE (s.message IS NULL OR m.scope IN (SELECT value FROM json_each(?)))"
        " AND s.node IN (SELECT value FROM json_each(?)) ORDER BY s.rowid",
        ids,
        (json.dumps(context.readable),),
    ):
        sources[node].append(Source(message, source, quote))
    roots = names_of(context).roots
    entities: dict[str, set[str]] = defaultdict(set)
    for node, entity in context.store.rows_of(
        "SELECT node, entity FROM node_entities WHERE node IN (SELECT value FROM json_each(?))", ids
    ):
        entities[node].add(roots.get(entity, entity))
    return [_node(row, tuple(sources[row[0]]), tuple(sorted(entities[row[0]]))) for row in rows]


def _node(row: Row, sources: tuple[Source, ...], entities: tuple[str, ...]) -> Node:
    id_, scope, kind, subject, about, attribute, text, impact, emotions, tags, *rest = row
    occurred_from, occurred_to, valid_from, valid_to, due_on, status, confidence, mentions, pinned, *rest = (
        rest
    )
    known, recorded, origin, superseded_by, superseded, import_id, first_known = rest
    return Node(
        id=id_,
        scope=Scope.parse(scope),
        kind=NodeKind(kind),
        subject=Subject(subject),
        about=about,
        attribute=attribute,
        text=text,
        impact=impact,
        emotions=tuple(json.loads(emotions)),
        tags=tuple(map(RelationalTag, json.loads(tags))),
        occurred_from=_day(occurred_from),
        occurred_to=_day(occurred_to),
        valid_from=_day(valid_from),
        valid_to=_day(valid_to),
        due_on=_day(due_on),
        status=None if status is None else NodeStatus(status),
        confidence=confidence,
        mentions=mentions,
        pinned=bool(pinned),
        known_at=from_micros(known),
        recorded_at=from_micros(recorded),
        origin=Origin(origin),
        superseded_by=superseded_by,
        superseded_at=_moment(superseded),
        import_id=import_id,
        sources=sources,
        entities=entities,
        first_known_at=from_micros(first_known),
    )


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
