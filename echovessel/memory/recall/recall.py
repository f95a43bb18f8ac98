"""Recall itself: gather what may bear on a query, gate it, score it, and say why."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import from_micros
from echovessel.embedding import Calibration, Logit
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.messages import Messages
from echovessel.memory.recall.analyser import terms
from echovessel.memory.recall.factors import FACTORS, entity_anchor
from echovessel.memory.recall.factors.relevance import logits
from echovessel.memory.recall.fitting import asks_when
from echovessel.memory.recall.index import HotIndex
from echovessel.memory.recall.indexes import Indexes
from echovessel.memory.recall.lexical import lexical
from echovessel.memory.recall.pool import Moments, Pool, Side, pooled
from echovessel.memory.recall.result import Dropped, Factors, Hit, Memo, Recall
from echovessel.memory.recall.score import contributions
from echovessel.memory.recall.selection import Picked, select
from echovessel.memory.recall.weights import KINDS, Weights
from echovessel.memory.vectors import Vectors, pack
from echovessel.text import clean, language_of

DROPPED_SHOWN = 20
# For a file without an embedder: a memory that holds a third of the query's words passes a gate of 0.4.
LEXICAL_ONLY = Calibration(Logit(-3.0, 0.0, 8.0), source="set by hand; used only where there are no vectors")


class Recaller:
    """Recall over the scopes that a context may read."""

    def __init__(
        self, context: Context, directory: Entities, log: Messages, vectors: Vectors, indexes: Indexes
    ) -> None:
        self._context = context
        self._directory = directory
        self._log = log
        self._vectors = vectors
        self._indexes = indexes

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
        """See `Memory.recall`."""
        text = _checked(query, k)
        weights = weights or Weights.default()
        moments = Moments.of(now, as_of, recorded_as_of, self._context.clock.now())
        timings: dict[str, float] = {}
        with self._indexes.lock, self._context.store.read():
            with _timed(timings, "names"):
                anchors = sorted(self._directory.mentioned(text))
                members = self._directory.members(anchors)
            with _timed(timings, "index"):
                indexes = [
                    self._indexes.of(self._context, scope, self._vectors) for scope in self._context.readable
                ]
                identity = self._vectors.identity()
                visible = [moments.visible(index) for index in indexes]
            with _timed(timings, "lexical"):
                words = lexical(text, indexes, visible)
            with _timed(timings, "dense"):
                calibration = identity.calibration if identity else LEXICAL_ONLY
                query_vector = None if vector is None or identity is None else _unpacked(vector, identity.dim)
                cosines = [_cosine(index, query_vector, calibration.unrelated) for index in indexes]
            with _timed(timings, "score"):
                language = language_of(text)
                asked, when = set(terms(text)), weights.when_asked if asks_when(text) else 0.0
                sides = [
                    Side(
                        index,
                        mask,
                        moments.superseded(index),
                        cosine,
                        lex,
                        _logits(index, cosine, lex, calibration, language, weights.blend, when),
                        entity_anchor(
                            len(index),
                            index.linked(members),
                            index.said_by(asked, mask) if weights.speaker_anchor else None,
                            speaker=weights.speaker_anchor,
                        ),
                    )
                    for index, mask, cosine, lex in zip(indexes, visible, cosines, words, strict=True)
                ]
                pool = pooled(
                    sides, weights, moments, include_superseded=include_superseded, dropped=DROPPED_SHOWN
                )
            with _timed(timings, "select"):
                picked = select(
                    pool, weights, k, exclude=exclude, sources_of=self._sources, dropped=DROPPED_SHOWN
                )
            with _timed(timings, "explain"):
                memos = self._memos([*picked.hits, *(at for at, _ in picked.dropped)], pool, picked, weights)
        hits = tuple(
            Hit(**_fields(memos[at]), rank=rank, folded=tuple(picked.folded.get(at, ())))
            for rank, at in enumerate(picked.hits, start=1)
        )
        return Recall(
            query=text,
            k=k,
            weights=weights,
            now=from_micros(moments.now),
            as_of=as_of,
            hits=hits,
            dropped=tuple(Dropped(**_fields(memos[at]), rule=rule) for at, rule in picked.dropped),
            dropped_counts=picked.counts,
            anchors=tuple(anchors),
            considered=pool.considered,
            timings=timings,
            _around=self._log.around,
        )

    def _sources(self, nodes: Collection[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        rows = self._context.store.rows_of(
            "SELECT s.node, s.message FROM node_sources s JOIN messages m ON m.id = s.message"
            " WHERE m.scope IN (SELECT value FROM json_each(?)) AND s.node IN (SELECT value FROM json_each(?))"
            " ORDER BY s.rowid",
            list(nodes),
            (json.dumps(self._context.readable),),
        )
        for node, message in rows:
            found.setdefault(node, []).append(message)
        return found

    def _memos(
        self, positions: Sequence[int], pool: Pool, picked: Picked, weights: Weights
    ) -> dict[int, Memo]:
        """The pool's entries at these positions, with their texts."""
        said = [pool.id(at) for at in positions if pool.message[at]]
        thought = [pool.id(at) for at in positions if not pool.message[at]]
        store = self._context.store
        within = "id IN (SELECT value FROM json_each(?))"
        texts = {
            item: (text, name or str(sender))
            for item, text, name, sender in store.rows_of(
                f"SELECT id, text, sender_name, sender FROM messages WHERE {within}", said
            )
        }
        texts |= {
            item: (text, "")
            for item, text in store.rows_of(f"SELECT id, text FROM nodes WHERE {within}", thought)
        }
        sources = picked.sources | self._sources([item for item in thought if item not in picked.sources])
        adds = contributions(pool.factors[positions], weights, message=pool.message[positions])
        found: dict[int, Memo] = {}
        for at, added in zip(positions, adds.tolist(), strict=True):
            side, row = pool.sides[pool.side[at]], int(pool.row[at])
            index, item = side.index, pool.id(at)
            text, speaker = texts[item]
            found[at] = Memo(
                id=item,
                kind=KINDS[index.columns.kind[row]],
                text=text,
                speaker=speaker,
                factors=Factors(
                    **dict(zip(FACTORS, pool.factors[at].tolist(), strict=True)),
                    cosine=float(side.cosine[row]),
                    lexical=float(side.lexical[row]),
                ),
                contributions=dict(zip(FACTORS, added, strict=True)),
                score=float(pool.score[at]),
                known_at=from_micros(int(index.columns.known_at[row])),
                happened_at=from_micros(int(index.columns.happened_at[row])),
                session=index.session_of(row),
                sources=(item,) if pool.message[at] else tuple(sources.get(item, ())),
                superseded=bool(side.superseded[row]),
                below_gate=bool(pool.below_gate[at]),
            )
        return found


def _checked(query: object, k: object) -> str:
    if not isinstance(query, str) or not clean(query).strip():
        raise InputError("the query is empty. Ask something, such as: Where does Scott work?")
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError(f"k must be a whole number of at least 1, found {k!r}.")
    return clean(query)


def _unpacked(vector: NDArray[np.floating], dim: int) -> NDArray[np.float32]:
    return np.frombuffer(pack(vector, dim), np.float32)


def _cosine(index: HotIndex, vector: NDArray[np.float32] | None, unrelated: float) -> NDArray[np.float32]:
    """Cosine of every row; that of an unrelated pair where a vector is missing, so that words alone decide."""
    columns = index.columns
    if vector is None:
        return np.full(len(index), unrelated, np.float32)
    cosine = columns.matrix @ vector
    if not columns.has_vector.all():
        cosine[~columns.has_vector] = unrelated
    return cosine


def _logits(
    index: HotIndex,
    cosine: NDArray[np.floating],
    words: NDArray[np.float64],
    calibration: Calibration,
    language: str,
    blend: float,
    when: float,
) -> NDArray[np.float64]:
    in_han, in_latin = calibration.of(f"{language}-zh"), calibration.of(f"{language}-en")
    found = logits(cosine, words, logit=in_latin, blend=blend)
    if in_han != in_latin:
        han = np.flatnonzero(index.columns.han)
        found[han] = logits(cosine[han], words[han], logit=in_han, blend=blend)
    if when:
        found[index.columns.timed] += when
    return found


def _fields(memo: Memo) -> dict[str, Any]:
    return {name: getattr(memo, name) for name in Memo.__dataclass_fields__}


@contextmanager
def _timed(timings: dict[str, float], stage: str) -> Iterator[None]:
    start = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = (time.perf_counter() - start) * 1000
