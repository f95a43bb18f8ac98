"""The token budget: what gets in when not all of it can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from echovessel.mind.prompt.sections import Cut, Section

# Never cut: who the persona is, and what is being answered. They may overrun a small budget; the ledger shows it.
CORE = frozenset({"who", "now", "style", "heard", "crisis"})

# What each other section may take of what the core leaves, before the rest is shared out in this order.
SHARES = {
    "recalled": 0.25,
    "conversation": 0.35,
    "speaker": 0.10,
    "promises": 0.05,
    "expecting": 0.05,
    "mind": 0.05,
    "entity": 0.05,
    "self": 0.03,
    "days": 0.03,
    "context": 0.02,
    "pending": 0.01,
    "mood": 0.01,
}


def fitted(sections: Sequence[Section], budget: int, *, shares_only: bool = False) -> list[Section]:
    """The sections in their order, cut on entry borders so that all fit.

    Each first gets its share, so none starves another; what is left goes round in the order of `SHARES`. Entries stand
    best first, so the last are cut first; of the conversation, which runs in order of time, the oldest.

    With `shares_only` nothing is shared out beyond the shares: what stands then, stands whatever else there is.
    """
    core = [_share(section) == "core" for section in sections]
    costs = [
        _costs(section) for section in sections
    ]  # costs[i][n]: tokens of section i with its best n entries
    kept = [len(section.entries) if whole else 0 for section, whole in zip(sections, core, strict=True)]
    left = max(budget - sum(cost[-1] for cost, whole in zip(costs, core, strict=True) if whole), 0)
    order = sorted(
        (i for i, whole in enumerate(core) if not whole),
        key=lambda i: list(SHARES).index(_share(sections[i])),
    )
    room = left
    for sharing in (True,) if shares_only else (True, False):
        for i in order:
            most = SHARES[_share(sections[i])] * left if sharing else room + costs[i][kept[i]]
            best = max(n for n, cost in enumerate(costs[i]) if n == kept[i] or cost <= most)
            best = max(best, kept[i])
            room -= costs[i][best] - costs[i][kept[i]]
            kept[i] = best
    return [_cut(section, kept[i]) for i, section in enumerate(sections)]


def _share(section: Section) -> str:
    name = section.name.partition(":")[0]
    return "core" if name in CORE else name


def _best_first(section: Section) -> list[int]:
    places = list(range(len(section.entries)))
    return places[::-1] if section.name == "conversation" else places


def _costs(section: Section) -> list[int]:
    """Tokens of the section with its best 0, 1, 2, ... entries; the heading counts once there is one."""
    tokens = [section.entries[i].tokens for i in _best_first(section)]
    return [0, *accumulate(tokens[1:], initial=section.heading + tokens[0])] if tokens else [0]


def _cut(section: Section, entries: int) -> Section:
    chosen = set(_best_first(section)[:entries])
    gone = [entry for i, entry in enumerate(section.entries) if i not in chosen]
    cuts = tuple(Cut(entry.id, entry.tokens, "budget") for entry in gone)
    kept = tuple(entry for i, entry in enumerate(section.entries) if i in chosen)
    return replace(section, entries=kept, cut=(*section.cut, *cuts))
