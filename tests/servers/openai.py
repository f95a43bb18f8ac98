"""An OpenAI-compatible server on loopback, with the faults that real ones have.

Real HTTP over a real socket, so that what is tested is the client as a user runs it::

    with OpenAIServer(Says("Hello."), Fails(429, retry_after=1), Says("Again.")) as server:
        ...  # base_url = server.url
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import pytest

MODEL = "tiny"
# For `pytestmark` where the real litellm is used: it ignores these warnings of its own doing, but pytest's filters
# stand before its.
LITELLM_NOISE = [
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier"),
    pytest.mark.filterwarnings("ignore:Accessing the.*attribute on the instance is deprecated"),
]


@dataclass(frozen=True)
class Says:
    """An answer, streamed or whole as the client asks.

    Attributes
    ----------
    text : str
    finish : str
        ``length`` as if the token limit had cut it.
    gap : float
        Seconds before each token.
    cut_after : int, optional
        The connection breaks after so many tokens.
    error_after : int, optional
        After so many tokens the stream carries an error object, as overloaded servers send it.
    ends : bool
        Whether the stream says that it is over; else it just stops, as behind a proxy that lost its server.
    pings : bool
        Whether comments keep the connection alive while nothing is said, as some routers send them.
    usage : bool
        Whether token counts come with it.
    """

    text: str
    finish: str = "stop"
    gap: float = 0.0
    cut_after: int | None = None
    error_after: int | None = None
    ends: bool = True
    pings: bool = False
    usage: bool = True

    @property
    def tokens(self) -> list[str]:
        return re.findall(r"\s*\S+\s*|\s+", self.text)


@dataclass(frozen=True)
class Fails:
    """An error in the form OpenAI gives it."""

    status: int
    message: str = "It went wrong."
    code: str | None = None
    retry_after: float | str | None = None


@dataclass(frozen=True)
class Raw:
    """Bytes that are no valid answer."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hangs:
    """Silence for so many seconds, then the connection closes."""

    seconds: float


Answer = Says | Fails | Raw | Hangs


@dataclass(frozen=True)
class Heard:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)


class OpenAIServer:
    """Answers `/v1/chat/completions` from a script, the last answer again and again; `/v1/models` lists `models`.

    Attributes
    ----------
    url : str
        To give as `base_url`.
    heard : list of Heard
        The chat requests, oldest first.
    asked : threading.Event
        Set when the first of them has arrived.
    hung_up : threading.Event
        Set when a client closed its connection before the answer was over.
    """

    def __init__(
        self,
        *answers: Answer | Callable[[dict[str, Any]], Answer],
        models: tuple[str, ...] | Raw | None = (MODEL,),
    ) -> None:
        self.heard: list[Heard] = []
        self.asked = threading.Event()
        self.hung_up = threading.Event()
        self.models = models
        self._answers = list(answers) or [Says("Hello.")]
        self._lock = threading.Lock()
        self._stop = threading.Event()
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def answer(self, heard: Heard) -> Answer:
        with self._lock:
            self.heard.append(heard)
            self.asked.set()
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(heard.body) if callable(answer) else answer

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def pause(self, seconds: float) -> None:
        """Wait, but no longer than the server runs."""
        self._stop.wait(max(seconds, 0.0))


class _Handler(BaseHTTPRequestHandler):
    server_owner: OpenAIServer
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        # A client that goes away between two requests has every right to.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_GET(self) -> None:
        models = self.server_owner.models
        if self.path != "/v1/models" or models is None:
            self._json(404, {"error": {"message": "Not here.", "type": "not_found", "code": None}})
        elif isinstance(models, Raw):
            self._send(200, models.body, models.content_type)
        else:
            self._json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in models]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server_owner.answer(
            Heard(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        )
        try:
            self._give(answer, body)
        except ConnectionError:
            self.server_owner.hung_up.set()
            self.close_connection = True

    def _give(self, answer: Answer, body: dict[str, Any]) -> None:
        if isinstance(answer, Fails):
            headers = {} if answer.retry_after is None else {"Retry-After": str(answer.retry_after)}
            error = {
                "message": answer.message,
                "type": answer.code or "error",
                "param": None,
                "code": answer.code,
            }
            self._json(answer.status, {"error": error}, headers)
        elif isinstance(answer, Raw):
            self._send(200, answer.body, answer.content_type)
        elif isinstance(answer, Hangs):
            self.server_owner.pause(answer.seconds)
            self.close_connection = True
        elif body.get("stream"):
            self._stream(answer, body)
        else:
            self._whole(answer, body)

    def _whole(self, answer: Says, body: dict[str, Any]) -> None:
        self.server_owner.pause(answer.gap * len(answer.tokens))
        if answer.cut_after is not None:
            self.close_connection = True
            return
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": answer.text},
            "finish_reason": answer.finish,
        }
        usage = {"usage": self._usage(answer, body)} if answer.usage else {}
        self._json(200, {**self._head("chat.completion", body), "choices": [choice], **usage})

    def _stream(self, answer: Says, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for token in answer.tokens[: answer.cut_after][: answer.error_after]:
            until = time.monotonic() + answer.gap
            while answer.pings and time.monotonic() < until and not self.server_owner.stopped:
                self._write(b": still here\n\n")
                self.server_owner.pause(0.05)
            self.server_owner.pause(until - time.monotonic())
            self._event(self._chunk(body, {"role": "assistant", "content": token}))
        if answer.cut_after is not None:
            self.close_connection = True
            return
        if answer.error_after is not None:
            self._event({"error": {"message": "Overloaded.", "type": "server_error", "code": 503}})
        elif answer.ends:
            self._event(self._chunk(body, {}, answer.finish))
            if answer.usage and (body.get("stream_options") or {}).get("include_usage"):
                head = self._head("chat.completion.chunk", body)
                self._event({**head, "choices": [], "usage": self._usage(answer, body)})
            self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(
        self, body: dict[str, Any], delta: dict[str, str], finish: str | None = None
    ) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**self._head("chat.completion.chunk", body), "choices": [choice]}

    def _head(self, kind: str, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1_750_000_000,
            "model": body.get("model", MODEL),
        }

    def _usage(self, answer: Says, body: dict[str, Any]) -> dict[str, int]:
        asked = sum(len(str(message["content"]).split()) for message in body["messages"])
        said = len(answer.tokens)
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}

    def _event(self, data: dict[str, Any]) -> None:
        self._write(b"data: " + json.dumps(data).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _json(self, status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(data).encode(), "application/json", headers)

    def _send(
        self, status: int, data: bytes, content_type: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Quiet."""
