"""Columns that grow: NumPy arrays with room to spare, so that adding a memory copies nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import Vectors

NEVER = np.iinfo(np.int64).max
_DEFAULTS: dict[str, tuple[Any, Any]] = {
    "seq": (np.int64, 0),
    "kind": (np.int8, 0),
    "alive": (np.bool_, True),
    "known_at": (np.int64, 0),
    "recorded_at": (np.int64, 0),
    "happened_at": (np.int64, 0),
    "superseded_at": (np.int64, NEVER),
    "superseded_recorded_at": (np.int64, NEVER),
    "impact": (np.float64, 0),
    "tags": (np.int8, 0),
    "words": (np.int32, 0),
    "han": (np.bool_, False),
    "timed": (np.bool_, False),
    "has_vector": (np.bool_, False),
    "length": (np.float32, 0),
    "closeness": (np.float64, 1),
    "session": (np.int32, -1),
    "speaker": (np.int32, -1),
    "previous": (np.int32, -1),
    "following": (np.int32, -1),
}


class Columns:
    """One row a memory, one array a property; each property reads as an array of length n.

    Attributes
    ----------
    seq : row of the table of messages or nodes
    kind : index into `KINDS`
    alive : false once a row has been replaced or deleted
    known_at, recorded_at, happened_at, superseded_at, superseded_recorded_at : stored times; `NEVER` for none
    impact : the factor, 0 to 1; of a message its estimate
    tags : number of relational tags
    words : content words
    han, has_vector : flags
    timed : whether a message holds words of time
    length : content words with what the neighbours lend, for BM25
    closeness : how much a row takes part in borrowing
    session : number of a message's session; -1 for nodes
    speaker : number of the name of who said it; -1 for nodes, and where no name is given
    previous, following : rows of the neighbours in the session, -1 for none
    matrix : vectors, shape (n, dim); zeros where a memory waits for its own
    """

    seq: NDArray[np.int64]
    kind: NDArray[np.int8]
    alive: NDArray[np.bool_]
    known_at: NDArray[np.int64]
    recorded_at: NDArray[np.int64]
    happened_at: NDArray[np.int64]
    superseded_at: NDArray[np.int64]
    superseded_recorded_at: NDArray[np.int64]
    impact: NDArray[np.float64]
    tags: NDArray[np.int8]
    words: NDArray[np.int32]
    han: NDArray[np.bool_]
    timed: NDArray[np.bool_]
    has_vector: NDArray[np.bool_]
    length: NDArray[np.float32]
    closeness: NDArray[np.float64]
    session: NDArray[np.int32]
    speaker: NDArray[np.int32]
    previous: NDArray[np.int32]
    following: NDArray[np.int32]
    matrix: Vectors

    def __init__(self, dim: int, room: int) -> None:
        self._size = 0
        self._room = max(room, 16)
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.full(self._room, default, kind) for name, (kind, default) in _DEFAULTS.items()
        }
        self._arrays["matrix"] = np.zeros((self._room, dim), np.float32)
        self._publish()

    def __len__(self) -> int:
        return self._size

    def _publish(self) -> None:
        for name, values in self._arrays.items():
            setattr(self, name, values[: self._size])

    def append(self, count: int) -> int:
        """Add `count` rows of default values; gives the first one's number."""
        first = self._size
        self._size += count
        if self._size > self._room:
            self._room = max(self._size, self._room * 3 // 2)
            for name, values in self._arrays.items():
                default = _DEFAULTS[name][1] if name in _DEFAULTS else 0
                grown = np.full((self._room, *values.shape[1:]), default, values.dtype)
                grown[:first] = values[:first]
                self._arrays[name] = grown
        self._publish()
        return first
