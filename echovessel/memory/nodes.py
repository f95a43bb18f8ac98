"""L3 and L4: what happened, and what the persona makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import InputError
from echovessel.memory import node_checks as checks
from echovessel.memory.context import Context
from echovessel.memory.engine import Value
from echovessel.memory.entities import Entities
from echovessel.memory.entity_links import link_node, relink
from echovessel.memory.node_reader import NodeReader
from echovessel.memory.records import NewNode, Node, NodeStatus, Origin, RelationalTag, Source
from echovessel.memory.rows import insert
from echovessel.memory.search import Search
from echovessel.memory.vectors import Vectors
from echovessel.text import fold


class Keep(Enum):
    """Stands for a field that an edit leaves as it is, where None clears it."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP


class Nodes(NodeReader):
    """The events, thoughts, intentions and expectations that a scope may read.

    Every write is one transaction with its sources, entities, search row and vector.
    """

    def __init__(self, context: Context, directory: Entities) -> None:
        super().__init__(context, directory)
        self._search = Search(context)
        self._vectors = Vectors(context)

    def add(self, new: NewNode, *, vector: NDArray[np.floating] | None = None) -> Node:
        """Store a memory, and let it take the place of those it supersedes.

        Parameters
        ----------
        new : NewNode
            Text without what no database can hold; `known_at` defaults to the latest source's, else now.
        vector : array of shape (dim,), optional
            Unit vector of the text, by the embedder of the file; left to the queue when missing.

        Raises
        ------
        InputError
            No source where one is needed, a quote that is not in its source, a field out of range, or a
            superseded node that differs in kind, subject, attribute or `about`, is known later, is
            superseded already, or has no attribute and the new one was not written by a person.
        NotFoundError
            A source, entity or superseded node that can't be read from here.
        """
        context, store = self._context, self._context.store
        columns = checks.columns_of(new, context.scope)
        with store.write():
            sources = self._sources.checked(new.sources, context.scope)
            known = self._known_at(new.known_at, [at for _, at in sources])
            given = [self._directory.get(entity).id for entity in new.entities]
            if new.about is not None:
                given.append(self._directory.get(new.about).id)
            key = self._key(new)
            for old in dict.fromkeys(new.supersedes):
                fact = self._chains.fact(old)
                if fact is None:
                    raise self._unknown(old)
                self._chains.check(fact, key, known, by_person=new.origin is Origin.PERSON)
            node = self._insert(columns, known, [source for source, _ in sources], given, vector)
            for old in dict.fromkeys(new.supersedes):
                self._chains.link(old, node, known)
            return self.get(node)

    def supersede(self, old: str, new: str) -> Node:
        """Let one stored fact take the place of another; gives the old one.

        Raises
        ------
        InputError
            They don't speak of the same thing, or the new one was known earlier.
        """
        with self._context.store.write():
            facts = [self._chains.fact(node) for node in (old, new)]
            for node, fact in zip((old, new), facts, strict=True):
                if fact is None:
                    raise self._unknown(node)
            before, after = (fact for fact in facts if fact is not None)
            if old in [new, *(fact.id for fact in self._chains.successors(new))]:
                raise InputError(
                    f"Node {old!r} has taken the place of {new!r} itself. Restore that one first."
                )
            self._own(before.key[-1], old)
            by_person = self.get(new).origin is Origin.PERSON
            self._chains.check(before, after.key, after.first_known_at, by_person=by_person)
            self._chains.link(old, new, after.first_known_at)
            return self.get(old)

    def restore(self, node: str) -> Node:
        """Undo a supersession: the old fact is live again, beside the one that took its place."""
        with self._context.store.write():
            found = self.get(node)
            self._own(found.scope.key, node)
            if found.superseded_at is None:
                raise InputError(f"Node {node!r} is not superseded.")
            self._chains.unlink(node)
            return self.get(node)

    def mention(self, node: str, source: Source) -> Node:
        """A fact was said again; gives the node that holds it now. The same source counts once.

        `known_at` moves on, `first_known_at` stays. A fact said again after another took its place is current
        again: it is stored anew from this source and supersedes what stood at that time, so that it does not
        vanish.
        """
        with self._context.store.write():
            found, fact = self.get(node), self._chains.fact(node)
            assert fact is not None
            self._own(found.scope.key, node)
            ((source, at),) = self._sources.checked((source,), found.scope)
            standing = self._chains.standing_at(fact, at)
            if fold(standing.text) == fold(fact.text):
                return self._count(standing.id, source, at)
            # Where the one that stands has been said again since, this source is history.
            if standing.known_at <= at:
                return self._restate(found, source, at, standing.id)
            return self._count(node, source, at)

    def edit(
        self,
        node: str,
        *,
        text: str | Keep = KEEP,
        impact: float | Keep = KEEP,
        emotions: Iterable[str] | Keep = KEEP,
        tags: Iterable[RelationalTag] | Keep = KEEP,
        occurred_from: date | Keep | None = KEEP,
        occurred_to: date | Keep | None = KEEP,
        valid_from: date | Keep | None = KEEP,
        valid_to: date | Keep | None = KEEP,
        due_on: date | Keep | None = KEEP,
        confidence: float | Keep = KEEP,
    ) -> Node:
        """Correct a memory by hand. A new text is searched, linked and (by the queue) embedded anew.

        Raises
        ------
        InputError
            A field out of range, or days that end before they begin.
        """
        store = self._context.store
        with store.write():
            found = self.get(node)
            days = {
                "occurred_from": found.occurred_from if occurred_from is KEEP else occurred_from,
                "occurred_to": found.occurred_to if occurred_to is KEEP else occurred_to,
                "valid_from": found.valid_from if valid_from is KEEP else valid_from,
                "valid_to": found.valid_to if valid_to is KEEP else valid_to,
                "due_on": found.due_on if due_on is KEEP else due_on,
            }
            checks.ordered(days["occurred_from"], days["occurred_to"], "occurred")
            checks.ordered(days["valid_from"], days["valid_to"], "valid")
            columns: dict[str, Value] = {name: checks.day(value, name) for name, value in days.items()}
            if text is not KEEP:
                columns["text"] = checks.written(text)
            if impact is not KEEP:
                columns["impact"] = checks.within(impact, -10.0, 10.0, "impact")
            if emotions is not KEEP:
                columns["emotions"] = checks.words(emotions)
            if tags is not KEEP:
                columns["tags"] = checks.tags(tags)
            if confidence is not KEEP:
                columns["confidence"] = checks.within(confidence, 0.0, 1.0, "confidence")
            self._update(node, columns)
            if columns.get("text", found.text) != found.text:
                seq = store.value("SELECT seq FROM nodes WHERE id = ?", (node,))
                self._search.index_node(seq, str(columns["text"]))
                store.run("DELETE FROM node_vectors WHERE node = ?", (seq,))
                relink(self._context, {"node": [node]})
            return self.get(node)

    def pin(self, node: str, pinned: bool = True) -> Node:
        """Keep a memory in the prompt, or let go of it."""
        with self._context.store.write():
            self.get(node)
            self._update(node, {"pinned": int(pinned)})
            return self.get(node)

    def set_status(self, node: str, status: NodeStatus) -> Node:
        """Say what became of a promise or an expectation."""
        with self._context.store.write():
            self._update(node, {"status": checks.status(status, self.get(node).kind)})
            return self.get(node)

    def _insert(
        self,
        columns: dict[str, Value],
        known: int,
        sources: Iterable[Source],
        entities: Iterable[str],
        vector: NDArray[np.floating] | None,
    ) -> str:
        context, node = self._context, self._context.new_id()
        seq = insert(
            context.store,
            "nodes",
            id=node,
            persona=context.persona,
            scope=context.scope.key,
            known_at=known,
            first_known_at=known,
            recorded_at=context.now(),
            import_id=context.import_id,
            **columns,
        )
        self._sources.add(node, sources)
        text = str(columns["text"])
        link_node(context, node, text, entities)
        self._search.index_node(seq, text)
        if vector is not None:
            self._vectors.put_node(seq, vector)
        return node

    def _count(self, node: str, source: Source, at: int) -> Node:
        if self._sources.add(node, [source]):
            self._context.store.run(
                "UPDATE nodes SET mentions = mentions + 1,"
                " known_at = CASE WHEN known_at < ? THEN ? ELSE known_at END WHERE id = ?",
                (at, at, node),
            )
        return self.get(node)

    def _restate(self, old: Node, source: Source, at: int, standing: str) -> Node:
        """Store an old fact anew, between the one that stood and whatever took that one's place later."""
        store = self._context.store
        by, until = store.row("SELECT superseded_by, superseded_at FROM nodes WHERE id = ?", (standing,)) or (
            None,
            None,
        )
        new = NewNode(
            *(old.text, old.kind, old.subject, old.about, old.attribute, old.impact, old.emotions, old.tags),
            due_on=old.due_on,
            status=old.status,
            confidence=old.confidence,
            pinned=old.pinned,
            origin=old.origin,
            sources=(source,),
        )
        given = [
            e
            for (e,) in store.rows("SELECT entity FROM node_entities WHERE node = ? AND given = 1", (old.id,))
        ]
        node = self._insert(checks.columns_of(new, self._context.scope), at, [source], given, None)
        store.run(
            "INSERT INTO node_vectors (embedder, node, vector) SELECT v.embedder, fresh.seq, v.vector"
            " FROM node_vectors AS v JOIN nodes AS old ON old.seq = v.node"
            " JOIN nodes AS fresh ON fresh.id = ? WHERE old.id = ?",
            (node, old.id),
        )
        self._chains.link(standing, node, at)
        if by is not None:
            self._chains.link(node, by, until)
        return self.get(node)

    def _update(self, node: str, columns: dict[str, Value]) -> None:
        names = ", ".join(f"{name} = ?" for name in columns)
        self._context.store.run(f"UPDATE nodes SET {names} WHERE id = ?", (*columns.values(), node))

    def _own(self, scope: str, node: str) -> None:
        if scope != self._context.scope.key:
            raise InputError(
                f"Node {node!r} belongs to {scope}, and this is {self._context.scope.key}. Open that scope."
            )
