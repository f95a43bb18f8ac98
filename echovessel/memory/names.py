"""The names known in a scope, kept in memory and in step with the file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from echovessel.memory.aliases import AliasMatcher
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.titles import split_title


@dataclass(frozen=True)
class Names:
    """Every alias that one scope may read, and which entity stands for which.

    Attributes
    ----------
    roots : mapping of str to str
        For each entity, the one that stands for it after merges: itself, where it was never merged.
    members : mapping of str to frozenset of str
        The reverse: for each root, all entities it stands for, itself among them.
    owners : mapping of str to frozenset of str
        For each alias in its normal form, the entities that were given it, merged since or not.
    """

    roots: Mapping[str, str]
    members: Mapping[str, frozenset[str]]
    owners: Mapping[str, frozenset[str]]
    _by_bare: Mapping[str, Mapping[str, frozenset[str]]]

    @classmethod
    def of(cls, aliases: Iterable[tuple[str, str]], merges: Mapping[str, str | None]) -> Names:
        """Names from (normal alias, entity) pairs and, for each entity, the one it was merged into."""
        roots = {entity: _root(entity, merges) for entity in merges}
        members, owners = defaultdict(set), defaultdict(set)
        by_bare: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for entity, root in roots.items():
            members[root].add(entity)
        for alias, entity in aliases:
            owners[alias].add(entity)
            titled = split_title(alias)
            by_bare[titled.bare][roots[entity]].add(titled.title)
        return cls(
            roots,
            {root: frozenset(found) for root, found in members.items()},
            {alias: frozenset(found) for alias, found in owners.items()},
            {
                bare: {root: frozenset(titles) for root, titles in found.items()}
                for bare, found in by_bare.items()
            },
        )

    @cached_property
    def matcher(self) -> AliasMatcher:
        """Finds aliases in text and gives roots; built when first asked for."""
        return AliasMatcher(
            (alias, self.roots[entity]) for alias, found in self.owners.items() for entity in found
        )

    def find(self, key: str) -> frozenset[str]:
        """Roots that go by a name (in its normal form): to the letter, else but for a title.

        Two titles that differ part two people of one short name, as in Mr Smith and Mrs Smith.
        """
        exact = self.owners.get(key)
        if exact:
            return frozenset(self.roots[entity] for entity in exact)
        titled = split_title(key)
        return frozenset(
            root
            for root, titles in self._by_bare.get(titled.bare, {}).items()
            if titled.full or not titled.title or titled.title in titles or titles == {""}
        )


@dataclass
class _Kept:
    stamp: tuple[int, int, int]
    seen: int
    names: Names


_KEPT: WeakKeyDictionary[Store, dict[tuple[str, tuple[str, ...]], _Kept]] = WeakKeyDictionary()


def names_of(context: Context) -> Names:
    """The names that may be read from here; read again only when one has changed, by whichever process."""
    store = context.store
    key = (context.persona, context.readable)
    with store.read():
        kept = _KEPT.setdefault(store, {}).get(key)
        stamp = (store.data_version, store.total_changes, store.rollbacks)
        if kept is not None and kept.stamp == stamp:
            return kept.names
        first, last = store.row("SELECT (SELECT min(seq) FROM changes), (SELECT max(seq) FROM changes)") or (
            None,
            None,
        )
        seen = last or 0
        # What was read inside a transaction that was undone may never have been.
        if (
            kept is not None
            and kept.stamp[2] == store.rollbacks
            and not _changed(context, kept.seen, first, seen)
        ):
            kept.stamp, kept.seen = stamp, seen
            return kept.names
        names = _read(context)
        _KEPT[store][key] = _Kept(stamp, seen, names)
        return names


def _changed(context: Context, seen: int, first: int | None, last: int) -> bool:
    """Whether a name changed since; also when the log was cut, so that nobody can tell."""
    if last < seen or (first is not None and first > seen + 1):
        return True
    return last > seen and bool(
        context.store.rows_of(
            "SELECT 1 FROM changes WHERE seq > ? AND layer = 'name'"
            " AND scope IN (SELECT value FROM json_each(?)) LIMIT 1",
            context.readable,
            (seen,),
        )
    )


def _read(context: Context) -> Names:
    scopes = json.dumps(context.readable)
    merges = context.store.rows(
        "SELECT id, merged_into FROM entities WHERE persona = ?"
        " AND scope IN (SELECT value FROM json_each(?))",
        (context.persona, scopes),
    )
    aliases = context.store.rows(
        "SELECT folded, entity FROM aliases WHERE persona = ? AND scope IN (SELECT value FROM json_each(?))",
        (context.persona, scopes),
    )
    known: dict[str, str | None] = dict(merges)
    return Names.of(((folded, entity) for folded, entity in aliases if entity in known), known)


def _root(entity: str, merges: Mapping[str, str | None]) -> str:
    while (further := merges.get(entity)) is not None:
        entity = further
    return entity
