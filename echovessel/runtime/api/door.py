"""The door of the HTTP API: who asks, from where, and how much they send."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from echovessel.memory.tokens import PREFIX
from echovessel.runtime.guard import HEADERS, Guard

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 1_000_000  # bytes of a request: a long history, and no more
HEALTH = "/health"
USER = "echovessel.user"  # in the scope: whose token it is, None without one
NEAR = "echovessel.near"  # in the scope: whether a program of this machine asks
# A proxy on this machine passes on what comes from elsewhere.
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


class Door:
    """ASGI middleware that lets in this machine, and whoever else brings a token.

    Parameters
    ----------
    app : ASGI application
    user_of : callable
        Whose token a secret is, or None.
    largest : int
        Bytes that the body of a request may have.
    """

    def __init__(self, app: Asgi, *, user_of: Callable[[str], str | None], largest: int = LARGEST) -> None:
        self._app = app
        self._user_of = user_of
        self._largest = largest
        self._guard = Guard(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; or refuse with 401, 403 or 413, before anything is read."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        secret = _bearer(headers)
        near = _near(scope, headers)
        user = await asyncio.to_thread(self._user_of, secret) if secret.startswith(PREFIX) else None
        if user is None and secret.startswith(PREFIX):
            await _refuse(send, 401, "This token opens nothing here. Make one: echovessel token create USER")
        elif user is None and not near and scope["path"] != HEALTH:
            await _refuse(
                send,
                401,
                "From another machine a token is needed: Authorization: Bearer ev-... "
                "Make one on the machine that runs EchoVessel: echovessel token create USER",
            )
        elif not (self._guard.allows(headers) or (not near and _same_origin(headers))):
            await _refuse(send, 403, "This API answers programs, and pages of its own; not other web sites.")
        elif (said := headers.get("content-length", "")).isdecimal() and int(said) > self._largest:
            await _refuse(send, 413, self._too_much)
        else:
            await self._admitted({**scope, USER: user, NEAR: near}, receive, send)

    @property
    def _too_much(self) -> str:
        return f"The request is larger than {self._largest:,} bytes. Send less at once."

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, counting what comes: a length in the header may be missing or untrue."""
        read, begun, refused = 0, False, False

        async def counted() -> Any:
            nonlocal read, refused
            message = await receive()
            read += len(message.get("body", b""))
            if read <= self._largest:
                return message
            if not (begun or refused):
                refused = True
                await _refuse(send, 413, self._too_much)
            return {"type": "http.disconnect"}

        async def guarded(message: Any) -> None:
            nonlocal begun
            if refused:
                return
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
            await send(message)

        try:
            await self._app(scope, counted, guarded)
        except Exception:
            if not refused:  # what the application says of a body that ended early is no news
                raise


def _bearer(headers: MutableMapping[str, str]) -> str:
    kind, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def _near(scope: Scope, headers: MutableMapping[str, str]) -> bool:
    """Whether a program of this machine asks, and for itself."""
    if any(name in headers for name in _PASSED_ON):
        return False
    try:
        return ipaddress.ip_address((scope.get("client") or ("", 0))[0]).is_loopback
    except ValueError:
        return False


def _same_origin(headers: MutableMapping[str, str]) -> bool:
    """Whether no web site asks but one at this very address, under whatever name the machine has in its network."""
    origin = headers.get("origin")
    if origin is not None:
        return origin.partition("://")[2] == headers.get("host", "")
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": {"message": why, "type": "refused", "code": None}}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        head.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": [*head, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
