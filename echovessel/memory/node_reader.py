"""Reading L3 and L4."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterable
from datetime import date, datetime

from echovessel.clock import to_micros
from echovessel.errors import InputError, NotFoundError
from echovessel.memory import node_checks as checks
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.node_queries import LATEST, SOONEST_DUE, Query
from echovessel.memory.node_rows import COLUMNS, nodes_of
from echovessel.memory.records import NewNode, Node, NodeKind, NodeStatus, Origin, Subject
from echovessel.memory.sources import Sources
from echovessel.memory.supersession import Chains, FactKey
from echovessel.text import fold


class NodeReader:
    """What a scope may read of events, thoughts, intentions and expectations."""

    def __init__(self, context: Context, directory: Entities) -> None:
        self._context = context
        self._directory = directory
        self._chains = Chains(context)
        self._sources = Sources(context)

    def get(self, node: str) -> Node:
        """The node of that id.

        Raises
        ------
        NotFoundError
            No such node here.
        """
        rows = Query(self._context).where("n.id = ?", node).rows(COLUMNS)
        if not rows:
            raise self._unknown(node)
        return nodes_of(self._context, rows)[0]

    def list(
        self,
        *,
        kinds: Iterable[NodeKind] | None = None,
        subject: Subject | None = None,
        attribute: str | None = None,
        entity: str | None = None,
        status: NodeStatus | None = None,
        pinned: bool | None = None,
        origin: Origin | None = None,
        recorded_after: datetime | None = None,
        occurred: tuple[date, date] | None = None,
        as_of: datetime | None = None,
        recorded_as_of: datetime | None = None,
        include_superseded: bool = False,
        soonest_due: bool = False,
        limit: int | None = None,
    ) -> builtins.list[Node]:
        """Memories that may be read from here, the latest known first.

        Parameters
        ----------
        entity : str, optional
            Only those linked to this entity, or to one merged with it.
        origin : Origin, optional
            Only those written so.
        recorded_after : datetime, optional
            Only those that came into the file later than this.
        occurred : (date, date), optional
            Only those that began to happen between these days, both included.
        as_of : datetime, optional
            What was known then: said by then, and not yet superseded.
        recorded_as_of : datetime, optional
            What the file held then, for audits.
        include_superseded : bool
            With the past as well.
        soonest_due : bool
            In the order of `due_on` instead, those without a day last.

        Raises
        ------
        InputError
            A time without a zone, an unknown kind or status, or a limit below 1.
        """
        query = Query(self._context).known(as_of, recorded_as_of, include_superseded=include_superseded)
        if kinds is not None:
            query.among("n.kind", [checks.member(NodeKind, kind, "kind") for kind in kinds])
        if subject is not None:
            query.where("n.subject = ?", checks.member(Subject, subject, "subject"))
        if attribute is not None:
            query.where("n.attribute = ?", checks.attribute_key(attribute))
        if status is not None:
            query.where("n.status = ?", checks.member(NodeStatus, status, "status"))
        if pinned is not None:
            query.where("n.pinned = ?", int(pinned))
        if origin is not None:
            query.where("n.origin = ?", checks.member(Origin, origin, "origin"))
        if recorded_after is not None:
            query.where("n.recorded_at > ?", to_micros(recorded_after))
        if occurred is not None:
            query.where("n.occurred_from >= ?", occurred[0].isoformat())
            query.where("n.occurred_from <= ?", occurred[1].isoformat())
        if entity is not None:
            members = self._directory.members({self._directory.root(self._directory.get(entity).id)})
            query.where(
                "EXISTS (SELECT 1 FROM node_entities AS e WHERE e.node = n.id"
                " AND e.entity IN (SELECT value FROM json_each(?)))",
                json.dumps(sorted(members)),
            )
        with self._context.store.read():
            order = SOONEST_DUE if soonest_due else LATEST
            return nodes_of(self._context, query.rows(COLUMNS, limit=limit, order=order))

    def conflicting(self, new: NewNode) -> builtins.list[Node]:
        """Live facts that a new one contradicts, the oldest first: what may be given as `supersedes`.

        Same scope, kind, subject, attribute and `about`, another text, and known no later.
        """
        attribute = checks.attribute_key(new.attribute)
        with self._context.store.read():
            known = self._known_at(
                new.known_at, [at for _, at in self._sources.checked(new.sources, self._context.scope)]
            )
            key, text = self._key(new), fold(checks.written(new.text))
            return [
                self.get(fact.id)
                for fact in self._chains.live(str(new.subject), attribute)
                if fact.key == key and fact.known_at <= known and fold(fact.text) != text
            ]

    def derived_from(self, source: str) -> builtins.list[Node]:
        """Nodes that rest directly on a node or message, the latest known first."""
        query = Query(self._context).where(
            "EXISTS (SELECT 1 FROM node_sources AS s"
            " WHERE s.node = n.id AND (s.message = ? OR s.source_node = ?))",
            source,
            source,
        )
        with self._context.store.read():
            return nodes_of(self._context, query.rows(COLUMNS))

    def history(self, node: str) -> builtins.list[Node]:
        """What a fact was, is and became: every node of its chain, the oldest first."""
        with self._context.store.read():
            self.get(node)
            query = Query(self._context).among("n.id", self._chains.family(node))
            return nodes_of(self._context, query.rows(COLUMNS))[::-1]

    def _known_at(self, asked: datetime | None, sources: Iterable[int]) -> int:
        latest = max(sources, default=None)
        if asked is None:
            return self._context.now() if latest is None else latest
        known = to_micros(asked)
        if latest is not None and known < latest:
            raise InputError(f"known_at ({asked.isoformat()}) lies before the latest source. Leave it out.")
        return known

    def _key(self, new: NewNode) -> FactKey:
        attribute = checks.attribute_key(new.attribute)
        return self._chains.key(new.kind, new.subject, attribute, new.about, self._context.scope.key)

    def _unknown(self, node: str) -> NotFoundError:
        return NotFoundError(f"No node {node!r} in {' or '.join(self._context.readable)}.")
