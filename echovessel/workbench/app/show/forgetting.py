"""What a forgetting takes, told before it is done."""

from __future__ import annotations

from echovessel.markup import Html, el, join
from echovessel.memory.records import Forgotten
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import chip
from echovessel.workbench.app.words import Words

TOLD = 12


def forgetting(opened: Opened, words: Words, told: Forgotten, *, keep: bool) -> Html:
    """What goes, in counts and in words; what derives from it; and who is left without a memory."""
    memory = opened.memory
    tables = {
        name: count for name, count in told.counts.items() if count and words.or_same("table", name) != name
    }
    counts = join(chip(f"{words(f'table_{name}')} · {count}") for name, count in tables.items())
    parts: list[Html | None] = [
        el("p", words("goes")),
        el("div", counts, class_="chips"),
        _texts(words, [memory.log.get(one).text for one in told.messages[:TOLD]], len(told.messages)),
        _texts(words, [memory.nodes.get(one).text for one in told.nodes[:TOLD]], len(told.nodes)),
    ]
    if told.derived:
        derived = [memory.nodes.get(one).text for one in told.derived[:TOLD]]
        parts += [
            el("p", words("derived_stay" if keep else "derived_go")),
            _texts(words, derived, len(told.derived)),
        ]
    if told.orphans:
        names = join(chip(memory.directory.get(one).name) for one in told.orphans)
        parts += [el("p", words("orphans")), el("div", names, class_="chips")]
    parts.append(el("p", el("strong", words("no_way_back"))))
    return el("div", join(parts), class_="plan", role="status")


def _texts(words: Words, shown: list[str], count: int) -> Html | None:
    if not shown:
        return None
    rest = (
        el("li", words("and_more", count=count - len(shown)), class_="muted") if count > len(shown) else None
    )
    return el("ul", join(el("li", text) for text in shown), rest)
