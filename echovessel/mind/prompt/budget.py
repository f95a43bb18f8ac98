"""The token budget: what gets in when not all of it can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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


def fitted(sections: Sequence[Section], budget: int) -> list[Section]:
    """The sections in their order, cut on entry borders so that all fit.

    Each first gets its share, so none starves another; what is left goes round in the order of `SHARES`. Entries stand
    best first, so the last are cut first; of the conversation, which runs in order of time, the oldest.
    """
    left = budget - sum(section.tokens for section in sections if _share(section) == "core")
    kept = [len(section.entries) if _share(section) == "core" else 0 for section in sections]
    order = sorted(
        (i for i in range(len(sections)) if _share(sections[i]) != "core"),
        key=lambda i: list(SHARES).index(_share(sections[i])),
    )
    room = max(left, 0)
    for shared in (True, False):
        for i in order:
            section = sections[i]
            most = SHARES[_share(section)] * max(left, 0) if shared else room
            while kept[i] < len(section.entries):
                cost = _cost(section, kept[i] + 1) - _cost(section, kept[i])
                taken = _cost(section, kept[i] + 1) if shared else cost
                if taken > most or cost > room:
                    break
                kept[i] += 1
                room -= cost
                most = most if shared else room
    return [_cut(section, kept[i]) for i, section in enumerate(sections)]


def _share(section: Section) -> str:
    name = section.name.partition(":")[0]
    return "core" if name in CORE else name


def _best_first(section: Section) -> list[int]:
    places = list(range(len(section.entries)))
    return places[::-1] if section.name == "conversation" else places


def _cost(section: Section, entries: int) -> int:
    """Tokens of the section with its best `entries`; the heading counts once there is one."""
    if not entries:
        return 0
    heading = section.tokens - sum(entry.tokens for entry in section.entries)
    return heading + sum(section.entries[i].tokens for i in _best_first(section)[:entries])


def _cut(section: Section, entries: int) -> Section:
    chosen = set(_best_first(section)[:entries])
    gone = [entry for i, entry in enumerate(section.entries) if i not in chosen]
    cuts = tuple(Cut(entry.id, entry.tokens, "budget") for entry in gone)
    kept = tuple(entry for i, entry in enumerate(section.entries) if i in chosen)
    return replace(section, entries=kept, cut=(*section.cut, *cuts))
