"""L1: who am I now? Five short texts that a person or an import writes, and the engine never does."""

from __future__ import annotations

from echovessel.clock import from_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.records import Actor, CoreBlock, CoreLabel, Revision, Scope, ScopeKind
from echovessel.memory.rows import insert
from echovessel.text import clean

MAX_CHARACTERS = 5_000
SHARED_LABELS = frozenset({CoreLabel.PERSONA, CoreLabel.SELF, CoreLabel.STYLE})


class CoreBlocks:
    """The core blocks that a scope may read; every change keeps a revision.

    The label decides the scope: `persona`, `self` and `style` are shared, `user` and `relationship` belong to
    one user each.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def get(self, label: CoreLabel | str) -> CoreBlock | None:
        """The block, or None while nothing has been written there.

        Raises
        ------
        InputError
            No such label, or a label of a user read from outside a user's scope.
        """
        label, scope = self._place(label)
        row = self._context.store.row(
            "SELECT label, scope, text, updated_at FROM core_blocks"
            " WHERE persona = ? AND scope = ? AND label = ?",
            (self._context.persona, scope.key, label),
        )
        return None if row is None else _block(row)

    def all(self) -> list[CoreBlock]:
        """Every block that may be read from here, in the order of the labels."""
        rows = self._context.store.rows_of(
            "SELECT label, scope, text, updated_at FROM core_blocks WHERE persona = ?"
            " AND scope IN (SELECT value FROM json_each(?))",
            self._context.readable,
            (self._context.persona,),
        )
        order = list(CoreLabel)
        return sorted(map(_block, rows), key=lambda block: order.index(block.label))

    def set(self, label: CoreLabel | str, text: str, *, actor: Actor | str, note: str = "") -> CoreBlock:
        """Write a block. The same text again changes nothing and leaves no revision.

        Parameters
        ----------
        text : str
            At most 5,000 characters; empty clears the block.
        actor : Actor
            ``manual``, ``admin`` or ``import``: nobody else may write here.

        Raises
        ------
        InputError
            Text too long, no such label or actor, or a label of a user outside a user's scope.
        """
        with self._context.store.write():
            return self._write(label, text, actor, note, None)

    def undo(self, label: CoreLabel | str, *, actor: Actor | str = Actor.MANUAL) -> CoreBlock:
        """Take back the last change that has not been taken back yet; again goes one further back.

        Raises
        ------
        InputError
            Nothing is left to undo.
        """
        label, scope = self._place(label)
        with self._context.store.write():
            row = self._context.store.row(
                "SELECT id, before FROM core_block_revisions AS r"
                " WHERE persona = ? AND scope = ? AND label = ? AND undoes IS NULL"
                " AND NOT EXISTS (SELECT 1 FROM core_block_revisions AS u WHERE u.undoes = r.id)"
                " ORDER BY id DESC LIMIT 1",
                (self._context.persona, scope.key, label),
            )
            if row is None:
                raise InputError(f"The core block {label!r} has no change to undo.")
            return self._write(label, row[1], actor, "undo", row[0])

    def history(self, label: CoreLabel | str) -> list[Revision]:
        """All changes of a block, the oldest first."""
        label, scope = self._place(label)
        rows = self._context.store.rows(
            "SELECT id, label, scope, actor, at, before, after, note FROM core_block_revisions"
            " WHERE persona = ? AND scope = ? AND label = ? ORDER BY id",
            (self._context.persona, scope.key, label),
        )
        return [
            Revision(id_, CoreLabel(name), Scope.parse(key), Actor(who), from_micros(at), before, after, note)
            for id_, name, key, who, at, before, after, note in rows
        ]

    def _write(
        self, label: CoreLabel | str, text: str, actor: Actor | str, note: str, undoes: str | None
    ) -> CoreBlock:
        label, scope = self._place(label)
        try:
            who = Actor(actor)
        except ValueError as error:
            known = ", ".join(Actor)
            raise InputError(
                f"{actor!r} may not write core blocks. Only a person or an import may: {known}."
            ) from error
        after = clean(text)
        if len(after) > MAX_CHARACTERS:
            raise InputError(
                f"The core block {label!r} holds at most {MAX_CHARACTERS} characters, found {len(after)}."
                f" Shorten it by {len(after) - MAX_CHARACTERS}."
            )
        store, persona, now = self._context.store, self._context.persona, self._context.now()
        found = self.get(label)
        before = "" if found is None else found.text
        if after == before and undoes is None:
            return found or CoreBlock(label, scope, "", from_micros(now))
        store.run(
            "INSERT INTO core_blocks (persona, scope, label, text, updated_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (persona, scope, label)"
            " DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at",
            (persona, scope.key, label, after, now),
        )
        insert(
            store,
            "core_block_revisions",
            id=self._context.new_id(),
            persona=persona,
            scope=scope.key,
            label=label,
            actor=who,
            at=now,
            before=before,
            after=after,
            note=clean(note),
            undoes=undoes,
            import_id=self._context.import_id,
        )
        return CoreBlock(label, scope, after, from_micros(now))

    def scope_of(self, label: CoreLabel | str) -> Scope:
        """Where a block stands that is written from here: three are the persona's own, two a user's.

        Raises
        ------
        InputError
            No such label, or a label of a user outside a user's scope.
        """
        return self._place(label)[1]

    def _place(self, label: CoreLabel | str) -> tuple[CoreLabel, Scope]:
        try:
            known = CoreLabel(label)
        except ValueError as error:
            raise InputError(f"{label!r} is no core block. The five are: {', '.join(CoreLabel)}.") from error
        if known in SHARED_LABELS:
            return known, Scope.shared()
        if self._context.scope.kind is not ScopeKind.USER:
            here = self._context.scope.key
            raise InputError(
                f"The core block {known!r} belongs to a user, and this is {here}. Open that user's scope."
            )
        return known, self._context.scope


def _block(row: Row) -> CoreBlock:
    label, scope, text, updated = row
    return CoreBlock(CoreLabel(label), Scope.parse(scope), text, from_micros(updated))
