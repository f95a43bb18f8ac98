"""Which messages and nodes name which entities, kept in step with the aliases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from echovessel.memory.aliases import AliasMatcher
from echovessel.memory.context import Context
from echovessel.memory.names import Names, names_of
from echovessel.memory.records import Scope, ScopeKind

Layer = Literal["message", "node"]
LAYERS: tuple[Layer, ...] = ("message", "node")
Linked = dict[Layer, list[str]]


def link_node(context: Context, node: str, text: str, given: Iterable[str] = ()) -> None:
    """Link a node just written, inside `write()`, to the entities given with it and those its text names."""
    context.store.run_many(
        "INSERT INTO node_entities (node, entity, given) VALUES (?, ?, 1)"
        " ON CONFLICT (node, entity) DO NOTHING",
        [(node, entity) for entity in given],
    )
    _link(context, names_of(context), "node", node, text)


def relink_naming(context: Context, keys: Iterable[str]) -> None:
    """Link again every message and node, inside `write()`, whose text holds one of these aliases.

    An alias of a user or group touches that scope alone; a shared one touches all, each by its own names.
    """
    probe = AliasMatcher((key, "") for key in keys)
    for scope in _scopes(context):
        inside, names = context.within(scope), None
        for layer in LAYERS:
            for item, text in _texts(inside, layer):
                if probe.match(text):
                    names = names or names_of(inside)
                    _link(inside, names, layer, item, text)


def linked_to(context: Context, entities: Iterable[str]) -> Linked:
    """Ids of the messages and nodes that are linked to any of these entities, for `relink`."""
    wanted = list(entities)
    return {
        layer: [
            item
            for (item,) in context.store.rows_of(
                f"SELECT DISTINCT {layer} FROM {layer}_entities"
                " WHERE entity IN (SELECT value FROM json_each(?))",
                wanted,
            )
        ]
        for layer in LAYERS
    }


def relink(context: Context, linked: Linked) -> None:
    """Link these messages and nodes again, inside `write()`, by the names that their own scope knows."""
    for layer, items in linked.items():
        rows = context.store.rows_of(
            f"SELECT scope, id, text FROM {layer}s WHERE persona = ?"
            " AND id IN (SELECT value FROM json_each(?)) ORDER BY scope",
            items,
            (context.persona,),
        )
        for scope, item, text in rows:
            inside = context.within(Scope.parse(scope))
            _link(inside, names_of(inside), layer, item, text)


def _link(context: Context, names: Names, layer: Layer, item: str, text: str) -> None:
    """Bring the links found by name in step with the text; those a writer gave stay.

    A link points to the entity that was given the name, whatever it was merged into, so that undoing a merge
    has nothing to guess. Where two go by one name and the writer gave one of them, the name means that one.
    """
    store, given = context.store, "given" if layer == "node" else "0"
    rows = store.rows(f"SELECT entity, {given} FROM {layer}_entities WHERE {layer} = ?", (item,))
    meant = {names.roots.get(entity, entity) for entity, by_writer in rows if by_writer}
    wanted: set[str] = set()
    for mention in names.matcher.match(text):
        roots = meant.intersection(mention.entities) or mention.entities
        wanted.update(entity for entity in names.owners[mention.alias] if names.roots[entity] in roots)
    store.run_many(
        f"DELETE FROM {layer}_entities WHERE {layer} = ? AND entity = ?",
        [(item, entity) for entity, by_writer in rows if not by_writer and entity not in wanted],
    )
    columns, values = (
        (f"{layer}, entity, given", "?, ?, 0") if layer == "node" else (f"{layer}, entity", "?, ?")
    )
    store.run_many(
        f"INSERT INTO {layer}_entities ({columns}) VALUES ({values})",
        [(item, entity) for entity in sorted(wanted.difference(entity for entity, _ in rows))],
    )


def _scopes(context: Context) -> list[Scope]:
    if context.scope.kind is not ScopeKind.SHARED:
        return [context.scope]
    rows = context.store.rows(
        "SELECT scope FROM messages WHERE persona = ? UNION SELECT scope FROM nodes WHERE persona = ?",
        (context.persona, context.persona),
    )
    return [Scope.parse(key) for (key,) in rows]


def _texts(context: Context, layer: Layer) -> list[tuple[str, str]]:
    rows = context.store.rows(
        f"SELECT id, text FROM {layer}s WHERE persona = ? AND scope = ? AND text <> ''",
        (context.persona, context.scope.key),
    )
    return [(item, text) for item, text in rows]
