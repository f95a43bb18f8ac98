"""Turns and evidence as LoCoMo and REALTALK write them (``D8:6``), with the slips in them read or counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from echovessel.samples.talk import Turn

_DIALOGUE = re.compile(r"D:?(\d+):(\d+)")
_EXACT = re.compile(r"D(\d+):(\d+)")


def turn_id(session: str | int, number: str | int) -> str:
    """The plain form, without leading zeros."""
    return f"D{int(session)}:{int(number)}"


def turn_name(given: str) -> str:
    """What a turn is called: the plain form of its ``dia_id``, or that as it is where it has another form."""
    match = _EXACT.fullmatch(given.strip())
    return turn_id(*match.groups()) if match else given.strip()


def take(turn: Turn, into: list[Turn], *, seen: set[str], left_out: Counter[str]) -> None:
    """Add a turn to its session, unless it says nothing or its id is taken; then it is counted."""
    if not turn.said:
        left_out["turns without text or picture"] += 1
    elif turn.id in seen:
        left_out["turns with an id already used"] += 1
    else:
        seen.add(turn.id)
        into.append(turn)


def read_evidence(
    pieces: Iterable[object], turns: Collection[str], *, repaired: Counter[str], left_out: Counter[str]
) -> tuple[str, ...]:
    """Turn ids named by evidence strings, once each, in order.

    Several ids in one string are all taken; ``D30:05`` is ``D30:5``; ``D:11:26`` is ``D11:26``. What names
    no turn is dropped. Both are counted.
    """
    found: dict[str, None] = {}
    for piece in pieces:
        text = str(piece).strip()
        ids = [turn_id(*match) for match in _DIALOGUE.findall(text)]
        if not ids:
            left_out["evidence that is no turn id"] += 1
        elif len(ids) > 1:
            repaired["several turn ids in one evidence string"] += 1
        elif text != ids[0]:
            slip = "leading zeros in an evidence id" if _EXACT.fullmatch(text) else "a malformed evidence id"
            repaired[slip] += 1
        for name in ids:
            if name in turns:
                found[name] = None
            else:
                left_out["evidence that names no turn"] += 1
    return tuple(found)
