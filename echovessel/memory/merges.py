"""Merging and splitting entities, logged so that each can be undone."""

from __future__ import annotations

import builtins
import json
from collections.abc import Sequence
from typing import Any

from echovessel.clock import from_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.aliases import alias_key
from echovessel.memory.context import Context
from echovessel.memory.engine import Row, Value
from echovessel.memory.entity_links import linked_to, relink
from echovessel.memory.names import names_of
from echovessel.memory.records import Entity, EntityChange
from echovessel.memory.rows import insert
from echovessel.text import clean

_COLUMNS = "id, kind, detail, at, undone_at"


class Merges:
    """Changes of who is who in one scope. The log holds ids, never text."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def merge(self, keep: Entity, absorb: Entity) -> EntityChange:
        """Let one entity stand for another. Nothing is moved: the other keeps its names and links.

        Raises
        ------
        InputError
            They are one already, or the absorbed one belongs to another scope.
        """
        store = self._context.store
        with store.write():
            roots = names_of(self._context).roots
            one, other = roots[keep.id], roots[absorb.id]
            if one == other:
                raise InputError(f"{keep.name} and {absorb.name} are one entity already.")
            self._own("entities", other, absorb.name)
            store.run("UPDATE entities SET merged_into = ? WHERE id = ?", (one, other))
            return self._log("merge", {"entity": one, "other": other})

    def split(
        self, entity: Entity, *, aliases: Sequence[str], nodes: Sequence[str], name: str | None
    ) -> EntityChange:
        """Make a new entity of some names and memories of another.

        Parameters
        ----------
        aliases : sequence of str
            Names that become the new entity's. At least one must be left.
        nodes : sequence of str
            Ids of nodes whose links, and whose `about`, go over to it: for two people who share a name.
        name : str, optional
            The name it is shown under; the first of `aliases`, else the old name, when left out.

        Raises
        ------
        InputError
            Nothing to split off, all names taken, or one that belongs to another scope.
        NotFoundError
            The entity has no such name, or no such node.
        """
        context, store = self._context, self._context.store
        if not aliases and not nodes:
            raise InputError("a split needs the names or the nodes that belong to the new entity.")
        with store.write():
            names = names_of(context)
            root = names.roots[entity.id]
            members = sorted(names.members[root])
            linked = linked_to(context, members)
            moved = [self._alias(entity, members, alias) for alias in dict.fromkeys(map(alias_key, aliases))]
            links = [link for node in dict.fromkeys(nodes) for link in self._links(node, members)]
            about = self._about(nodes, members)
            shown = clean(name or (aliases[0] if aliases else entity.name)).strip()
            new, now = context.new_id(), context.now()
            place: dict[str, Value] = {
                "persona": context.persona,
                "scope": context.scope.key,
                "created_at": now,
            }
            insert(store, "entities", id=new, kind=entity.kind, name=shown, **place)
            store.run_many("UPDATE aliases SET entity = ? WHERE id = ?", [(new, alias) for alias, _ in moved])
            made = []
            if not store.row(
                "SELECT 1 FROM aliases WHERE entity = ? AND folded = ?", (new, alias_key(shown))
            ):
                made = [insert(store, "aliases", entity=new, text=shown, folded=alias_key(shown), **place)]
            if not self._named(members):
                raise InputError(f"A split must leave {entity.name} at least one name.")
            self._move(links, new)
            store.run_many("UPDATE nodes SET about = ? WHERE id = ?", [(new, node) for node, _ in about])
            relink(context, linked)
            detail = {
                "entity": root,
                "other": new,
                "aliases": moved,
                "made": made,
                "nodes": links,
                "about": about,
            }
            return self._log("split", detail)

    def undo(self, change: str) -> EntityChange:
        """Take a merge or split back: names, links and `about` are what they were, and later ones stay.

        Raises
        ------
        NotFoundError
            No such change here.
        InputError
            It was undone before, or one of the two entities has been forgotten since.
        """
        store = self._context.store
        with store.write():
            row = store.row(
                f"SELECT {_COLUMNS} FROM entity_changes WHERE id = ? AND persona = ? AND scope = ?",
                (change, self._context.persona, self._context.scope.key),
            )
            if row is None:
                raise NotFoundError(f"No merge or split {change!r} in {self._context.scope.key}.")
            found = _change(row)
            if found.undone_at is not None:
                raise InputError(
                    f"The {found.kind} {change!r} was undone at {found.undone_at.isoformat()} already."
                )
            roots = names_of(self._context)
            pair = [found.entity, found.other]
            if not all(each in roots.roots for each in pair):
                raise InputError(
                    f"The {found.kind} {change!r} can't be undone: one of the two has been forgotten."
                )
            tops = {roots.roots[each] for each in pair}
            linked = linked_to(self._context, {member for top in tops for member in roots.members[top]})
            if found.kind == "merge":
                store.run(
                    "UPDATE entities SET merged_into = NULL WHERE id = ? AND merged_into = ?",
                    (found.other, found.entity),
                )
            else:
                self._unsplit(found, json.loads(row[2]))
            relink(self._context, linked)
            now = self._context.now()
            store.run("UPDATE entity_changes SET undone_at = ? WHERE id = ?", (now, change))
            return _change((*row[:4], now))

    def list(self) -> builtins.list[EntityChange]:
        """Every change of this scope, the oldest first."""
        rows = self._context.store.rows(
            f"SELECT {_COLUMNS} FROM entity_changes WHERE persona = ? AND scope = ? ORDER BY id",
            (self._context.persona, self._context.scope.key),
        )
        return [_change(row) for row in rows]

    def _log(self, kind: str, detail: dict[str, Any]) -> EntityChange:
        new, now = self._context.new_id(), self._context.now()
        columns = {
            "id": new,
            "persona": self._context.persona,
            "scope": self._context.scope.key,
            "kind": kind,
        }
        insert(self._context.store, "entity_changes", **columns, detail=json.dumps(detail), at=now)
        return _change((new, kind, json.dumps(detail), now, None))

    def _own(self, table: str, row: str | int, shown: str) -> None:
        """Refuse to change what others read: a row of the shared scope, from a user's or a group's."""
        scope = self._context.store.value(f"SELECT scope FROM {table} WHERE id = ?", (row,))
        if scope != self._context.scope.key:
            raise InputError(
                f"{shown} belongs to {scope}, and this is {self._context.scope.key}. Open that scope."
            )

    def _alias(self, entity: Entity, members: Sequence[str], key: str) -> tuple[int, str]:
        # This scope's own row of the name, where both it and the shared scope hold one.
        rows = self._context.store.rows_of(
            "SELECT a.id, a.entity FROM (SELECT ? AS here, ? AS name) AS asked"
            " JOIN aliases AS a ON a.folded = asked.name"
            " WHERE a.entity IN (SELECT value FROM json_each(?)) ORDER BY a.scope <> asked.here, a.id",
            members,
            (self._context.scope.key, key),
        )
        if not rows:
            known = ", ".join(entity.aliases)
            raise NotFoundError(f"{entity.name} does not go by {key!r}. Known names: {known}.")
        self._own("aliases", rows[0][0], key)
        return rows[0][0], rows[0][1]

    def _links(self, node: str, members: Sequence[str]) -> builtins.list[tuple[str, str, int]]:
        owner = self._context.store.row(
            "SELECT 1 FROM nodes WHERE id = ? AND persona = ? AND scope = ?",
            (node, self._context.persona, self._context.scope.key),
        )
        rows = self._context.store.rows_of(
            "SELECT entity, given FROM node_entities WHERE node = ?"
            " AND entity IN (SELECT value FROM json_each(?))",
            members,
            (node,),
        )
        if owner is None or not rows:
            raise NotFoundError(f"No node {node!r} of that entity in {self._context.scope.key}.")
        return [(node, entity, given) for entity, given in rows]

    def _about(self, nodes: Sequence[str], members: Sequence[str]) -> builtins.list[tuple[str, str]]:
        rows = self._context.store.rows_of(
            "SELECT id, about FROM nodes WHERE about IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
            list(nodes),
        )
        return [(node, about) for node, about in rows if about in members]

    def _named(self, members: Sequence[str]) -> bool:
        return bool(
            self._context.store.rows_of(
                "SELECT 1 FROM aliases WHERE entity IN (SELECT value FROM json_each(?)) LIMIT 1", members
            )
        )

    def _move(self, links: Sequence[tuple[str, str, int]], new: str) -> None:
        store = self._context.store
        store.run_many(
            "DELETE FROM node_entities WHERE node = ? AND entity = ?", [link[:2] for link in links]
        )
        store.run_many(
            "INSERT INTO node_entities (node, entity, given) VALUES (?, ?, 1)",
            [(node, new) for node in dict.fromkeys(link[0] for link in links)],
        )

    def _unsplit(self, change: EntityChange, detail: dict[str, Any]) -> None:
        store, new = self._context.store, change.other
        for alias, owner in detail["aliases"]:
            # The owner may have been given the name again meanwhile.
            store.run(
                "DELETE FROM aliases WHERE id = ? AND EXISTS (SELECT 1 FROM aliases AS a WHERE a.entity = ?"
                " AND a.scope = aliases.scope AND a.folded = aliases.folded)",
                (alias, owner),
            )
            store.run("UPDATE aliases SET entity = ? WHERE id = ? AND entity = ?", (owner, alias, new))
        store.run_many(
            "DELETE FROM aliases WHERE id = ? AND entity = ?", [(alias, new) for alias in detail["made"]]
        )
        for node, owner, given in detail["nodes"]:
            store.run("DELETE FROM node_entities WHERE node = ? AND entity = ?", (node, new))
            store.run(
                "INSERT INTO node_entities (node, entity, given) SELECT id, ?, ? FROM nodes WHERE id = ?"
                " ON CONFLICT (node, entity) DO NOTHING",
                (owner, given, node),
            )
        store.run_many(
            "UPDATE nodes SET about = ? WHERE id = ? AND about = ?",
            [(owner, node, new) for node, owner in detail["about"]],
        )
        if (
            names_of(self._context).roots.get(change.entity) != new
        ):  # else the old one was merged into the new
            self._dissolve(new, change.entity)

    def _dissolve(self, new: str, entity: str) -> None:
        """Drop the split-off entity; if it has gained something of its own, keep that, under the old one."""
        store = self._context.store
        used = store.row(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM aliases WHERE entity = ?)"
            " OR EXISTS (SELECT 1 FROM node_entities WHERE entity = ? AND given = 1)"
            " OR EXISTS (SELECT 1 FROM nodes WHERE about = ?)"
            " OR EXISTS (SELECT 1 FROM entities WHERE merged_into = ?)",
            (new, new, new, new),
        )
        if used:
            store.run("UPDATE entities SET merged_into = ? WHERE id = ?", (entity, new))
        else:
            store.run("DELETE FROM entities WHERE id = ?", (new,))


def _change(row: Row) -> EntityChange:
    id_, kind, detail, at, undone = row
    read = json.loads(detail)
    return EntityChange(
        *(id_, kind, read["entity"], read["other"], from_micros(at)),
        None if undone is None else from_micros(undone),
    )
