"""What a language model is asked and what it answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel

# Which of the configured models is asked: `fast` for bookkeeping, `main` for talking and thinking, `judge` for grading.
Role = Literal["fast", "main", "judge"]


class Purpose(StrEnum):
    """What a call is for, as it stands in the log of costs."""

    REPLY = "reply"
    EXTRACTION = "extraction"
    REFLECTION = "reflection"
    SLOW_TICK = "slow_tick"
    DISTILLING = "distilling"
    PROACTIVE = "proactive"
    JUDGE = "judge"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Say:
    """One message of a request."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    Attributes
    ----------
    says : tuple of Say
        The conversation, oldest first.
    purpose : Purpose
    role : Role
    schema : type of BaseModel, optional
        The answer must be a JSON object of this type; see `structured`.
    max_tokens : int, optional
        The answer is cut there.
    temperature : float, optional
        The provider's own when left out.
    stamp : str
        Name, version and hash of the prompt file that the request was made from; logged with the call.
    beyond_limit : bool
        Made even where the user's limit on spending is reached: somebody may be in danger.
    """

    says: tuple[Say, ...]
    purpose: Purpose = Purpose.OTHER
    role: Role = "main"
    schema: type[BaseModel] | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stamp: str = ""
    beyond_limit: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens in and out, and US dollars; `cost` is None where the price isn't known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. `finish` is ``length`` when the token limit cut it."""

    text: str
    model: str
    usage: Usage = Usage()
    finish: Literal["stop", "length"] = "stop"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a streamed answer; the last one carries the whole as `reply`."""

    text: str = ""
    reply: Reply | None = None


class LanguageModel(Protocol):
    """Answers requests.

    Both methods raise `ModelError` when no useful answer came: one sentence, with what to do.
    """

    async def complete(self, request: Request) -> Reply:
        """The whole answer."""

    def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The answer as it comes; exactly one piece, the last, has `reply` set."""
