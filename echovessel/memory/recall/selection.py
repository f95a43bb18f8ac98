"""Selection: the k best of a pool, with folding and with the anchored hits kept to their share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.pool import RULES_BEFORE, Mask, Pool
from echovessel.memory.recall.weights import Weights

# Ids of nodes to the messages that each rests on.
SourcesOf = Callable[[Collection[str]], Mapping[str, Sequence[str]]]

_SLACK = 100  # candidates looked at beyond 4 k before all are sorted


@dataclass(frozen=True, slots=True)
class Picked:
    """Positions in the pool.

    Attributes
    ----------
    hits : best first
    folded : for a hit, the messages whose place it took
    dropped : position and rule, best first
    counts : how many each rule left out
    sources : the messages that the nodes looked at rest on
    """

    hits: list[int]
    folded: dict[int, list[str]]
    dropped: list[tuple[int, str]]
    counts: dict[str, int]
    sources: dict[str, Sequence[str]]


def select(
    pool: Pool, weights: Weights, k: int, *, exclude: Collection[str], sources_of: SourcesOf, dropped: int
) -> Picked:
    """Pick the k best.

    A message that is a source of a higher hit folds under it and frees its place. Anchored hits take at most
    ``anchored_share`` of k (one at least) while others pass the gate; among them relevance decides who stays.
    """
    free, excluded = pool.rule == 0, pool.among(exclude)
    competing = np.flatnonzero(free & ~excluded)
    held = _held(pool, weights)
    best, sources, hits, folded = _looked_at(pool, competing, held, 4 * k + _SLACK, weights, k, sources_of)
    if len(best) < len(competing) and (len(hits) < k or sum(map(len, folded.values())) > 3 * k + _SLACK):
        best, sources, hits, folded = _looked_at(
            pool, competing, held, len(competing), weights, k, sources_of
        )

    taken, under = set(hits), {message for messages in folded.values() for message in messages}
    worst = float(pool.score[hits[-1]]) if hits else np.inf
    left = [
        (at, "folded" if pool.id(at) in under else _rule_of(pool, at, worst, held))
        for at in best
        if at not in taken
    ]
    in_prompt = np.flatnonzero(free & excluded).tolist()
    before = [(at, RULES_BEFORE[pool.rule[at]]) for at in np.flatnonzero(~free).tolist()]
    before += [(at, "in_prompt") for at in in_prompt]
    shown = sorted(left + before, key=lambda pair: (-pool.score[pair[0]], pool.id(pair[0])))[:dropped]
    counts = dict(pool.counts)
    for _, rule in left:
        counts[rule] = counts.get(rule, 0) + 1
    beyond = free & ~excluded
    beyond[best] = False
    over = int(np.count_nonzero(beyond & held & (pool.score > worst)))
    for rule, count in (("anchored", over), ("rank", int(np.count_nonzero(beyond)) - over)):
        if count:
            counts[rule] = counts.get(rule, 0) + count
    if in_prompt:
        counts["in_prompt"] = len(in_prompt)
    return Picked(hits, folded, shown, counts, sources)


def _looked_at(
    pool: Pool,
    competing: NDArray[np.intp],
    held: Mask,
    count: int,
    weights: Weights,
    k: int,
    sources_of: SourcesOf,
) -> tuple[list[int], dict[str, Sequence[str]], list[int], dict[int, list[str]]]:
    """The candidates worth a look, what they rest on, and the hits among them with what folds under each."""
    best = _best(pool, competing, held, count)
    sources = dict(sources_of([pool.id(at) for at in best if not pool.message[at]]))
    return best, sources, *_settled(pool, best, weights, k, sources)


def _best(pool: Pool, among: NDArray[np.intp], held: Mask, count: int) -> list[int]:
    """All that may take a place, by score, equal scores by id, best first.

    Those are the best `count` by score; and, because those held to the share may be more than that, the best of the
    others, and the most relevant of the held.
    """
    if count < len(among):
        found, by_name = [_top(pool, among, pool.score, count)], held[among]
        if by_name.any():
            found.append(_top(pool, among[~by_name], pool.score, count))
            found.append(_top(pool, among[by_name], pool.factors[:, FACTORS.index("relevance")], count))
        among = np.unique(np.concatenate(found))
    return sorted(among.tolist(), key=lambda at: (-pool.score[at], pool.id(at)))


def _top(pool: Pool, among: NDArray[np.intp], values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """The `count` highest of these values, equal ones by score and then by id, in any order."""
    if count >= len(among):
        return among
    mine = values[among]
    last = np.partition(mine, len(mine) - count)[len(mine) - count]
    above, equal = among[mine > last], among[mine == last]
    first = nsmallest(count - len(above), equal.tolist(), key=lambda at: (-pool.score[at], pool.id(at)))
    return np.concatenate((above, np.array(first, np.intp)))


def _settled(
    pool: Pool, best: Sequence[int], weights: Weights, k: int, sources: Mapping[str, Sequence[str]]
) -> tuple[list[int], dict[int, list[str]]]:
    """Hits and what folds under them. Each fold frees a place, which may bring in a node that folds more."""
    folded: dict[str, int] = {}
    while True:
        hits = _shared_out(pool, [at for at in best if pool.id(at) not in folded], weights, k)
        before = len(folded)
        owner: dict[str, int] = {}
        for at in hits:
            item = pool.id(at)
            if pool.message[at] and item in owner:
                folded[item] = owner[item]
            for message in sources.get(item, ()):
                owner.setdefault(message, at)
        if len(folded) == before:
            kept: dict[int, list[str]] = {}
            for message, at in folded.items():
                kept.setdefault(at, []).append(message)
            return hits, kept


def _shared_out(pool: Pool, best: Sequence[int], weights: Weights, k: int) -> list[int]:
    """The first k, but those held to the anchored share only up to it while others wait."""
    held = _held(pool, weights)
    hits = list(best[:k])
    share = max(1, int(k * weights.anchored_share))
    if sum(1 for at in hits if held[at]) <= share:
        return hits
    others = [at for at in best if not held[at]]
    # Of equal relevance, as where vectors are awaited, the better score: `best` has that order, and sorting keeps it.
    by_relevance = sorted((at for at in best if held[at]), key=lambda at: -pool.factors[at, 1])
    places = max(share, k - len(others))
    kept = {*by_relevance[:places], *others[: k - min(places, len(by_relevance))]}
    return [at for at in best if at in kept]


def _held(pool: Pool, weights: Weights) -> Mask:
    """Which candidates count against the anchored share."""
    return pool.anchored & pool.below_gate if weights.share_spares_relevant else pool.anchored


def _rule_of(pool: Pool, at: int, worst: float, held: Mask) -> str:
    return "anchored" if held[at] and pool.score[at] > worst else "rank"
