"""What a chat client sends: the whole history each time, of which only the last turn is new."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib import resources
from typing import Literal

from echovessel.errors import InputError
from echovessel.memory.records import Sender
from echovessel.runtime.vessel import Vessel
from echovessel.text import clean

CHANNEL = "openai"
# The same history again within this time is a client that tries again; later it is a new talk that begins alike.
AGAIN = timedelta(minutes=10)
MATCHED = 400  # stored messages among which earlier turns are looked for
UNKNOWN_SHOWN = 20  # earlier turns that this memory doesn't know, shown for this answer


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a client's history, as text."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class History:
    """A client's history, taken apart.

    Attributes
    ----------
    system : str
        What the client adds for this call.
    earlier : tuple of Line
    last : tuple of str
        What the user said since the last reply.
    digest : str
        Of everything: the same request again has the same.
    """

    system: str
    earlier: tuple[Line, ...]
    last: tuple[str, ...]
    digest: str

    @classmethod
    def of(cls, lines: Sequence[Line]) -> History:
        """Take a history apart.

        Raises
        ------
        InputError
            It doesn't end with something that the user says.
        """
        talk = [line for line in lines if line.role != "system"]
        count = next((i for i, line in enumerate(reversed(talk)) if line.role != "user"), len(talk))
        last = tuple(line.text for line in talk[len(talk) - count :] if line.text.strip())
        if not last:
            raise InputError("messages must end with what the user says. Add a message of role user.")
        system = "\n".join(line.text for line in lines if line.role == "system" and line.text.strip())
        digest = hashlib.sha256("\0".join(f"{line.role}\1{line.text}" for line in talk).encode()).hexdigest()
        return cls(system, tuple(talk[: len(talk) - count]), last, digest)

    @property
    def off_record(self) -> bool:
        """Whether it asks for a title or the like, which is no talk."""
        looked = (self.last[-1], self.system)
        return any(pattern.search(text) for pattern in _patterns() for text in looked)


def external_id(vessel: Vessel, history: History) -> str:
    """The id under which the last turn is stored: the one it has already when this is a retry. Blocks."""
    memory = vessel.memory
    now = memory.context.clock.now()
    for message in reversed(memory.log.last(MATCHED)):
        if now - message.sent_at > AGAIN:
            break
        if message.channel == CHANNEL and (message.external_id or "").startswith(history.digest):
            return str(message.external_id).partition("/")[0]
    return f"{history.digest}-{memory.context.new_id()}"


def unknown(vessel: Vessel, earlier: Iterable[Line]) -> list[Line]:
    """Earlier turns that this memory doesn't know, such as a client's own greeting. Blocks."""
    known = {_key(message.sender, message.text) for message in vessel.memory.log.last(MATCHED)}
    sender = {"user": Sender.USER, "assistant": Sender.PERSONA}
    found = [
        line for line in earlier if line.text.strip() and _key(sender[line.role], line.text) not in known
    ]
    return found[-UNKNOWN_SHOWN:]


def _key(sender: Sender, text: str) -> tuple[Sender, str]:
    return sender, " ".join(clean(text).split())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    file = resources.files("echovessel.runtime.api") / "offrecord.toml"
    listed = tomllib.loads(file.read_text("utf-8"))["patterns"]
    return tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in listed)
