"""Memory: the six layers of one persona, seen from one scope."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import Clock, SystemClock
from echovessel.embedding import EmbedderIdentity
from echovessel.errors import InputError
from echovessel.memory import frames
from echovessel.memory.access import Access
from echovessel.memory.calls import Calls
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.cycles import Cycles
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.forget import Derived, Forget
from echovessel.memory.ids import IdMaker, checked_name
from echovessel.memory.imports import Imports
from echovessel.memory.messages import Messages
from echovessel.memory.moods import Moods
from echovessel.memory.nodes import Nodes
from echovessel.memory.notices import Notices
from echovessel.memory.personas import Personas
from echovessel.memory.recall import Recall, Recaller, Weights
from echovessel.memory.recall.indexes import Indexes
from echovessel.memory.records import Entity, Forgotten, NewNode, Node, NodeKind, Scope
from echovessel.memory.search import Search
from echovessel.memory.sessions import Sessions
from echovessel.memory.shown import Shown
from echovessel.memory.stages import Stages
from echovessel.memory.targets import Target
from echovessel.memory.tokens import Tokens
from echovessel.memory.traces import Traces
from echovessel.memory.vectors import Vectors

if TYPE_CHECKING:
    import polars as pl


class Memory:
    """The six layers of one persona, as one talk may read them: shared plus one user or one group.

    Text goes in and comes out; vectors come from outside, made by the embedder whose identity the file holds.

    Attributes
    ----------
    core : CoreBlocks
        L1, who the persona is.
    log : Messages
        L2, what was said word for word.
    sessions : Sessions
        The stretches of talk that L2 falls into.
    nodes : Nodes
        L3 and L4: events, thoughts, intentions, expectations.
    directory : Entities
        L5, third parties and their names.
    moods : Moods
        L6.
    search : Search
        Plain full-text search over L2 to L4.
    vectors : Vectors
        Vectors, their queue, and the embedder they are from.
    personas : Personas
        Personas and the people they talk with.
    imports : Imports
        Where rows came from, and how to take an import back whole.
    access : Access
        How often each memory was recalled; ranking never looks here.
    shown : Shown
        How often each thought was brought up.
    notices : Notices
        What is said once.
    calls : Calls
        What calls of language models cost.
    traces : Traces
        Turns kept step by step, on demand.
    stages : Stages
        How far the consolidation of each session has come.
    cycles : Cycles
        The audit of reflections and slow ticks.
    tokens : Tokens
        Who may ask from another machine.
    """

    def __init__(self, context: Context, *, indexes: Indexes | None = None) -> None:
        self.context = context
        self._indexes = indexes or Indexes()
        self.core = CoreBlocks(context)
        self.sessions = Sessions(context)
        self.directory = Entities(context)
        self.log = Messages(context, self.sessions, self.directory)
        self.nodes = Nodes(context, self.directory)
        self.moods = Moods(context)
        self.search = Search(context)
        self.vectors = Vectors(context)
        self.personas = Personas(context)
        self.imports = Imports(context)
        self.access = Access(context)
        self.shown = Shown(context)
        self.notices = Notices(context)
        self.calls = Calls(context)
        self.traces = Traces(context)
        self.stages = Stages(context)
        self.cycles = Cycles(context)
        self.tokens = Tokens(context)
        self._recaller = Recaller(context, self.directory, self.log, self.vectors, self._indexes)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        persona: str,
        scope: Scope | None = None,
        embedder: EmbedderIdentity | None = None,
        clock: Clock | None = None,
        zone: str | None = None,
        create: bool = True,
    ) -> Memory:
        """Open the memory file, or make it.

        Parameters
        ----------
        path : path
            The file, or ``":memory:"``.
        persona : str
            Whose memory. Made when the file doesn't know it yet, unless `create` is false.
        scope : Scope, optional
            What the talk may read besides `shared`; `shared` alone when left out.
        embedder : EmbedderIdentity, optional
            Who makes the vectors. A new file takes it on; an old one must hold the same.
        zone : str, optional
            Where days are counted when neither user, group nor persona has a zone of its own; the machine's when
            left out.

        Raises
        ------
        StoreError
            The file can't be used as it is.
        EmbedderMismatch
            Its vectors were made by another embedder.
        NotFoundError
            No such persona, and `create` is false.
        """
        store = Store(path)
        context = Context(
            store,
            checked_name(persona, "persona"),
            scope or Scope.shared(),
            clock or SystemClock(),
            IdMaker(),
            zone=zone,
        )
        try:
            memory = cls(context)
            memory.personas.require(create=create)
            if embedder is not None:
                memory.vectors.adopt(embedder)
        except BaseException:
            store.close()
            raise
        return memory

    def within(self, scope: Scope) -> Memory:
        """The same persona, seen from another scope; shares the open file."""
        return type(self)(self.context.within(scope), indexes=self._indexes)

    def recall(
        self,
        query: str,
        *,
        vector: NDArray[np.floating] | None = None,
        weights: Weights | None = None,
        k: int = 10,
        now: datetime | None = None,
        as_of: datetime | None = None,
        recorded_as_of: datetime | None = None,
        include_superseded: bool = False,
        exclude: Collection[str] = (),
    ) -> Recall:
        """Recall what the persona would remember about this.

        Parameters
        ----------
        query : str
            What is asked or said; a burst of messages is joined by line breaks.
        vector : array of shape (dim,), optional
            Its unit vector from the file's embedder; without one the words alone decide.
        weights : Weights, optional
            The shipped default when left out.
        k : int
            At most so many hits; 1 or more.
        now : datetime, optional
            From when ages are counted; `as_of`, else the clock's time, when left out.
        as_of : datetime, optional
            Recall what was known then.
        recorded_as_of : datetime, optional
            Recall what was in the file then.
        include_superseded : bool
            Also memories that a newer one has replaced.
        exclude : collection of str
            Messages and nodes that are in the prompt already.

        Raises
        ------
        InputError
            An empty query, k below 1, a time without a zone, or a vector of another length than the file's.
        """
        return self._recaller.recall(
            query,
            vector=vector,
            weights=weights,
            k=k,
            now=now,
            as_of=as_of,
            recorded_as_of=recorded_as_of,
            include_superseded=include_superseded,
            exclude=exclude,
        )

    def forget(
        self, target: Target, *, dry_run: bool = False, derived: Derived = "drop", tombstones: bool = True
    ) -> Forgotten:
        """Forget for good: the text is afterwards in no table, index, log or free page. See `Forget.forget`."""
        return Forget(self.context).forget(target, dry_run=dry_run, derived=derived, tombstones=tombstones)

    def events(self, *, include_superseded: bool = False) -> pl.DataFrame:
        """L3 as a polars frame, the latest known first; columns as in `echovessel.memory.frames`."""
        return self._frame([NodeKind.EVENT], include_superseded=include_superseded)

    def thoughts(self, *, include_superseded: bool = False) -> pl.DataFrame:
        """L4 as a polars frame: thoughts, intentions and expectations, the latest known first."""
        kinds = [kind for kind in NodeKind if kind is not NodeKind.EVENT]
        return self._frame(kinds, include_superseded=include_superseded)

    def messages(self) -> pl.DataFrame:
        """L2 as a polars frame, in order."""
        return frames.messages(self.log.between())

    def entities(self) -> pl.DataFrame:
        """L5 as a polars frame, the oldest first."""
        return frames.entities(self.directory.list())

    def _frame(self, kinds: Sequence[NodeKind], *, include_superseded: bool) -> pl.DataFrame:
        return frames.nodes(self.nodes.list(kinds=kinds, include_superseded=include_superseded))

    def add_event(
        self,
        text: str,
        *,
        entities: Iterable[str] = (),
        occurred: str | date | None = None,
        vector: NDArray[np.floating] | None = None,
        **fields: Any,
    ) -> Node:
        """Write an event by hand.

        Parameters
        ----------
        text : str
            One fact, in the third person.
        entities : iterable of str
            Names of those it is about; each is looked up, or added to the directory.
        occurred : date or str, optional
            The day it happened; ``2026-03-02`` as text.
        vector : array of shape (dim,), optional
        **fields
            Further fields of `NewNode`.
        """
        day = _day(occurred)
        draft = NewNode(text, kind=NodeKind.EVENT, **({"occurred_from": day, "occurred_to": day} | fields))
        with self.context.store.write():
            linked = tuple(dict.fromkeys(self._entity(name).id for name in entities))
            return self.nodes.add(replace(draft, entities=(*draft.entities, *linked)), vector=vector)

    def add_alias(self, name: str, alias: str) -> Entity:
        """Let somebody known as `name` also be found as `alias`."""
        with self.context.store.write():
            return self.directory.add_alias(self._entity(name).id, alias)

    def _entity(self, name: str) -> Entity:
        """Whom a name written by hand means; a new entity when nobody goes by it.

        Raises
        ------
        InputError
            Several go by that name.
        """
        found = self.directory.find(name)
        if len(found) > 1:
            ids = ", ".join(entity.id for entity in found)
            raise InputError(
                f"{len(found)} entities go by {name!r} ({ids}). Link by id: entities=... of NewNode."
            )
        return found[0] if found else self.directory.add(name)

    def close(self) -> None:
        """Close the file, for every handle that shares it."""
        self.context.store.close()

    def _repr_html_(self) -> str:
        from echovessel.memory.display import memory_html

        return memory_html(self)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _day(day: str | date | None) -> date | None:
    if isinstance(day, str):
        try:
            return date.fromisoformat(day)
        except ValueError as error:
            raise InputError(f"{day!r} is no date. Write it as 2026-03-02.") from error
    return day
