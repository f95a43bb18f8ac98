"""Facts that take the place of older ones, with the history kept.

The facts of one scope, kind, subject, `about` and attribute form chains: each points to the one that took its
place, and the last is live. A node is superseded from when its successor was first known. What has no attribute
answers no question of its own, so nothing replaces it unless a person names it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from echovessel.clock import from_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.names import names_of

_COLUMNS = (
    "id, kind, subject, attribute, about, scope, known_at, first_known_at, superseded_by, superseded_at, text"
)


FactKey = tuple[str, str, str, str | None, str]
# Two sides of one question: whoever comes to dislike a thing no longer likes it.
_OPPOSITES = {"dislikes": "likes"}


def slot(attribute: str) -> str:
    """What facts must have in common, of their attributes, for one to take the other's place."""
    return _OPPOSITES.get(attribute, attribute)


@dataclass(frozen=True, slots=True)
class Fact:
    """What deciding about supersession needs of a node. `key` is equal for facts that exclude each other."""

    id: str
    key: FactKey
    known_at: int
    first_known_at: int
    superseded_by: str | None
    superseded_at: int | None
    text: str

    @property
    def attribute(self) -> str:
        """What the fact is about; empty for a memory that only a person may replace."""
        return self.key[2]


class Chains:
    """Reads and links the chains of a scope; writes inside the caller's `write()`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def fact(self, node: str) -> Fact | None:
        """The fact of that node id, from any scope that may be read."""
        rows = self._context.store.rows_of(
            f"SELECT {_COLUMNS} FROM nodes WHERE persona = ? AND id = ?"
            " AND scope IN (SELECT value FROM json_each(?))",
            self._context.readable,
            (self._context.persona, node),
        )
        return self._fact(rows[0]) if rows else None

    def live(self, subject: str, attribute: str) -> list[Fact]:
        """Facts of this scope that nothing has replaced."""
        wanted = slot(attribute)
        same = [wanted, *(other for other, stands in _OPPOSITES.items() if stands == wanted)]
        rows = self._context.store.rows(
            f"SELECT {_COLUMNS} FROM nodes WHERE persona = ? AND scope = ? AND subject = ?"
            " AND attribute IN (SELECT value FROM json_each(?)) AND attribute <> '' AND superseded_at IS NULL"
            " ORDER BY known_at, seq",
            (self._context.persona, self._context.scope.key, subject, json.dumps(same)),
        )
        return [self._fact(row) for row in rows]

    def check(self, old: Fact, key: FactKey, known_at: int, *, by_person: bool) -> None:
        """Refuse a successor that does not speak of the same thing, or was known earlier.

        A memory without an attribute yields to another one without, if a person wrote that.

        Raises
        ------
        InputError
            With what differs.
        """
        if not old.attribute and not by_person:
            raise InputError(
                f"Node {old.id!r} has no attribute, so only a person may name what takes its place. "
                "Give both the same one."
            )
        for found, wanted, what in zip(
            old.key, key, ("kind", "subject", "attribute", "about", "scope"), strict=True
        ):
            if found != wanted:
                raise InputError(
                    f"Node {old.id!r} can't be superseded: its {what} is {found!r}, the new one's {wanted!r}."
                )
        if old.superseded_at is not None:
            raise InputError(
                f"Node {old.id!r} is superseded already, by {old.superseded_by!r}. Name that one."
            )
        if old.known_at > known_at:
            raise InputError(
                f"Node {old.id!r} was known later ({from_micros(old.known_at).isoformat()}) than the new one "
                f"({from_micros(known_at).isoformat()}). Let the later supersede the earlier."
            )

    def link(self, old: str, new: str, at: int) -> None:
        """Let one take the place of another from a moment on."""
        self._context.store.run(
            "UPDATE nodes SET superseded_by = ?, superseded_at = ? WHERE id = ?", (new, at, old)
        )

    def unlink(self, old: str) -> None:
        """Make a superseded node live again."""
        self._context.store.run(
            "UPDATE nodes SET superseded_by = NULL, superseded_at = NULL WHERE id = ?", (old,)
        )

    def successors(self, node: str) -> list[Fact]:
        """What took its place, what took that one's place, and so on."""
        found: list[Fact] = []
        fact = self.fact(node)
        while fact is not None and fact.superseded_by is not None:
            fact = self.fact(fact.superseded_by)
            if fact is not None:
                found.append(fact)
        return found

    def family(self, node: str) -> list[str]:
        """Ids of the whole chain, with every branch that runs into it, the node among them."""
        last = [node, *(fact.id for fact in self.successors(node))][-1]
        rows = self._context.store.rows(
            "WITH RECURSIVE family (id) AS (SELECT ? UNION ALL"
            " SELECT n.id FROM family JOIN nodes AS n ON n.superseded_by = family.id) SELECT id FROM family",
            (last,),
        )
        return [id_ for (id_,) in rows]

    def standing_at(self, fact: Fact, moment: int) -> Fact:
        """The fact of a chain that stood at a moment, going on from one of its members."""
        while (
            fact.superseded_at is not None and fact.superseded_at <= moment and fact.superseded_by is not None
        ):
            further = self.fact(fact.superseded_by)
            if further is None:
                break
            fact = further
        return fact

    def key(self, kind: str, subject: str, attribute: str, about: str | None, scope: str) -> FactKey:
        """What facts that exclude each other have in common; merged entities are one."""
        root = None if about is None else names_of(self._context).roots.get(about, about)
        return (str(kind), str(subject), slot(attribute), root, scope)

    def _fact(self, row: Row) -> Fact:
        id_, kind, subject, attribute, about, scope, known, first_known, by, at, text = row
        return Fact(id_, self.key(kind, subject, attribute, about, scope), known, first_known, by, at, text)
