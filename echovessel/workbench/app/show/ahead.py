"""What is still open: promises and expectations, soonest due first."""

from __future__ import annotations

from datetime import date

from echovessel.markup import Html, el, join
from echovessel.memory.records import Node, NodeKind, NodeStatus
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.browse import kind_label
from echovessel.workbench.app.show.parts import act, chip, empty, happened
from echovessel.workbench.app.words import Words


def ahead(opened: Opened, words: Words) -> Html:
    """Open promises and expectations; what is past its day says so."""
    waiting = opened.memory.nodes.list(
        kinds=(NodeKind.INTENTION, NodeKind.EXPECTATION), status=NodeStatus.OPEN
    )
    if not waiting:
        return empty(words, "empty_ahead")
    rows = (
        _row(opened, words, one) for one in sorted(waiting, key=lambda one: (one.due_on or date.max, one.id))
    )
    return el("section", el("h3", words("ahead")), el("ul", join(rows), class_="links"), class_="card detail")


def _row(opened: Opened, words: Words, node: Node) -> Html:
    late = node.due_on is not None and node.due_on < opened.today
    return el(
        "li",
        kind_label(words, node.kind),
        act(node.text, "open", node.id),
        el("small", happened(opened, words, node)),
        chip(words("overdue"), kind="past") if late else None,
    )
