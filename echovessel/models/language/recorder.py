"""Requests and replies kept in a file, so that a notebook or a benchmark runs again for nothing."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from echovessel.errors import FormatError, ModelError
from echovessel.models.language.protocol import LanguageModel, Piece, Reply, Request

# How much of a request that isn't in the file stands in the error: enough to know it by.
_EXCERPT = 80


class _Line(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid")

    key: str
    asked: dict[str, Any]
    reply: Reply


class RecordedModel:
    """Replays the replies in a file; asks and records where one is missing, if there is a model to ask.

    Parameters
    ----------
    path : path
        A JSONL file, one request with its reply a line. It need not exist if there is a model to ask.
    inner : LanguageModel, optional
        Whom to ask for what isn't in the file. Left out, nothing is asked, and nothing costs.

    Raises
    ------
    FormatError
        A line of the file can't be read; names it.
    ModelError
        There is no such file and no model to ask.

    Notes
    -----
    A request is known by what decides its answer: the messages, the role, the schema, the token limit and the
    temperature. Asked several times, the same request gets the replies in the order recorded, and the last one from
    then on, so that two samples of one question stay two.
    """

    def __init__(self, path: str | Path, inner: LanguageModel | None = None) -> None:
        self.path = Path(path)
        self._inner = inner
        self._lock = threading.Lock()
        self._replies: dict[str, list[Reply]] = defaultdict(list)
        self._next: dict[str, int] = defaultdict(int)
        if self.path.exists():
            for line in _lines(self.path):
                self._replies[line.key].append(line.reply)
        elif inner is None:
            raise ModelError(f"There is no recording {self.path}. Give a model to ask, and it is written.")

    async def complete(self, request: Request) -> Reply:
        """The reply in the file, or a new one that is now in it.

        Raises
        ------
        ModelError
            The request isn't in the file, and there is no model to ask; or that one failed.
        """
        if (reply := self._replay(request)) is not None:
            return reply
        reply = await self._other(request).complete(request)
        await asyncio.to_thread(self._record, request, reply)
        return reply

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The same; a reply in the file comes in one piece. A stream that is not heard to its end isn't kept."""
        if (reply := self._replay(request)) is not None:
            yield Piece(reply.text)
            yield Piece(reply=reply)
            return
        pieces = self._other(request).stream(request)
        try:
            async for piece in pieces:
                if piece.reply is not None:
                    await asyncio.to_thread(self._record, request, piece.reply)
                yield piece
        finally:
            if (close := getattr(pieces, "aclose", None)) is not None:
                await close()

    def _replay(self, request: Request) -> Reply | None:
        key = _key(request)
        with self._lock:
            replies = self._replies.get(key)
            if not replies:
                return None
            at = self._next[key]
            if at >= len(replies) and self._inner is not None:
                return None
            self._next[key] = at + 1
            return replies[min(at, len(replies) - 1)]

    def _other(self, request: Request) -> LanguageModel:
        if self._inner is None:
            said = " ".join(request.says[-1].text.split()) if request.says else ""
            said = said if len(said) <= _EXCERPT else said[:_EXCERPT] + "..."
            raise ModelError(
                f"{self.path} holds no reply to this {request.purpose} request ({_key(request)[:12]}, from "
                f"{request.stamp or 'no prompt file'}): {said!r}. Record it with a model, or restore the prompt it was "
                "recorded with."
            )
        return self._inner

    def _record(self, request: Request, reply: Reply) -> None:
        line = _Line(key=_key(request), asked=_asked(request), reply=reply)
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line.model_dump_json() + "\n")
            self._replies[line.key].append(reply)
            self._next[line.key] = len(self._replies[line.key])


def _asked(request: Request) -> dict[str, Any]:
    """The request, for whoever reads the file."""
    return {
        "says": [[say.role, say.text] for say in request.says],
        "purpose": request.purpose,
        "role": request.role,
        "schema": request.schema.__name__ if request.schema else None,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stamp": request.stamp,
    }


def _key(request: Request) -> str:
    """A hash of what decides the answer."""
    decides = {name: value for name, value in _asked(request).items() if name not in ("purpose", "stamp")}
    if request.schema is not None:
        decides["schema"] = request.schema.model_json_schema()
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()


def _lines(path: Path) -> list[_Line]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is no UTF-8 text, so no recording.") from error
    # Not splitlines(): a text may hold U+2028, which JSON leaves as it is.
    return [_line(line, f"{path}, line {at}") for at, line in enumerate(text.split("\n"), 1) if line.strip()]


def _line(text: str, where: str) -> _Line:
    try:
        return _Line.model_validate_json(text)
    except ValidationError as error:
        what = error.errors()[0]
        place = ".".join(map(str, what["loc"]))
        raise FormatError(
            f"{where}: not a recorded reply ({f'{place}: ' if place else ''}{what['msg']}). Delete the line, or "
            "record the file anew."
        ) from error
