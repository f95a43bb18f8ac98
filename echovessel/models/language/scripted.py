"""A model that answers from a script: for tests, examples and simulated months."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import regex
from pydantic import BaseModel

from echovessel.errors import ModelError
from echovessel.models.language.protocol import Piece, Reply, Request, Usage
from echovessel.text import count_tokens

Line = str | BaseModel | dict[str, Any] | Exception
_WORD = regex.compile(r"\s*\S+\s*")


class ScriptedModel:
    """Gives the answers of a script, and remembers what it was asked.

    Parameters
    ----------
    script : callable or iterable
        A function from the request to the answer, or answers in order. An answer is text, a pydantic object or a
        dict (sent as JSON), or an exception, which is raised.

    Attributes
    ----------
    requests : list of Request
        All that was asked, oldest first.
    """

    def __init__(self, script: Callable[[Request], Line] | Iterable[Line], *, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._script: Callable[[Request], Line]
        if callable(script):
            self._script = script
        else:
            lines = iter(script)
            self._script = lambda request: self._next(lines, request)

    async def complete(self, request: Request) -> Reply:
        """The next answer of the script."""
        self.requests.append(request)
        line = self._script(request)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, BaseModel):
            text = line.model_dump_json()
        else:
            text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        asked = sum(count_tokens(say.text) for say in request.says)
        return Reply(text, self.name, Usage(asked, count_tokens(text), 0.0))

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The same, word by word."""
        reply = await self.complete(request)
        for word in _WORD.findall(reply.text):
            yield Piece(word)
        yield Piece(reply=reply)

    def _next(self, lines: Any, request: Request) -> Line:
        try:
            line: Line = next(lines)
        except StopIteration:
            raise ModelError(
                f"The script has no answer left for request {len(self.requests)} ({request.purpose})."
            ) from None
        return line
