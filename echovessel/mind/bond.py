"""How a bond shows: agreed names, what the user likes, since when they talk. Each line cites where it comes from.

There is no number for it anywhere; whoever wants it otherwise corrects the memory that a line rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from echovessel.clock import day_of
from echovessel.memory.records import NodeKind, ScopeKind, Subject
from echovessel.mind.fence import quoted
from echovessel.mind.prompt.sections import Cut, Entry

if TYPE_CHECKING:
    from echovessel.mind.prompt.reader import Reader

# Attributes of facts about the user that shape how the persona meets them; extraction files them under these.
ADDRESS, LIKES, DISLIKES = "address", "likes", "dislikes"
_KEYS = {ADDRESS: "address", LIKES: "likes", DISLIKES: "dislikes"}
MOST = 5


def bond_lines(r: Reader) -> list[Entry]:
    """Lines about how the user wants to be met, each with the id of the memory it follows from."""
    if r.memory.context.scope.kind is not ScopeKind.USER:
        return []
    lines: list[Entry] = []
    for attribute, key in _KEYS.items():
        facts = r.nodes(NodeKind.EVENT, attribute=attribute, subject=Subject.USER, limit=MOST)
        told = [(n.id, n.text, r.words(key, speaker=r.speaker, text=quoted(n.text))) for n in facts]
        lines += r.take(told, list[Cut]())
    first = next(iter(r.memory.log.between(limit=1)), None)
    if first is not None and day_of(first.sent_at, r.zone) < r.today:
        date = f"{day_of(first.sent_at, r.zone):%Y-%m-%d}"
        lines.append(Entry(r.words("since", date=date, when=r.when(first.sent_at))))
    return lines
