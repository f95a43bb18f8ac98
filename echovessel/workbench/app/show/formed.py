"""What a talk became once it was over."""

from __future__ import annotations

from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Node
from echovessel.mind.consolidation import Consolidated, State
from echovessel.workbench.app.faults import in_words
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import kind_label, states
from echovessel.workbench.app.show.parts import act, happened, impact, notice
from echovessel.workbench.app.words import Words


def formed(opened: Opened, words: Words) -> Html:
    """The memories of the talk that was ended last, each to be corrected or forgotten; or why there are none."""
    became = opened.talk.became
    if not became:
        return Html("")
    nodes = _alive(opened, [one for talk in became for one in (*talk.nodes, *talk.thoughts)])
    parts: list[Html] = []
    if nodes:
        parts.append(el("ol", join(_row(opened, words, node) for node in nodes), class_="formed"))
    parts += _sentences(words, became, bool(nodes))
    return el(
        "section",
        el(
            "header",
            el("h3", words("formed_title")),
            el("small", words("formed_count", count=len(nodes))) if nodes else None,
        ),
        join(parts),
        class_="card side new",
        role="status",
    )


def _sentences(words: Words, became: tuple[Consolidated, ...], any_: bool) -> list[Html]:
    found = {talk.state for talk in became}
    said = [
        el("p", words(f"formed_{state}"), class_="hint")
        for state in (State.WAITING, State.TRIVIAL)
        if state in found
    ]
    if State.SETTLED in found and not any_:
        said.append(el("p", words("formed_none"), class_="hint"))
    whys = dict.fromkeys(talk.why for talk in became if talk.state is State.FAILED)
    return said + [notice(words("formed_failed", why=in_words(why, words.language))) for why in whys]


def _alive(opened: Opened, ids: list[str]) -> list[Node]:
    """The memories in their order, without those that were forgotten meanwhile."""
    found = []
    for node in dict.fromkeys(ids):
        try:
            found.append(opened.memory.nodes.get(node))
        except NotFoundError:
            continue
    return found


def _row(opened: Opened, words: Words, node: Node) -> Html:
    return el(
        "li",
        el(
            "div",
            kind_label(words, node.kind),
            el("span", happened(opened, words, node).partition(" · ")[0]),
            join(states(words, node)),
            impact(words, node.impact),
            class_="head",
        ),
        el("p", node.text, class_="said"),
        el(
            "div",
            act(words("open_memory"), "open", node.id),
            act(words("formed_edit"), "correct", node.id, label=f"{words('formed_edit')}: {node.text}"),
            act(words("formed_forget"), "forget", node.id, label=f"{words('formed_forget')}: {node.text}"),
            class_="foot",
        ),
    )
