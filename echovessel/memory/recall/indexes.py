"""The hot indexes of one file: made when first needed, in step with every write, the least used let go."""

from __future__ import annotations

import threading
from collections import OrderedDict

from echovessel.memory.context import Context
from echovessel.memory.personas import Personas
from echovessel.memory.recall.index import HotIndex
from echovessel.memory.records import Scope
from echovessel.memory.vectors import Vectors

KEPT = 64  # scopes held in memory at once


class Indexes:
    """The hot indexes of a file, one for each persona and scope.

    Attributes
    ----------
    lock : RLock
        Held during a recall: an index must not move under its reader.
    """

    def __init__(self) -> None:
        # Beside each index: the state of the file it stands for, and, where that lies inside a write that may yet
        # be undone, how many had been undone before.
        self._held: OrderedDict[tuple[str, str], tuple[HotIndex, tuple[int, int], int | None]] = OrderedDict()
        self.lock = threading.RLock()

    def of(self, context: Context, scope: str, vectors: Vectors) -> HotIndex:
        """The index of a scope, in step with the file."""
        key = (context.persona, scope)
        store = context.store
        state = (store.data_version, store.total_changes)
        index, seen, undone = self._held.pop(key, (None, None, None))
        if undone not in (None, store.rollbacks):
            index = None  # it may hold what was never kept
        if index is None or seen != state:
            index = self._in_step(index, context, scope, vectors)
        self._held[key] = index, state, store.rollbacks if store.writing else None
        while len(self._held) > KEPT:
            self._held.popitem(last=False)
        return index

    @staticmethod
    def _in_step(index: HotIndex | None, context: Context, scope: str, vectors: Vectors) -> HotIndex:
        embedder = vectors.active_id
        zone_name = Personas(context).zone_of(Scope.parse(scope))
        if index is None or (index.embedder, index.zone_name) != (embedder, zone_name):
            identity = vectors.identity()
            dim = identity.dim if identity else 1
            return HotIndex(
                context.store, context.persona, scope, embedder=embedder, dim=dim, zone_name=zone_name
            )
        index.refresh()
        return index
