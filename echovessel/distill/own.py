"""What is a persona's own life, which every talk may know of, and what belongs to one talk."""

from __future__ import annotations

from collections.abc import Iterable

from echovessel.distill.archive import Line
from echovessel.distill.history import Mapping
from echovessel.memory.records import Sender
from echovessel.mind.extraction.meant import second_person
from echovessel.mind.extraction.quotes import stands_in


def own_life(texts: Iterable[str], lines: Iterable[Line], mapping: Mapping) -> bool:
    """Whether all that is said comes from the persona's own lines, and neither speaks to nor of the user.

    Parameters
    ----------
    texts : iterable of str
        What is said, and the words that bear it out.
    lines : iterable of Line
        Where those stand.
    """
    return all(mapping.sender(line) is Sender.PERSONA for line in lines) and not any(
        second_person(text) or any(stands_in(name, text) for name in mapping.user) for text in texts
    )
