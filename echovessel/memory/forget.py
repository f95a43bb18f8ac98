"""Forgetting: what goes leaves no copy in any table, index, log or free page of the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from echovessel.errors import InputError, NotFoundError
from echovessel.memory.aliases import normal
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import SHARED_LABELS
from echovessel.memory.entities import Entities
from echovessel.memory.message_rows import COLUMNS, message_of
from echovessel.memory.reach import SCOPED, WHOLE, Reach, reach_of
from echovessel.memory.records import CoreLabel, Forgotten, Scope
from echovessel.memory.targets import Target, TargetKind
from echovessel.memory.tombstones import Tombstones
from echovessel.text import clean

Derived = Literal["drop", "keep"]

_LISTED = "IN (SELECT value FROM json_each(?))"


class Forget:
    """Deletes for good."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tombstones = Tombstones(context)

    def forget(
        self, target: Target, *, dry_run: bool = False, derived: Derived = "drop", tombstones: bool = True
    ) -> Forgotten:
        """Forget one thing, in one transaction, and then wipe the file's log and free pages.

        Parameters
        ----------
        target : Target
            What to forget. Messages, nodes, sessions, entities, names and lines must be readable from here; a
            user, group, persona or import is named outright.
        dry_run : bool
            Only tell what would go and what derives from it.
        derived : ``"drop"`` or ``"keep"``
            What becomes of nodes that rest on it, directly or through others: all of them go, also those with
            another source; or they stay, without the quotes and links to what went. An entity's derived nodes
            are those linked to it. A fact that was replaced by one that goes is current again.
        tombstones : bool
            Leave keyed hashes of messages and nodes, so that a re-import does not bring them back unasked. A
            persona or the whole file leaves none: there is nobody left to import for.

        Returns
        -------
        Forgotten

        Raises
        ------
        NotFoundError
            No such thing here.
        InputError
            The name to forget is the only one of its entity.
        StoreBusy
            It is gone from the tables, but another process reads the file, so that its log can't be cut yet.
        """
        if derived not in ("drop", "keep"):
            raise InputError(f"derived must be 'drop' or 'keep', found {derived!r}.")
        small = {TargetKind.ALIAS: self._alias, TargetKind.CORE_LINE: self._core_line}.get(target.kind)
        store = self._context.store
        if dry_run:
            with store.read():
                return small(target, dry_run=True) if small else self._told(target, derived)
        with store.write():
            result = (
                small(target, dry_run=False) if small else self._gone(target, derived, tombstones=tombstones)
            )
        self.finish()
        return result

    def finish(self) -> None:
        """Wipe the log and the free pages; also after a `forget` that another process kept from doing so.

        Raises
        ------
        StoreBusy
            Another process still reads the file.
        """
        self._context.store.scrub()

    def _told(self, target: Target, derived: Derived) -> Forgotten:
        return _result(reach_of(self._context, target, drop=derived == "drop"), done=False)

    def _gone(self, target: Target, derived: Derived, *, tombstones: bool) -> Forgotten:
        reach = reach_of(self._context, target, drop=derived == "drop")
        if derived == "drop":
            reach.nodes, kept = sorted({*reach.nodes, *reach.derived}), []
        else:
            kept = reach.derived
        if tombstones and target.kind not in (TargetKind.PERSONA, TargetKind.EVERYTHING):
            self._bury(reach)
            if target.kind is TargetKind.SCOPE:
                self._tombstones.add(self._tombstones.of_scope(target.id))
        self._blank(kept)
        if target.kind is TargetKind.IMPORT:
            self._restore_core(target.id)
        self._delete(reach)
        if target.kind in WHOLE:
            self._delete_whole(target)
        self._delete_imports(reach.imports)
        if target.kind is TargetKind.IMPORT:  # also where an entity it brought has come to be named by others
            self._context.store.run("DELETE FROM imports WHERE id = ?", (target.id,))
        return _result(reach, done=True)

    def _bury(self, reach: Reach) -> None:
        store = self._context.store
        rows = store.rows_of(f"SELECT {COLUMNS} FROM messages WHERE id {_LISTED}", reach.messages)
        self._tombstones.add(digest for row in rows for digest in self._tombstones.of_stored(message_of(row)))
        nodes = store.rows_of(f"SELECT scope, kind, text FROM nodes WHERE id {_LISTED}", reach.nodes)
        self._tombstones.add(digest for row in nodes for digest in self._tombstones.of_node(*row))
        rows_gone = (*reach.messages, *reach.nodes, *reach.entities, *reach.sessions)
        self._tombstones.add(digest for ident in rows_gone for digest in self._tombstones.of_id(ident))

    def _blank(self, kept: list[str]) -> None:
        """Take from what stays the quotes of what rests on the same."""
        listed = json.dumps(kept)
        self._context.store.run(
            f"UPDATE node_sources SET quote = '' WHERE node {_LISTED} AND source_node {_LISTED}",
            (listed, listed),
        )
        self._context.store.run(
            f"DELETE FROM cycle_refusals WHERE cycle IN (SELECT cycle FROM cycle_reads WHERE node {_LISTED})",
            (listed,),
        )

    def _delete(self, reach: Reach) -> None:
        run, persona = self._context.store.run, self._context.persona
        for table, ids in (
            ("nodes", reach.nodes),
            ("messages", reach.messages),
            ("entities", reach.entities),
        ):
            run(f"DELETE FROM {table} WHERE id {_LISTED}", (json.dumps(ids),))
            run(f"DELETE FROM access_counts WHERE item {_LISTED}", (json.dumps(ids),))
        run(f"DELETE FROM sessions WHERE id {_LISTED}", (json.dumps(reach.sessions),))
        run(f"DELETE FROM moods WHERE persona = ? AND scope {_LISTED}", (persona, json.dumps(reach.moods)))
        run(
            "DELETE FROM entity_changes"
            " WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE instr(detail, value) > 0)",
            (json.dumps(reach.entities),),
        )

    def _delete_whole(self, target: Target) -> None:
        run = self._context.store.run
        if target.kind is TargetKind.SCOPE:
            for table in SCOPED:
                run(
                    f"DELETE FROM {table} WHERE persona = ? AND scope = ?", (self._context.persona, target.id)
                )
            run("DELETE FROM api_tokens WHERE 'user:' || user = ?", (target.id,))
        elif target.kind is TargetKind.PERSONA:
            run("DELETE FROM personas WHERE id = ?", (target.id,))
        else:
            for table in ("personas", "tombstones", "access_counts", "api_tokens", "meta"):
                run(f"DELETE FROM {table}")
            run("DELETE FROM embedders WHERE active = 0")
        # The log of changes names users. Whoever follows it finds a gap before the mark, and reads anew.
        run("DELETE FROM changes")
        run("INSERT INTO changes (scope, layer, item) VALUES ('', 'name', 0)")

    def _delete_imports(self, imports: list[str]) -> None:
        """Take out imports of which nothing is left."""
        tables = ("messages", "nodes", "entities", "core_block_revisions")
        left = " AND ".join(
            f"NOT EXISTS (SELECT 1 FROM {table} t WHERE t.import_id = imports.id)" for table in tables
        )
        self._context.store.run(f"DELETE FROM imports WHERE id {_LISTED} AND {left}", (json.dumps(imports),))

    def _restore_core(self, import_id: str) -> None:
        """Take an import's changes out of the core blocks' histories, the last first."""
        store, persona = self._context.store, self._context.persona
        changes = store.rows(
            "SELECT id, scope, label, before FROM core_block_revisions"
            " WHERE persona = ? AND import_id = ? ORDER BY id DESC",
            (persona, import_id),
        )
        for revision, scope, label, before in changes:
            block = (persona, scope, label)
            where = "persona = ? AND scope = ? AND label = ?"
            following = store.value(
                f"SELECT id FROM core_block_revisions WHERE {where} AND id > ? ORDER BY id LIMIT 1",
                (*block, revision),
            )
            if following is None:
                store.run(f"UPDATE core_blocks SET text = ? WHERE {where}", (before, *block))
            else:
                store.run("UPDATE core_block_revisions SET before = ? WHERE id = ?", (before, following))
            store.run("DELETE FROM core_block_revisions WHERE id = ?", (revision,))

    def _alias(self, target: Target, *, dry_run: bool) -> Forgotten:
        directory, text = Entities(self._context), target.detail
        entity = directory.get(target.id)
        key = normal(clean(text)).strip()
        others = [alias for alias in entity.aliases if normal(alias) != key]
        if len(others) == len(entity.aliases):
            raise NotFoundError(
                f"{entity.name} does not go by {text!r}. Known names: {', '.join(entity.aliases)}."
            )
        if not others:
            raise InputError(f"{text!r} is the only name of {entity.name}. Forget the entity instead.")
        if not dry_run:
            directory.remove_alias(entity.id, text)
            for member in sorted(directory.members({directory.root(entity.id)})):
                self._tombstones.add(self._tombstones.of_alias(member, key))
                row = self._context.store.row("SELECT name FROM entities WHERE id = ?", (member,))
                if row is not None and normal(row[0]) == key:
                    self._context.store.run("UPDATE entities SET name = ? WHERE id = ?", (others[0], member))
        return Forgotten({"aliases": 1}, done=not dry_run)

    def _core_line(self, target: Target, *, dry_run: bool) -> Forgotten:
        store, line = self._context.store, clean(target.detail).strip()
        scope = Scope.shared() if CoreLabel(target.id) in SHARED_LABELS else self._context.scope
        block = (self._context.persona, scope.key, target.id)
        where = "persona = ? AND scope = ? AND label = ?"
        cut: Callable[[str], str] = lambda text: _without(text, line)  # noqa: E731
        text = store.value(f"SELECT text FROM core_blocks WHERE {where}", block)
        revisions = store.rows(
            f"SELECT id, before, after, note FROM core_block_revisions WHERE {where}", block
        )
        held = [row for row in revisions if line in row[3] or cut(row[1]) != row[1] or cut(row[2]) != row[2]]
        blocks = int(text is not None and cut(text) != text)
        if not line or not (held or blocks):
            raise NotFoundError(
                f"No line {target.detail!r} in the core block {target.id!r}. Give the whole line."
            )
        if not dry_run:
            if blocks:
                store.run(f"UPDATE core_blocks SET text = ? WHERE {where}", (cut(text), *block))
            for revision, before, after, note in held:
                store.run(
                    "UPDATE core_block_revisions SET before = ?, after = ?, note = ? WHERE id = ?",
                    (cut(before), cut(after), "" if line in note else note, revision),
                )
        counts = {"core_blocks": blocks, "core_block_revisions": len(held)}
        return Forgotten({table: n for table, n in counts.items() if n}, done=not dry_run)


def _without(text: str, line: str) -> str:
    return "\n".join(kept for kept in text.split("\n") if kept.strip() != line)


def _result(reach: Reach, *, done: bool) -> Forgotten:
    return Forgotten(
        reach.counts,
        tuple(reach.messages),
        tuple(reach.nodes),
        tuple(reach.derived),
        tuple(reach.orphans),
        done,
    )
