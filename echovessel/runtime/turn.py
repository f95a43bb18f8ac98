"""What is said to the persona, and what a turn tells as it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from echovessel.errors import InputError
from echovessel.memory.recall import Recall
from echovessel.memory.records import Message, NewMessage, Sender
from echovessel.mind.prompt import Prompt
from echovessel.models.language import Usage


class StepKind(StrEnum):
    """What a step of a turn tells, in the order in which they come."""

    HEARD = "heard"
    RECALLED = "recalled"
    PROMPTED = "prompted"
    PIECE = "piece"
    STORED = "stored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Stage:
    """How long a part of a turn took."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as far as it has come.

    Attributes
    ----------
    id : str
    heard : tuple of Message
        The burst being answered.
    recall : Recall, optional
    prompt : Prompt, optional
    text : str
        The reply so far.
    reply : Message, optional
        The reply as stored.
    speaker : str
        Who speaks: a model's name, or ``memory``.
    usage : Usage
    stages : tuple of Stage
        Milliseconds by part: ``hear``, ``embed``, ``recall``, ``prompt``, ``first word``, ``speak``, ``store``.
    why : str
        Why it failed, in one sentence.
    """

    id: str
    heard: tuple[Message, ...] = ()
    recall: Recall | None = None
    prompt: Prompt | None = None
    text: str = ""
    reply: Message | None = None
    speaker: str = ""
    usage: Usage = field(default_factory=Usage)
    stages: tuple[Stage, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a turn; `text` is the new piece, or the sentence that tells the user what failed."""

    kind: StepKind
    turn: Turn
    text: str = ""


@dataclass(frozen=True, slots=True)
class Saying:
    """What somebody says to the persona, and by what way.

    Attributes
    ----------
    lines : tuple of str
        One message, or a burst of them, which get one answer.
    external_id : str, or tuple of str or None, optional
        The channel's own id, or one a line; what was answered before gets no second answer.
    record : bool
        False for calls that are no talk (titles, suggestions): nothing is stored.
    instructions : str
        What the client adds for this call.
    """

    lines: tuple[str, ...]
    channel: str = "local"
    conversation: str = "main"
    sender: Sender = Sender.USER
    sender_name: str = ""
    external_id: str | tuple[str | None, ...] | None = None
    record: bool = True
    instructions: str = ""

    @property
    def query(self) -> str:
        """The whole burst as one text."""
        return "\n".join(self.lines)

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Channel, conversation and sender: lines of one place may make one burst."""
        return self.channel, self.conversation, str(self.sender), self.sender_name

    def messages(self) -> list[NewMessage]:
        """As they are stored.

        Raises
        ------
        InputError
            There are several ids, but not one a line.
        """
        ids = self.external_id
        if ids is None or isinstance(ids, str):
            several = ids is not None and len(self.lines) > 1
            ids = tuple(f"{ids}/{i}" if several else ids for i in range(len(self.lines)))
        if len(ids) != len(self.lines):
            raise InputError(
                f"{len(self.lines)} lines have {len(ids)} external ids. Give one, or one a line."
            )
        return [
            NewMessage(
                line,
                sender=self.sender,
                sender_name=self.sender_name,
                channel=self.channel,
                conversation=self.conversation,
                external_id=ident,
            )
            for line, ident in zip(self.lines, ids, strict=True)
        ]
