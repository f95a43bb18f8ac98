"""L5: who are the third parties, and under which names."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from echovessel.clock import from_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.aliases import AliasMatcher, alias_key, normal
from echovessel.memory.context import Context
from echovessel.memory.engine import Row, Value
from echovessel.memory.entity_links import linked_to, relink, relink_naming
from echovessel.memory.merges import Merges
from echovessel.memory.names import Names, names_of
from echovessel.memory.records import Entity, EntityChange, Question, Resolution, Scope
from echovessel.memory.resolution import LOWER, UPPER, Resolver
from echovessel.memory.rows import insert
from echovessel.text import clean

_COLUMNS = "id, scope, kind, name, merged_into, created_at"


class Entities:
    """The directory of third parties that a scope may read.

    A name learned in a scope stays there, also when the entity is shared. Merged entities keep their rows;
    the one that stands for all of them is their root, and reads speak of roots.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._merges = Merges(context)
        self._resolver = Resolver(context, self)
        self._batch: builtins.list[str] | None = None

    # Names in text

    def matcher(self) -> AliasMatcher:
        """The matcher over every alias readable from here, built again only when an alias has changed."""
        return self._names().matcher

    def mentioned(self, text: str) -> set[str]:
        """Ids of the root entities that a text names; an alias of two entities gives both."""
        return self.matcher().entities(text)

    def root(self, entity: str) -> str:
        """The id of the entity that stands for this one."""
        return self._names().roots.get(entity, entity)

    def members(self, roots: Iterable[str]) -> set[str]:
        """Ids of all entities that these stand for, themselves among them: links point to any."""
        members = self._names().members
        return {member for root in roots for member in members.get(root, (root,))}

    # The directory

    def add(
        self, name: str, *, kind: str = "person", aliases: Iterable[str] = (), scope: Scope | None = None
    ) -> Entity:
        """A new entity, also where another goes by the same name: `ensure` is what finds the known one.

        Parameters
        ----------
        aliases : iterable of str
            Further names.
        scope : Scope, optional
            Where it belongs; here when left out.

        Raises
        ------
        InputError
            A name that would be found everywhere, or a scope that can't be read from here.
        """
        context = self._context if scope is None else self._context.within(scope)
        if context.scope.key not in self._context.readable:
            raise InputError(
                f"An entity of {context.scope.key} can't be written from {self._context.scope.key}."
            )
        names = [clean(each).strip() for each in (name, *aliases)]
        keys: dict[str, str] = {}
        for each in names:
            keys.setdefault(alias_key(each), each)
        new, now = context.new_id(), context.now()
        place: dict[str, Value] = {"persona": context.persona, "scope": context.scope.key, "created_at": now}
        kind = clean(kind).strip() or "person"
        with context.store.write():
            insert(
                context.store,
                "entities",
                id=new,
                kind=kind,
                name=names[0],
                import_id=context.import_id,
                **place,
            )
            for key, text in keys.items():
                insert(context.store, "aliases", entity=new, text=text, folded=key, **place)
            self._renamed(context, keys)
        return Entity(new, context.scope, kind, names[0], tuple(keys.values()), from_micros(now))

    def get(self, entity: str) -> Entity:
        """The entity of that id, with every name it goes by.

        Raises
        ------
        NotFoundError
            No such entity here.
        """
        found = self._some([entity])
        if not found:
            raise NotFoundError(f"No entity {entity!r} in {' or '.join(self._context.readable)}.")
        return found[0]

    def find(self, name: str) -> builtins.list[Entity]:
        """The root entities that go by a name: equal after folding, else equal but for a title."""
        return self._some(self._names().find(normal(clean(name))))

    def list(self, *, kind: str | None = None, include_merged: bool = False) -> builtins.list[Entity]:
        """All entities that may be read from here, the oldest first."""
        return [
            entity
            for entity in self._read("")
            if (include_merged or entity.merged_into is None) and kind in (None, entity.kind)
        ]

    def rename(self, entity: str, name: str) -> Entity:
        """Show an entity under another name, which becomes one of its aliases."""
        with self._context.store.write():
            if self.get(entity).scope != self._context.scope:
                raise InputError(f"Entity {entity!r} is shared. Open the shared scope to rename it.")
            self.add_alias(entity, name)
            self._context.store.run(
                "UPDATE entities SET name = ? WHERE id = ?", (clean(name).strip(), entity)
            )
            return self.get(entity)

    def add_alias(self, entity: str, text: str) -> Entity:
        """Add a name for an entity, known in this scope. Messages and nodes that hold it are linked at once.

        Raises
        ------
        InputError
            A name that would be found everywhere, such as one letter.
        NotFoundError
            No such entity here.
        """
        context, key = self._context, alias_key(text)
        with context.store.write():
            found = self.get(entity)
            if key not in map(normal, found.aliases):
                insert(
                    context.store,
                    "aliases",
                    entity=entity,
                    persona=context.persona,
                    scope=context.scope.key,
                    text=clean(text).strip(),
                    folded=key,
                    created_at=context.now(),
                )
                self._renamed(context, [key])
            return self.get(entity)

    def remove_alias(self, entity: str, text: str) -> Entity:
        """Take a name away again, with the links that rested on it.

        Raises
        ------
        InputError
            The only name left, or a name that belongs to the shared scope while this is another.
        NotFoundError
            No such entity here, or it doesn't go by that name.
        """
        context, key = self._context, normal(clean(text))
        with context.store.write():
            found = self.get(entity)
            known = [normal(alias) for alias in found.aliases]
            if key not in known:
                raise NotFoundError(
                    f"{found.name} does not go by {text!r}. Known names: {', '.join(found.aliases)}."
                )
            if known == [key]:
                raise InputError(
                    f"{text!r} is the only name of {found.name}. Add another first, or forget the entity."
                )
            members = self.members({self.root(entity)})
            linked = linked_to(context, members)
            gone = context.store.rows_of(
                "DELETE FROM aliases WHERE scope = ? AND folded = ?"
                " AND entity IN (SELECT value FROM json_each(?)) RETURNING id",
                list(members),
                (context.scope.key, key),
            )
            if not gone:
                raise InputError(f"{text!r} belongs to the shared scope. Open that to take it away.")
            left = next(alias for alias in found.aliases if normal(alias) != key)
            for member in members:  # nobody is shown under a name that was taken away
                row = context.store.row("SELECT name, scope FROM entities WHERE id = ?", (member,))
                if row and normal(row[0]) == key and row[1] == context.scope.key:
                    context.store.run("UPDATE entities SET name = ? WHERE id = ?", (left, member))
            relink(context, linked)
            return self.get(entity)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Add many entities and aliases in one transaction; what names them is linked once, at the end."""
        if self._batch is not None:
            yield
            return
        self._batch = []
        try:
            with self._context.store.write():
                yield
                relink_naming(self._context, self._batch)
        finally:
            self._batch = None

    # One person, several names

    def merge(self, keep: str, absorb: str) -> EntityChange:
        """Let one entity stand for another; see `Merges.merge`."""
        return self._merges.merge(self.get(keep), self.get(absorb))

    def split(
        self, entity: str, *, aliases: Iterable[str] = (), nodes: Iterable[str] = (), name: str | None = None
    ) -> EntityChange:
        """Make names and memories of one entity another's; see `Merges.split`."""
        return self._merges.split(self.get(entity), aliases=tuple(aliases), nodes=tuple(nodes), name=name)

    def undo(self, change: str) -> EntityChange:
        """Take a merge or split back; see `Merges.undo`."""
        return self._merges.undo(change)

    def changes(self) -> builtins.list[EntityChange]:
        """Every merge and split of this scope, the oldest first."""
        return self._merges.list()

    def resolve(
        self,
        name: str,
        *,
        vector: NDArray[Any] | None = None,
        kind: str | None = None,
        upper: float = UPPER,
        lower: float = LOWER,
    ) -> Resolution:
        """Whom a name means, without writing anything; see `Resolver.resolve`."""
        return self._resolver.resolve(name, vector=vector, kind=kind, upper=upper, lower=lower)

    def ensure(
        self,
        name: str,
        *,
        vector: NDArray[Any] | None = None,
        kind: str = "person",
        upper: float = UPPER,
        lower: float = LOWER,
    ) -> Resolution:
        """Whom a name means, made where nobody is known by it; see `Resolver.ensure`."""
        return self._resolver.ensure(name, vector=vector, kind=kind, upper=upper, lower=lower)

    def questions(self) -> builtins.list[Question]:
        """Pairs that may be one, not settled yet, the oldest first."""
        return self._resolver.questions()

    def settle(self, question: str, *, same: bool) -> EntityChange | None:
        """Answer a question; see `Resolver.settle`."""
        return self._resolver.settle(question, same=same)

    # Inside

    def _names(self) -> Names:
        return names_of(self._context)

    def _renamed(self, context: Context, keys: Iterable[str]) -> None:
        if self._batch is not None and context.scope == self._context.scope:
            self._batch.extend(keys)
        else:
            relink_naming(context, keys)

    def _some(self, ids: Iterable[str]) -> builtins.list[Entity]:
        return self._read("AND id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))

    def _read(self, condition: str, *values: str) -> builtins.list[Entity]:
        """Entities with their own names first, then those of the entities they stand for."""
        scopes = json.dumps(self._context.readable)
        chosen = (
            f"SELECT {_COLUMNS} FROM entities WHERE persona = ?"
            f" AND scope IN (SELECT value FROM json_each(?)) {condition}"
        )
        with self._context.store.read():
            rows = self._context.store.rows(
                f"{chosen} ORDER BY created_at, id", (self._context.persona, scopes, *values)
            )
            names = self._context.store.rows(
                f"WITH RECURSIVE chosen AS ({chosen}), tree (top, entity) AS (SELECT id, id FROM chosen"
                " UNION ALL"
                " SELECT tree.top, e.id FROM tree JOIN entities AS e ON e.merged_into = tree.entity)"
                " SELECT tree.top, a.folded, a.text FROM tree JOIN aliases AS a ON a.entity = tree.entity"
                " WHERE a.scope IN (SELECT value FROM json_each(?)) ORDER BY a.entity <> tree.top, a.id",
                (self._context.persona, scopes, *values, scopes),
            )
        known: dict[str, dict[str, str]] = {}
        for top, folded, text in names:
            known.setdefault(top, {}).setdefault(folded, text)
        return [_entity(row, known.get(row[0], {}).values()) for row in rows]


def _entity(row: Row, aliases: Iterable[str]) -> Entity:
    id_, scope, kind, name, merged_into, created = row
    return Entity(id_, Scope.parse(scope), kind, name, tuple(aliases), from_micros(created), merged_into)
