"""Ranking kept candidates with other weights: the engine's own score and selection, without asking it again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from echovessel.embedding import Logit
from echovessel.memory.recall.factors import FACTORS, recency
from echovessel.memory.recall.factors.relevance import log_odds, logits, sigmoid
from echovessel.memory.recall.pool import RULES_BEFORE, Pool
from echovessel.memory.recall.score import score
from echovessel.memory.recall.selection import Picked, select
from echovessel.memory.recall.weights import KINDS, Weights
from echovessel.workbench.candidates.evidence import OUT, Evidence
from echovessel.workbench.candidates.table import ENTITY, SPEAKER, Candidates
from echovessel.workbench.pool import Over

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
_RELEVANCE = FACTORS.index("relevance")
_KEPT = 12  # columns that are remembered for the next weights


class Reranker:
    """Ranks every question of a set with any weights.

    What depends on one setting alone (recency on the half-life, relevance on the blend) is remembered, so that moving
    a weight costs one weighted sum over all rows. Not for use by several threads at once.

    Parameters
    ----------
    found : Candidates
        What was gathered.
    k : int, optional
        How many hits are asked for; as deep as the benchmark's when left out.
    keep : mask over the rows, optional
        Only these may compete: for leaving a source of candidates out.
    """

    def __init__(self, found: Candidates, *, k: int | None = None, keep: Mask | None = None) -> None:
        self.candidates = found
        self.k = k or found.head.depth
        self._keep = keep
        self._columns: OrderedDict[Hashable, Floats | Mask] = OrderedDict()
        self._matrix = np.empty((found.rows.height, len(FACTORS)), np.float64, order="F")
        self._holds: list[Hashable] = [None] * len(FACTORS)

    @cached_property
    def evidence(self) -> Evidence:
        """The pieces of evidence, and the rows that bring them."""
        return Evidence(self.candidates)

    def scored(self, weights: Weights) -> Scored:
        """Every row's score under these weights."""
        passes = self._passes(weights)
        superseded = self.candidates.column("superseded")
        values = score(self.factors(weights), weights, message=self.candidates.message)
        values[~(passes & ~superseded & self.eligible(weights.kinds))] = OUT
        return Scored(self, weights, passes, values)

    def factors(self, weights: Weights) -> Floats:
        """The five factors of every row; shape (rows, 5), in the order of `FACTORS`. Overwritten by the next call."""
        found = self.candidates
        wanted: dict[str, tuple[Hashable, Callable[[], Floats]]] = {
            "recency": (
                weights.half_life,
                lambda: recency(found.column("age"), half_life=weights.half_life),
            ),
            "relevance": ((weights.blend, weights.when_asked), lambda: sigmoid(self.logit(weights))),
            "impact": ((), lambda: found.column("impact")),
            "relational_bonus": ((), lambda: found.column("tagged").astype(np.float64)),
            "entity_anchor": (weights.speaker_anchor, lambda: self._anchor(weights.speaker_anchor)),
        }
        for place, name in enumerate(FACTORS):
            key, computed = wanted[name]
            if self._holds[place] != (name, key):
                self._matrix[:, place] = self._remembered((name, key), computed)
                self._holds[place] = (name, key)
        return self._matrix

    def logit(self, weights: Weights) -> Floats:
        """The log-odds behind relevance, of every row."""
        found = self.candidates

        def computed() -> Floats:
            values = np.empty(found.rows.height, np.float64)
            cosine, lexical = found.column("cosine"), found.column("lexical")
            for constants, rows in self._pairs:
                values[rows] = logits(cosine[rows], lexical[rows], logit=constants, blend=weights.blend)
            if weights.when_asked:
                values[self._about_when] += weights.when_asked
            return values

        return self._remembered(("logit", weights.blend, weights.when_asked), computed)

    def eligible(self, kinds: tuple[str, ...]) -> Mask:
        """Rows of kinds that compete: messages step in where a question meets no memory of these kinds."""
        found = self.candidates

        def computed() -> Mask:
            wanted = np.isin(found.column("kind"), [KINDS.index(kind) for kind in kinds])
            some = np.zeros(len(found), np.bool_)
            some[found.column("question")[wanted]] = True
            mask = np.where(some[found.column("question")], wanted, found.message)
            return np.asarray(mask if self._keep is None else mask & self._keep)

        return self._remembered(("kinds", kinds), computed)

    def _passes(self, weights: Weights) -> Mask:
        def computed() -> Mask:
            near = self.logit(weights) >= log_odds(weights.min_relevance)
            return np.asarray(near | (self.candidates.column("anchor") == ENTITY))

        return self._remembered(
            ("passes", weights.min_relevance, weights.blend, weights.when_asked), computed
        )

    def _anchor(self, speaker: float) -> Floats:
        anchor = self.candidates.column("anchor")
        return np.select([anchor == ENTITY, anchor == SPEAKER], [1.0, speaker], 0.0)

    @cached_property
    def _pairs(self) -> list[tuple[Logit, NDArray[np.intp] | slice]]:
        """The constants of each language pair with the rows that they hold for."""
        found, calibration = self.candidates, self.candidates.head.calibration
        asked, han = self._asked("language"), found.column("han")
        groups: dict[Logit, list[NDArray[np.intp]]] = {}
        for language in found.questions["language"].unique().to_list():
            for script, mask in (("zh", han), ("en", ~han)):
                rows = np.flatnonzero((asked == language) & mask)
                groups.setdefault(calibration.of(f"{language}-{script}"), []).append(rows)
        if len(groups) == 1:
            return [(next(iter(groups)), slice(None))]
        return [(constants, np.sort(np.concatenate(rows))) for constants, rows in groups.items()]

    @cached_property
    def _about_when(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._asked("asks_when") & self.candidates.column("timed"))

    def _asked(self, name: str) -> NDArray[np.generic]:
        """A property of the question of every row."""
        return np.asarray(self.candidates.questions[name].to_numpy()[self.candidates.column("question")])

    @cached_property
    def sources(self) -> dict[str, list[str]]:
        """For each memory, the messages it rests on, where they compete beside it; names as `name_of` gives them."""
        items = self.candidates.items
        number = {key: at for at, key in enumerate(items.select("talk", "item").iter_rows())}
        rests = enumerate(zip(items["talk"].to_list(), items["sources"].to_list(), strict=True))
        return {
            name_of(at): [name_of(number[talk, source]) for source in sources if (talk, source) in number]
            for at, (talk, sources) in rests
        }

    def _remembered(self, key: Hashable, computed: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        if key not in self._columns:
            self._columns[key] = computed()
            if len(self._columns) > _KEPT:
                self._columns.popitem(last=False)
        self._columns.move_to_end(key)
        return self._columns[key]


@dataclass(frozen=True, eq=False)
class Scored:
    """Every question under one set of weights.

    Attributes
    ----------
    passes : shape (rows,)
        Which rows the gate lets through.
    score : shape (rows,)
        Minus infinity where a row does not compete.
    """

    reranker: Reranker
    weights: Weights
    passes: Mask
    score: Floats

    def ranks(self) -> Floats:
        """The rank at which each piece of evidence comes in recall; shape (pieces,), infinite if missed."""
        evidence = self.reranker.evidence
        found = evidence.ranks(self.score, self.reranker.k)
        for question in self._settled_apart():
            lines = evidence.lines(question)
            places = {row: float(rank) for rank, row in enumerate(self.hits(question), start=1)}
            found[lines] = [places.get(row, np.inf) for row in evidence.row[lines].tolist()]
        return evidence.best(found)

    def recall(self, k: int = 10) -> Floats:
        """Share of the evidence of each question among the first `k`; NaN where there is none. Shape (questions,)."""
        of, size = self.reranker.evidence.of, len(self.reranker.candidates)
        pieces = np.bincount(of, minlength=size)
        hit = np.bincount(of, self.ranks() <= k, minlength=size)
        found: Floats = np.divide(hit, pieces, out=np.full(size, np.nan), where=pieces > 0)
        return found

    def answered(self) -> Mask:
        """Whether anything at all comes back for each question. Shape (questions,)."""
        found = np.zeros(len(self.reranker.candidates), np.bool_)
        found[self.reranker.candidates.column("question")[self.score > OUT]] = True
        return found

    def hits(self, question: int) -> list[int]:
        """Rows that come back for a question, best first."""
        rows, picked = self.picked(question)
        return [int(row) for row in rows[picked.hits]]

    def picked(self, question: int) -> tuple[NDArray[np.intp], Picked]:
        """What recall's own selection takes for a question, and what it leaves out by which rule.

        Returns
        -------
        rows of the kinds that compete, and positions among them.
        """
        found, weights = self.reranker.candidates, self.weights
        span = found.of(question)
        rows = span.start + np.flatnonzero(self.reranker.eligible(weights.kinds)[span])
        factors = self.reranker.factors(weights)[rows]
        message, passes = found.message[rows], self.passes[rows]
        left_out = np.where(passes, RULES_BEFORE.index("superseded"), RULES_BEFORE.index("gate"))
        free = passes & ~found.column("superseded")[rows]
        pool = NamedPool(
            sides=(),
            side=np.zeros(len(rows), np.int8),
            row=np.arange(len(rows)),
            factors=factors,
            score=score(factors, weights, message=message),
            anchored=found.column("anchor")[rows] == ENTITY,
            below_gate=factors[:, _RELEVANCE] < weights.min_relevance,
            message=message,
            rule=np.where(free, 0, left_out).astype(np.int8),
            counts={},
            considered=len(rows),
            names=tuple(map(name_of, found.column("item")[rows].tolist())),
        )
        sources = self.reranker.sources

        def sources_of(nodes: Collection[str]) -> dict[str, list[str]]:
            return {node: sources[node] for node in nodes}

        return rows, select(
            pool, weights, self.reranker.k, exclude=(), sources_of=sources_of, dropped=len(rows)
        )

    def _settled_apart(self) -> list[int]:
        """Questions whose hits are not simply the k best: something folds, or the anchored share may bind."""
        found, weights, evidence = self.reranker.candidates, self.weights, self.reranker.evidence
        asked = np.unique(evidence.question)
        if found.head.over is Over.EVENTS:
            return [int(question) for question in asked]
        held = (found.column("anchor") == ENTITY) & (self.score > OUT)
        if weights.share_spares_relevant:
            held &= self.reranker.factors(weights)[:, _RELEVANCE] < weights.min_relevance
        counts = np.bincount(found.column("question")[held], minlength=len(found))
        many = asked[counts[asked] > max(1, int(self.reranker.k * weights.anchored_share))]
        return [int(question) for question in many]


@dataclass(frozen=True, slots=True)
class NamedPool(Pool):
    """A pool whose candidates bring their names along."""

    names: tuple[str, ...] = ()

    def id(self, at: int) -> str:
        """The item of a candidate."""
        return self.names[at]

    def among(self, ids: Collection[str]) -> Mask:
        """Which candidates are one of these items."""
        return np.array([name in ids for name in self.names], np.bool_)


def name_of(item: int) -> str:
    """An item's number as a name that sorts as the number does, and so as the stored ids did."""
    return f"{item:09d}"
