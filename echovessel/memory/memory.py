"""Memory: the six layers of one persona, seen from one scope."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import Clock, SystemClock
from echovessel.embedding import EmbedderIdentity
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker, checked_name
from echovessel.memory.messages import Messages
from echovessel.memory.moods import Moods
from echovessel.memory.nodes import Nodes
from echovessel.memory.personas import Personas
from echovessel.memory.records import Entity, Message, NewMessage, NewNode, Node, NodeKind, Scope
from echovessel.memory.search import Search
from echovessel.memory.sessions import Sessions
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
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.core = CoreBlocks(context)
        self.sessions = Sessions(context)
        self.directory = Entities(context)
        self.log = Messages(context, self.sessions, self.directory)
        self.nodes = Nodes(context, self.directory)
        self.moods = Moods(context)
        self.search = Search(context)
        self.vectors = Vectors(context)
        self.personas = Personas(context)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        persona: str,
        scope: Scope | None = None,
        embedder: EmbedderIdentity | None = None,
        clock: Clock | None = None,
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
        context = Context(store, checked_name(persona, "persona"), scope or Scope.shared(), clock or SystemClock(), IdMaker())
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
        return type(self)(self.context.within(scope))

    def close(self) -> None:
        """Close the file, for every handle that shares it."""
        self.context.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
