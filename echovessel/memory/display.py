"""What a memory, an entity and a recalled hit look like in a notebook; what people wrote is shown as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from echovessel.markup import Html, el, join
from echovessel.memory.node_queries import Query
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.records import Entity, NodeKind, ScopeKind

if TYPE_CHECKING:
    from echovessel.memory.memory import Memory
    from echovessel.memory.recall.result import Memo, Recall

# No colours of its own for text and ground, so that it reads on light and on dark.
_LEFT = "text-align:left;vertical-align:top"
_SMALL = "font-size:90%;opacity:.75"
_BAR = (
    "display:flex;width:220px;height:12px;border-radius:3px;overflow:hidden;background:rgba(128,136,148,.18)"
)
_CHIP = "display:inline-block;border:1px solid rgba(128,136,148,.5);border-radius:9px;padding:0 8px;margin:0 4px 2px 0"


def memory_html(memory: Memory) -> str:
    """The six layers with how much each holds, as seen from the memory's scope."""
    context = memory.context
    kinds = Counter(kind for (kind,) in Query(context).rows("n.kind"))
    past = len(Query(context).where("n.superseded_at IS NOT NULL").rows("n.id"))
    mood = memory.moods.get()
    later = {kind: kinds[kind] for kind in NodeKind if kind is not NodeKind.EVENT}
    rows = (
        ("L1", "core blocks", len(memory.core.all()), "memory.core.all()"),
        ("L2", "messages", memory.log.count(), "memory.messages()"),
        ("L3", "events", kinds[NodeKind.EVENT], "memory.events()"),
        ("L4", ", ".join(f"{kind}s" for kind in later), sum(later.values()), "memory.thoughts()"),
        ("L5", "entities", len(memory.directory.list()), "memory.entities()"),
        ("L6", "mood", f"{mood.mood}, energy {mood.energy:.0%}", "memory.moods.get()"),
    )
    body = join(
        el(
            "tr",
            el("td", code),
            el("td", name, style=_LEFT),
            el("td", held),
            el("td", el("code", call), style=_LEFT),
        )
        for code, name, held, call in rows
    )
    persona = memory.personas.get(context.persona).name or context.persona
    reads = "its own life alone" if context.scope.kind is ScopeKind.SHARED else context.scope.key
    caption = el("caption", el("b", persona), f" · {reads}", style=_LEFT)
    note = el("p", f"{past} memories were replaced by newer ones.", style=_SMALL) if past else None
    return join((el("table", caption, el("tbody", body)), note))


def entity_html(entity: Entity) -> str:
    """An entity with every name it goes by."""
    others = join(el("span", alias, style=_CHIP) for alias in entity.aliases if alias != entity.name)
    merged = el("p", f"stands for {entity.merged_into}", style=_SMALL) if entity.merged_into else None
    head = el("div", el("b", entity.name), el("span", f" · {entity.kind} · {entity.scope.key}", style=_SMALL))
    return el("div", head, el("div", others) if others else None, merged)


def recall_html(result: Recall, colours: Mapping[str, str]) -> str:
    """The hits as a table, best first, each with what the factors add as one stacked bar.

    Parameters
    ----------
    colours : mapping
        A CSS colour for each of the five factors.
    """
    head = el("tr", *(el("th", name, style=_LEFT) for name in ("#", "score", "memory")))
    longest = max((hit.score for hit in result.hits), default=0.0)
    body = join(
        el(
            "tr",
            el("td", hit.rank, style=_LEFT),
            el("td", f"{hit.score:.2f}", _bar(hit, colours, longest), style=_LEFT),
            el("td", *_told(hit), style=_LEFT),
        )
        for hit in result.hits
    ) or el("tr", el("td", "Nothing in memory bears on this.", colspan=3))
    caption = el("caption", el("b", result.query), _legend(colours), style=_LEFT)
    left = sum(result.dropped_counts.values())
    note = f"{len(result.hits)} of {result.considered} memories; {left} left out, the nearest in .dropped"
    return join((el("table", caption, el("thead", head), el("tbody", body)), el("p", note, style=_SMALL)))


def memo_html(memo: Memo, colours: Mapping[str, str]) -> str:
    """One hit, or one memory that was left out, with the factors in numbers."""
    raw = {name: getattr(memo.factors, name) for name in FACTORS}
    rows = join(
        el(
            "tr",
            el("td", _dot(colours[name]), _spaced(name), style=_LEFT),
            el("td", f"{raw[name]:.2f}"),
            el("td", f"+{memo.contributions[name]:.2f}"),
        )
        for name in FACTORS
    )
    head = el("tr", el("th", f"score {memo.score:.2f}", style=_LEFT), el("th", "factor"), el("th", "adds"))
    return join((el("div", *_told(memo)), el("table", el("thead", head), el("tbody", rows))))


def _told(memo: Memo) -> tuple[Html, Html]:
    marks = {
        "anchor": memo.factors.anchored,
        "below the gate": memo.below_gate,
        "replaced": memo.superseded,
    }
    facts = (memo.kind, f"{memo.happened_at:%Y-%m-%d}", *(mark for mark, holds in marks.items() if holds))
    said = f"{memo.speaker}: {memo.text}" if memo.speaker else memo.text
    return el("div", said, style="white-space:pre-wrap"), el("div", " · ".join(facts), style=_SMALL)


def _bar(memo: Memo, colours: Mapping[str, str], longest: float) -> Html:
    parts = [(name, memo.contributions[name]) for name in FACTORS if memo.contributions[name] > 0]
    segments = join(
        el(
            "span",
            style=f"background:{colours[name]};width:{100 * adds / max(longest, 1e-9):.2f}%",
            title=f"{_spaced(name)} +{adds:.2f}",
        )
        for name, adds in parts
    )
    said = ", ".join(f"{_spaced(name)} {adds:.2f}" for name, adds in parts)
    return el("div", segments, style=_BAR, role="img", aria_label=said)


def _legend(colours: Mapping[str, str]) -> Html:
    names = join(el("span", _dot(colours[name]), f"{_spaced(name)}  ", style=_SMALL) for name in FACTORS)
    return el("div", names)


def _dot(colour: str) -> Html:
    return el(
        "span",
        style=f"display:inline-block;width:9px;height:9px;border-radius:2px;margin-right:5px;background:{colour}",
    )


def _spaced(name: str) -> str:
    return name.replace("_", " ")
