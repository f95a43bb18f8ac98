"""Pieces of HTML that several views share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from echovessel.clock import aware, zone
from echovessel.errors import EchoVesselError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Message, Node
from echovessel.plots.style import FACTOR_COLOURS
from echovessel.workbench.app.faults import in_words
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.words import Words


def chip(said: object, *, kind: str = "", title: str | None = None) -> Html:
    """A small label."""
    return el("span", said, class_=f"chip {kind}".strip(), title=title)


def act(
    said: object,
    does: str,
    target: str,
    *,
    class_: str = "link",
    label: str | None = None,
    stop: bool = True,
) -> Html:
    """A button that the script hands to Python as `does` with `target`; without `stop`, Tab passes it by."""
    return el(
        "button",
        said,
        type="button",
        class_=class_,
        data_act=does,
        data_id=target,
        aria_label=label,
        tabindex=None if stop else "-1",
    )


def empty(words: Words, key: str, **fields: object) -> Html:
    """What stands where there is nothing: what to do."""
    return el("p", words(key, **fields), class_="empty")


def notice(said: str, *, good: bool = False) -> Html:
    """One sentence on how it went; read out by screen readers. Nothing for an empty one."""
    return el("div", said, class_=f"notice {'good' if good else 'bad'}", role="status") if said else Html("")


def working(words: Words, key: str, part: float | None = None) -> Html:
    """What is being done, with the part of it that is done where that is known."""
    share = None if part is None else el("small", f"{part:.0%}", class_="number")
    done = el("progress", max=1, value=None if part is None else f"{part:.3f}", aria_label=words(key))
    return el("div", el("span", words(key)), share, done, class_="working", role="status")


def failure(words: Words, fault: EchoVesselError | str) -> Html:
    """Why it did not go, in the page's language; nothing for an empty sentence."""
    return notice(in_words(fault, words.language)) if str(fault) else Html("")


def fold(summary: object, *children: object, open_: bool = False, class_: str = "") -> Html:
    """A part that opens by click or key."""
    return el("details", el("summary", summary), *children, class_=f"fold {class_}".strip(), open=open_)


def bar(words: Words, adds: Mapping[str, float], raw: Mapping[str, float], longest: float) -> Html:
    """What each factor adds, as one stacked bar, and below it the numbers; the best hit fills the width."""
    parts = [(name, adds[name]) for name in FACTOR_COLOURS if adds[name] > 0]
    segments = join(
        el(
            "i",
            class_=f"f-{name}",
            style=f"width:{100 * value / longest:.2f}%",
            title=f"{words(f'factor_{name}')} +{value:.2f}",
        )
        for name, value in parts
    )
    numbers = join(
        el(
            "span",
            el("b", class_=f"dot f-{name}"),
            words(f"factor_{name}"),
            " ",
            el("strong", f"+{value:.2f}"),
            class_="add",
            title=words("factor_raw", value=f"{raw[name]:.2f}"),
        )
        for name, value in parts
    )
    said = ", ".join(f"{words(f'factor_{name}')} {value:.2f}" for name, value in parts)
    return join(
        (el("div", segments, class_="bar", role="img", aria_label=said), el("div", numbers, class_="adds"))
    )


def turn(
    opened: Opened, words: Words, message: Message, *, here: bool = False, quotes: Sequence[str] = ()
) -> Html:
    """One message with speaker and time; what is quoted of it stands out."""
    local = aware(message.sent_at).astimezone(zone(opened.zone))
    return el(
        "div",
        el(
            "div",
            el("b", opened.speaker(message.sender, message.sender_name)),
            el("time", f"{local:%Y-%m-%d %H:%M}", datetime=message.sent_at.isoformat()),
            el("em", words("edited")) if message.edited_at else None,
            class_="who",
        ),
        el("p", marked(message.text, quotes)),
        class_=f"turn {message.sender}" + (" here" if here else ""),
    )


def turns(
    opened: Opened,
    words: Words,
    messages: Iterable[Message],
    *,
    here: Iterable[str] = (),
    quotes: Sequence[str] = (),
) -> Html:
    """Messages in order; those of `here` stand out."""
    chosen = set(here)
    return el(
        "div",
        join(
            turn(opened, words, one, here=one.id in chosen, quotes=quotes if one.id in chosen else ())
            for one in messages
        ),
        class_="turns",
    )


def marked(said: str, quotes: Iterable[str]) -> Html:
    """A text in which the first place of each quote is marked; quotes that overlap are marked once."""
    places = sorted((said.find(quote), len(quote)) for quote in quotes if quote and quote in said)
    parts: list[object] = []
    done = 0
    for start, length in places:
        if start >= done:
            parts += [said[done:start], el("mark", said[start : start + length])]
            done = start + length
    return join([*parts, said[done:]])


def happened(opened: Opened, words: Words, node: Node) -> str:
    """When it happened, else for when it is awaited, else when it was said; in words against today."""
    today = opened.today
    if node.due_on is not None:
        return words("due", when=words.day(node.due_on, today))
    said = words.days(node.occurred_from, node.occurred_to, today)
    if not said and (node.valid_from or node.valid_to):
        said = words.days(node.valid_from, node.valid_to, today)
    return said or words("said_on", when=words.day(opened.day(node.known_at), today))


def impact(words: Words, value: float) -> Html:
    """The impact as a small meter with its sign."""
    side = "up" if value >= 0 else "down"
    return el(
        "span",
        el("i", style=f"width:{abs(value) * 10:.0f}%"),
        class_=f"meter {side}",
        role="img",
        aria_label=f"{words('impact')} {value:+g}",
        title=f"{words('impact')} {value:+g}",
    )
