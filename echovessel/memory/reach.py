"""How far a deletion reaches: which rows a target names, and what derives from them. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from echovessel.errors import NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import Value
from echovessel.memory.targets import Target, TargetKind

_LISTED = "IN (SELECT value FROM json_each(?))"

# Rows of these go with a scope; what hangs on them goes by cascade.
SCOPED = (
    "messages", "sessions", "nodes", "entities", "aliases", "entity_changes", "entity_questions", "moods",
    "core_blocks", "core_block_revisions", "audiences", "model_calls", "cycles", "notices", "traces",
)  # fmt: skip

WHOLE = (TargetKind.SCOPE, TargetKind.PERSONA, TargetKind.EVERYTHING)


@dataclass
class Reach:
    """Ids of what goes. `derived` rests on it, and goes or stays as asked."""

    messages: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    derived: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    moods: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def reach_of(context: Context, target: Target, *, drop: bool) -> Reach:
    """Find out what a target takes with it.

    Raises
    ------
    NotFoundError
        Nothing of that name can be reached from here.
    """
    reach = _named(context, target)
    reach.derived = _derived(context, reach)
    if target.kind is TargetKind.ENTITY:
        reach.derived = _about(context, reach)
    going = set(reach.nodes) | (set(reach.derived) if drop else set())
    reach.imports = sorted(set(reach.imports) | set(_imports_of(context, reach)))
    if target.kind in WHOLE:
        return reach
    touched = _entities_of(context, reach.messages, sorted(going))
    unnamed = _unnamed(context, touched, reach.messages, sorted(going))
    if target.kind is TargetKind.IMPORT:
        reach.entities = _unnamed(context, reach.entities, reach.messages, sorted(going))
    reach.orphans = [entity for entity in unnamed if entity not in set(reach.entities)]
    reach.sessions = sorted(set(reach.sessions) | set(_emptied(context, reach.messages)))
    reach.moods = _moods(context, reach.messages)
    found = {
        "messages": len(reach.messages),
        "nodes": len(going),
        "sessions": len(reach.sessions),
        "entities": len(reach.entities),
        "aliases": _count(context, "aliases", "entity", reach.entities),
        "moods": len(reach.moods),
    }
    reach.counts = {table: n for table, n in found.items() if n}
    return reach


def _named(context: Context, target: Target) -> Reach:
    persona = (context.persona,)
    mine = f"persona = ? AND scope {_LISTED}"
    readable = (context.persona, json.dumps(context.readable))
    match target.kind:
        case TargetKind.MESSAGE:
            return Reach(
                messages=_some(context, "messages", f"{mine} AND id = ?", *readable, target.id, what=target)
            )
        case TargetKind.NODE:
            return Reach(
                nodes=_some(context, "nodes", f"{mine} AND id = ?", *readable, target.id, what=target)
            )
        case TargetKind.SESSION:
            sessions = _some(context, "sessions", f"{mine} AND id = ?", *readable, target.id, what=target)
            return Reach(messages=_ids(context, "messages", "session = ?", target.id), sessions=sessions)
        case TargetKind.ENTITY:
            _some(context, "entities", f"{mine} AND id = ?", *readable, target.id, what=target)
            return Reach(entities=_merged(context, target.id))
        case TargetKind.SCOPE:
            return _whole(context, "persona = ? AND scope = ?", (*persona, target.id), target)
        case TargetKind.PERSONA:
            _some(context, "personas", "id = ?", target.id, what=target)
            return _whole(context, "persona = ?", (target.id,), target)
        case TargetKind.IMPORT:
            _some(context, "imports", "persona = ? AND id = ?", *persona, target.id, what=target)
            where = "persona = ? AND import_id = ?"
            return Reach(
                messages=_ids(context, "messages", where, *persona, target.id),
                nodes=_ids(context, "nodes", where, *persona, target.id),
                entities=_ids(context, "entities", where, *persona, target.id),
                imports=[target.id],
            )
        case _:
            return _whole(context, "persona <> ?", ("",), target)


def _whole(context: Context, where: str, values: tuple[str, ...], target: Target) -> Reach:
    counts = {
        table: context.store.value(f"SELECT count(*) FROM {table} WHERE {where}", values) for table in SCOPED
    }
    if target.kind is TargetKind.SCOPE and not any(counts.values()):
        raise NotFoundError(
            f"Nothing is known of {target.id}. The scopes of the file are listed by `echovessel status`."
        )
    ids = {
        table: _ids(context, table, where, *values) for table in ("messages", "nodes", "sessions", "entities")
    }
    return Reach(**ids, counts={table: n for table, n in counts.items() if n})


def _ids(context: Context, table: str, where: str, *values: Value) -> list[str]:
    return [row[0] for row in context.store.rows(f"SELECT id FROM {table} WHERE {where} ORDER BY id", values)]


def _some(context: Context, table: str, where: str, *values: Value, what: Target) -> list[str]:
    found = _ids(context, table, where, *values)
    if not found:
        raise NotFoundError(f"No {what.kind} {what.id!r} here, so nothing was forgotten.")
    return found


def _derived(context: Context, reach: Reach) -> list[str]:
    """Nodes that rest on what goes, on those, and so on."""
    rows = context.store.rows(
        f"WITH RECURSIVE gone (id) AS (SELECT node FROM node_sources WHERE message {_LISTED}"
        f" UNION SELECT node FROM node_sources WHERE source_node {_LISTED}"
        " UNION SELECT s.node FROM node_sources s JOIN gone ON s.source_node = gone.id)"
        " SELECT id FROM gone ORDER BY id",
        (json.dumps(reach.messages), json.dumps(reach.nodes)),
    )
    named = set(reach.nodes)
    return [row[0] for row in rows if row[0] not in named]


def _about(context: Context, reach: Reach) -> list[str]:
    """Nodes linked to an entity that goes, and what derives from them."""
    listed = json.dumps(reach.entities)
    rows = context.store.rows(
        f"SELECT node FROM node_entities WHERE entity {_LISTED}"
        f" UNION SELECT id FROM nodes WHERE about {_LISTED}",
        (listed, listed),
    )
    linked = [row[0] for row in rows]
    return sorted({*linked, *_derived(context, Reach(nodes=linked))})


def _merged(context: Context, entity: str) -> list[str]:
    """All entities that stand for one another with this one."""
    rows = context.store.rows(
        "WITH RECURSIVE up (id, parent) AS (SELECT id, merged_into FROM entities WHERE id = ?"
        " UNION SELECT e.id, e.merged_into FROM entities e JOIN up ON e.id = up.parent),"
        " down (id) AS (SELECT id FROM up WHERE parent IS NULL"
        " UNION SELECT e.id FROM entities e JOIN down ON e.merged_into = down.id)"
        " SELECT id FROM down ORDER BY id",
        (entity,),
    )
    return [row[0] for row in rows]


def _entities_of(context: Context, messages: list[str], nodes: list[str]) -> list[str]:
    rows = context.store.rows(
        f"SELECT entity FROM message_entities WHERE message {_LISTED}"
        f" UNION SELECT entity FROM node_entities WHERE node {_LISTED} ORDER BY 1",
        (json.dumps(messages), json.dumps(nodes)),
    )
    return [row[0] for row in rows]


def _unnamed(context: Context, entities: Iterable[str], messages: list[str], nodes: list[str]) -> list[str]:
    """Those of the entities that nothing else names."""
    going = (set(messages), set(nodes))
    found = []
    for entity in entities:
        links = (
            context.store.rows("SELECT message FROM message_entities WHERE entity = ?", (entity,)),
            context.store.rows(
                "SELECT node FROM node_entities WHERE entity = ? UNION SELECT id FROM nodes WHERE about = ?",
                (entity, entity),
            ),
        )
        if all(row[0] in gone for rows, gone in zip(links, going, strict=True) for row in rows):
            found.append(entity)
    return found


def _emptied(context: Context, messages: list[str]) -> list[str]:
    """Sessions that hold nothing else."""
    listed = json.dumps(messages)
    rows = context.store.rows(
        f"SELECT DISTINCT session FROM messages WHERE id {_LISTED} EXCEPT"
        f" SELECT session FROM messages WHERE session IN (SELECT session FROM messages WHERE id {_LISTED})"
        f" AND id NOT {_LISTED}",
        (listed, listed, listed),
    )
    return [row[0] for row in rows]


def _imports_of(context: Context, reach: Reach) -> list[str]:
    """Imports that brought what goes; the names of their files may name people."""
    rows = context.store.rows(
        f"SELECT import_id FROM messages WHERE id {_LISTED} AND import_id IS NOT NULL"
        f" UNION SELECT import_id FROM nodes WHERE id {_LISTED} AND import_id IS NOT NULL",
        (json.dumps(reach.messages), json.dumps(reach.nodes)),
    )
    return [row[0] for row in rows]


def _moods(context: Context, messages: list[str]) -> list[str]:
    """Scopes whose mood may have been read off what goes."""
    rows = context.store.rows(
        f"SELECT DISTINCT m.scope FROM messages m JOIN moods o ON o.persona = m.persona AND o.scope = m.scope"
        f" AND o.updated_at >= m.sent_at WHERE m.id {_LISTED}",
        (json.dumps(messages),),
    )
    return [row[0] for row in rows]


def _count(context: Context, table: str, column: str, keys: list[str]) -> int:
    found: int = context.store.value(
        f"SELECT count(*) FROM {table} WHERE {column} {_LISTED}", (json.dumps(keys),)
    )
    return found
