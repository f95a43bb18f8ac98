"""Vectors of messages and nodes: whose they are, which are missing, and the nearest ones by SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import to_micros
from echovessel.embedding import EmbedderIdentity
from echovessel.errors import EmbedderMismatch, InputError, StoreError
from echovessel.memory.context import Context
from echovessel.memory.embedders import active_embedder, embedder_id, register, shown
from echovessel.memory.records import NodeKind

NORM_TOLERANCE = 1e-3


class Layer(StrEnum):
    """What a vector belongs to."""

    MESSAGE = "message"
    NODE = "node"


_TABLES = {Layer.MESSAGE: ("messages", "message_vectors"), Layer.NODE: ("nodes", "node_vectors")}


@dataclass(frozen=True, slots=True)
class Pending:
    """A text that waits for its vector.

    Attributes
    ----------
    seq : int
        Its row in `messages` or `nodes`.
    text : str
        As it is stored, to tell whether it has changed meanwhile.
    passage : str
        What the embedder is given: in a talk of several the speaker's name comes first, because what one
        says of oneself names one nowhere else.
    """

    layer: Layer
    seq: int
    text: str
    passage: str


@dataclass(frozen=True, slots=True)
class Near:
    """A neighbour of a vector; `cosine` in -1..1."""

    layer: Layer
    seq: int
    id: str
    cosine: float


class Vectors:
    """Unit vectors as float32, little-endian, in rows beside their texts."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._empty_at: tuple[int, int, int] | None = None

    def adopt(self, identity: EmbedderIdentity) -> None:
        """Take on an embedder in a new file, or check that an old one holds its vectors.

        A calibration measured anew is stored; it touches no vector.

        Raises
        ------
        EmbedderMismatch
            The vectors in the file were made by another one.
        """
        store = self._context.store
        if self.identity() == identity:
            return
        with store.write():
            found = self.identity()
            if found is not None:
                self.check(identity)
            register(self._context, identity)
            if found is None:
                store.run(
                    "UPDATE embedders SET active = 1 WHERE id = ?", (embedder_id(self._context, identity),)
                )

    def check(self, identity: EmbedderIdentity) -> None:
        """Refuse another embedder than the one whose vectors the file holds.

        A worker checks before each batch, because `reembed` in another process may have switched meanwhile.

        Raises
        ------
        EmbedderMismatch
            As it says.
        """
        found = self.identity()
        if found is not None and not found.same_vectors(identity):
            path = self._context.store.path
            raise EmbedderMismatch(
                f"{path} holds vectors of {shown(found)}, but the embedder is {shown(identity)}. "
                f'Run `echovessel reembed {quote(path)}` to convert it, or set embedder = "{found.name}".'
            )

    def identity(self) -> EmbedderIdentity | None:
        """Who makes the vectors; None while nobody has."""
        return active_embedder(self._context)

    @property
    def active_id(self) -> int | None:
        """The row of the active embedder; None while there is none."""
        found: int | None = self._context.store.value("SELECT id FROM embedders WHERE active = 1")
        return found

    def pending(self, limit: int = 256, *, embedder: int | None = None) -> list[Pending]:
        """Texts without a vector of an embedder (the active one), oldest first, of the whole file.

        The queue is the absence of the vector, so it survives a kill. It covers every persona and scope,
        because one worker serves the file; nothing of it may reach a prompt.
        """
        store = self._context.store
        active = self.active_id if embedder is None else embedder
        if active is None or limit < 1:
            return []
        seen = (active, store.data_version, store.total_changes)
        if seen == self._empty_at:
            return []
        found: list[Pending] = []
        for layer in Layer:
            speaker = (
                "CASE t.sender WHEN 'other' THEN t.sender_name ELSE '' END"
                if layer is Layer.MESSAGE
                else "''"
            )
            rows = store.rows(
                f"SELECT t.seq, t.text, {speaker} {_missing(layer)} ORDER BY t.seq LIMIT ?",
                (active, limit - len(found)),
            )
            found += [Pending(layer, seq, text, passage(text, name)) for seq, text, name in rows]
        if not found:
            self._empty_at = seen
        return found

    def pending_count(self, *, embedder: int | None = None) -> int:
        """How many texts wait."""
        active = self.active_id if embedder is None else embedder
        if active is None:
            return 0
        return sum(
            self._context.store.value(f"SELECT count(*) {_missing(layer)}", (active,)) for layer in Layer
        )

    def fill(
        self, texts: Sequence[Pending], vectors: NDArray[np.floating], *, embedder: int | None = None
    ) -> int:
        """Store the vectors of a pending batch, in one transaction.

        Texts edited, deleted or forgotten since they were read are passed over, so that no vector of an old
        text is ever kept.

        Parameters
        ----------
        texts : sequence of Pending
            As `pending` gave them.
        vectors : array of shape (len(texts), dim)
            Unit vectors.

        Returns
        -------
        How many were stored.

        Raises
        ------
        InputError
            Another shape, or a vector that is no unit vector.
        """
        if len(texts) != len(vectors):
            raise InputError(f"{len(texts)} texts need as many vectors, found {len(vectors)}.")
        store, stored = self._context.store, 0
        with store.write():
            owner, dim = self._owner(embedder)
            packed = [pack(vector, dim) for vector in vectors]
            for text, blob in zip(texts, packed, strict=True):
                table, kept = _TABLES[text.layer]
                store.run(f"DELETE FROM {kept} WHERE embedder = ? AND {text.layer} = ?", (owner, text.seq))
                stored += store.run(
                    f"INSERT INTO {kept} (embedder, {text.layer}, vector)"
                    f" SELECT ?, seq, ? FROM {table} WHERE seq = ? AND text = ?",
                    (owner, blob, text.seq, text.text),
                )
        return stored

    def put_message(self, seq: int, vector: NDArray[np.floating]) -> None:
        """The vector of a message just written; inside the writer's transaction."""
        self._put(Layer.MESSAGE, [(seq, vector)])

    def put_messages(self, vectors: Iterable[tuple[int, NDArray[np.floating]]]) -> None:
        """The same for many."""
        self._put(Layer.MESSAGE, vectors)

    def put_node(self, seq: int, vector: NDArray[np.floating]) -> None:
        """The vector of a node just written; inside the writer's transaction."""
        self._put(Layer.NODE, [(seq, vector)])

    def nearest(
        self,
        vector: NDArray[np.floating],
        k: int,
        *,
        layers: Iterable[Layer] = tuple(Layer),
        kinds: Iterable[NodeKind] | None = None,
        as_of: datetime | None = None,
        include_superseded: bool = False,
    ) -> list[Near]:
        """The k nearest by cosine, exact, without anything held in memory: the cold path.

        Scope, time, kind and what is deleted or superseded are filtered before the cut.

        Parameters
        ----------
        vector : array of shape (dim,)
            A unit vector of the active embedder.
        k : int
            At most so many over all layers; 1 or more.
        layers : iterable of Layer
            Messages, nodes or both.
        kinds : iterable of NodeKind, optional
            Nodes of these kinds only.
        as_of : datetime, optional
            What was known then.
        include_superseded : bool
            Also facts that another one has replaced.
        """
        if k < 1:
            raise InputError(f"k must be 1 or more, found {k}.")
        owner, dim = self._owner(None)
        query = pack(vector, dim)
        moment = None if as_of is None else to_micros(as_of)
        found: list[Near] = []
        for layer in map(Layer, layers):
            table, kept = _TABLES[layer]
            where, values = self._filters(layer, moment, kinds, include_superseded=include_superseded)
            rows = self._context.store.rows(
                f"SELECT t.seq, t.id, vec_distance_cosine(v.vector, ?) AS distance FROM {table} t"
                f" JOIN {kept} v ON v.{layer} = t.seq AND v.embedder = ?"
                f" WHERE {where} ORDER BY distance, t.seq LIMIT ?",
                (query, owner, *values, k),
            )
            found += [Near(layer, seq, ident, 1.0 - distance) for seq, ident, distance in rows]
        return sorted(found, key=lambda near: (-near.cosine, near.layer, near.seq))[:k]

    def _filters(
        self, layer: Layer, moment: int | None, kinds: Iterable[NodeKind] | None, *, include_superseded: bool
    ) -> tuple[str, list[str | int]]:
        scopes = self._context.readable
        where = f"t.persona = ? AND t.scope IN ({', '.join('?' * len(scopes))})"
        values: list[str | int] = [self._context.persona, *scopes]
        if layer is Layer.MESSAGE:
            where += " AND t.deleted_at IS NULL"
            return (where, values) if moment is None else (f"{where} AND t.sent_at <= ?", [*values, moment])
        if kinds is not None:
            wanted = [str(NodeKind(kind)) for kind in kinds]
            where, values = f"{where} AND t.kind IN ({', '.join('?' * len(wanted))})", [*values, *wanted]
        if moment is not None:
            where, values = f"{where} AND t.first_known_at <= ?", [*values, moment]
        if not include_superseded:
            where += " AND (t.superseded_at IS NULL" + (")" if moment is None else " OR t.superseded_at > ?)")
            values = values if moment is None else [*values, moment]
        return where, values

    def _owner(self, embedder: int | None) -> tuple[int, int]:
        chosen, value = ("active = 1", ()) if embedder is None else ("id = ?", (embedder,))
        row = self._context.store.row(f"SELECT id, dim FROM embedders WHERE {chosen}", value)
        if row is None:
            raise StoreError(
                f"{self._context.store.path} has no embedder yet. Name one: Memory.open(embedder=...)."
            )
        return row[0], row[1]

    def _put(self, layer: Layer, vectors: Iterable[tuple[int, NDArray[np.floating]]]) -> None:
        owner, dim = self._owner(None)
        table = _TABLES[layer][1]
        rows = [(owner, seq, pack(vector, dim)) for seq, vector in vectors]
        self._context.store.run_many(
            f"DELETE FROM {table} WHERE embedder = ? AND {layer} = ?", [row[:2] for row in rows]
        )
        self._context.store.run_many(
            f"INSERT INTO {table} (embedder, {layer}, vector) VALUES (?, ?, ?)", rows
        )


def passage(text: str, speaker: str = "") -> str:
    """What the embedder is given of a text: with the speaker's name in a talk of several."""
    return f"{speaker}: {text}" if speaker else text


def pack(vector: NDArray[np.floating], dim: int) -> bytes:
    """A unit vector as it is stored.

    Raises
    ------
    InputError
        Another shape than (dim,), NaN or infinity in it, or a length other than 1.
    """
    array = np.asarray(vector, dtype="<f4")
    if array.shape != (dim,):
        raise InputError(
            f"a vector must have shape ({dim},), found {array.shape}. Is it from the file's own embedder?"
        )
    norm = float(np.linalg.norm(array))
    if not abs(norm - 1.0) <= NORM_TOLERANCE:  # also true of NaN
        raise InputError(f"a vector must have length 1, found {norm:.4g}. Divide it by its length.")
    return array.tobytes()


def _missing(layer: Layer) -> str:
    table, kept = _TABLES[layer]
    alive = "t.deleted_at IS NULL AND " if layer is Layer.MESSAGE else ""
    return (
        f"FROM {table} t WHERE {alive}t.text <> '' AND NOT EXISTS"
        f" (SELECT 1 FROM {kept} v WHERE v.embedder = ? AND v.{layer} = t.seq)"
    )
