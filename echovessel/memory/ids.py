"""Ids that sort by the time they were made: ULIDs (26 characters, Crockford's base 32)."""

from __future__ import annotations

import re
import secrets
import threading
from datetime import datetime

from echovessel.clock import to_micros
from echovessel.errors import InputError

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_NAME = re.compile(r"[^\W_][\w.@-]{0,63}")


class IdMaker:
    """Makes ids that never repeat and, within one process, always ascend, also inside a millisecond."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def new(self, now: datetime) -> str:
        """An id for a row written now."""
        stamp = (to_micros(now) // 1000) << _RANDOM_BITS
        with self._lock:
            fresh = stamp | secrets.randbits(_RANDOM_BITS - 1)
            self._last = fresh if fresh > self._last else self._last + 1
            value = self._last
        return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -5, -5))


def checked_name(name: object, what: str) -> str:
    """A persona, user, group or channel name that may serve as a key.

    Raises
    ------
    InputError
        Empty, longer than 64 characters, or with anything but letters, digits, ``_ . @ -``.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"{what} id {name!r} can't be used: it must be 1 to 64 letters, digits or _ . @ -, "
            "and begin with a letter or digit."
        )
    return name
