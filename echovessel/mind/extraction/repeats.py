"""Whether something was said before: the same words but for empty ones, near by vector, of the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from echovessel.memory.memory import Memory
from echovessel.memory.records import NewNode, Node
from echovessel.memory.supersession import slot
from echovessel.memory.vectors import Layer
from echovessel.mind.extraction import meant
from echovessel.mind.extraction.parties import Parties
from echovessel.mind.extraction.records import Draft
from echovessel.text import fold

NEAR = 0.8
NEIGHBOURS = 8


def said_before(
    memory: Memory, draft: Draft, drafts: Sequence[Draft], parties: Parties, unrelated: float
) -> tuple[int | None, str | None]:
    """The place of a draft, or the id of a stored memory that nothing has replaced, that says the same.

    Parameters
    ----------
    unrelated : float
        Mean cosine of texts that have nothing to do with each other, by the file's embedder.
    """
    new = draft.node
    for place, other in enumerate(drafts):
        if (other.node.kind, other.node.subject, fold(other.about)) == (
            new.kind,
            new.subject,
            fold(draft.about),
        ) and _same(new, other.node):
            return place, None
    if draft.vector is None:
        return None, None
    about = parties.known(draft.about) if draft.about else None
    for near in memory.vectors.nearest(draft.vector, NEIGHBOURS, layers=[Layer.NODE], kinds=[new.kind]):
        node = memory.nodes.get(near.id)
        root = None if node.about is None else memory.directory.root(node.about)
        owner = (node.scope, node.subject, root) == (memory.context.scope, new.subject, about)
        if near.cosine >= unrelated + NEAR * (1 - unrelated) and owner and _same(new, node):
            return None, node.id
    return None, None


def merged(draft: Draft, again: Draft) -> Draft:
    """A draft with the sources of what says the same."""
    known = {source.message for source in draft.node.sources}
    more = tuple(source for source in again.node.sources if source.message not in known)
    node = replace(draft.node, sources=(*draft.node.sources, *more))
    return replace(draft, node=node, names=tuple(dict.fromkeys((*draft.names, *again.names))))


def _same(new: NewNode, old: NewNode | Node) -> bool:
    """Whether two texts make one claim: a swim on Monday and one on Friday are two."""
    if new.attribute and old.attribute and slot(new.attribute) != slot(old.attribute):
        return False
    if meant.opposed(new.text, old.text) or meant.wording(new.text) != meant.wording(old.text):
        return False
    days = [_days(each) for each in (new, old)]
    return None in days or days[0] == days[1]


def _days(node: NewNode | Node) -> tuple[date | None, ...] | None:
    found = (node.occurred_from, node.occurred_to, node.due_on)
    return found if any(found) else None
