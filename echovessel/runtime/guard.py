"""Who may ask a server of ours: this machine's own programs, and its browser on a page of ours.

A server on 127.0.0.1 can be reached by any web site that the same browser shows: by a request across origins, or
by a name that is made to point at 127.0.0.1 (DNS rebinding). Both are refused by what the browser says of itself.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Asgi = Callable[[Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

# Gradio's page runs inline scripts and builds templates with Function(); nothing may come from, or go to, elsewhere.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
NAMES = frozenset({"localhost"})


class Guard:
    """ASGI middleware that answers only requests from this machine's pages, and tells the browser to ask nobody else.

    Parameters
    ----------
    app : ASGI application
    hosts : collection of str
        Further names under which the page may be asked for, for a server that was told to listen elsewhere.
    """

    def __init__(self, app: Asgi, *, hosts: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._hosts = NAMES | hosts

    async def __call__(
        self, scope: Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Answer, or refuse with 403 (a websocket with code 1008)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        if not self.allows(headers):
            await _refuse(scope, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {key for key, _ in HEADERS}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in own]
                message = {**message, "headers": [*kept, *HEADERS]}
            await send(message)

        await self._app(scope, receive, guarded)

    def allows(self, headers: MutableMapping[str, str]) -> bool:
        """Whether a request with these headers comes from a page of ours, or from no page at all."""
        host = headers.get("host", "")
        if not self._known(f"//{host}"):
            return False
        origin = headers.get("origin")
        if origin is not None:
            return origin.partition("://")[2] == host and self._known(origin)
        # Without an Origin (a plain GET) the browser still says where the request started.
        return headers.get("sec-fetch-site", "none") in ("same-origin", "none") or _is_visit(headers)

    def _known(self, address: str) -> bool:
        try:
            name = urlsplit(address).hostname or ""
        except ValueError:
            return False
        if name in self._hosts:
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False


def _is_visit(headers: MutableMapping[str, str]) -> bool:
    """A link that was followed: the page opens in the browser's own window, and nothing reads it from outside."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


async def _refuse(scope: Scope, send: Callable[[Any], Awaitable[None]]) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = b"Refused: this page answers only to this machine. Open it as http://127.0.0.1 with its port.\n"
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": [*head, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
