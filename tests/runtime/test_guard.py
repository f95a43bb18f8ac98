"""The page answers this machine's own browser on a page of ours, and nobody else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from echovessel.errors import InputError
from echovessel.runtime.guard import Guard
from echovessel.workbench.app.server import listen

OURS = "127.0.0.1:7860"


def answer(headers: dict[str, str], *, kind: str = "http") -> list[dict[str, Any]]:
    """What comes back for a request with these headers; the app behind the guard says 200."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-app", b"1")]})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    pairs = [(key.encode(), value.encode()) for key, value in headers.items()]
    asyncio.run(Guard(app)({"type": kind, "headers": pairs}, receive, send))
    return sent


@pytest.mark.parametrize(
    "headers",
    [
        {"host": OURS},
        {"host": "localhost:7860"},
        {"host": "[::1]:7860"},
        {"host": OURS, "origin": f"http://{OURS}"},
        {"host": OURS, "sec-fetch-site": "same-origin"},
        {"host": OURS, "sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
        {
            "host": OURS,
            "sec-fetch-site": "cross-site",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document",
        },
    ],
)
def test_our_own_pages_are_answered(headers: dict[str, str]) -> None:
    assert answer(headers)[0]["status"] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "evil.example"},
        {"host": "evil.example:7860"},
        {"host": "127.0.0.1.evil.example:7860"},
        {"host": "localhost.evil.example"},
        {"host": "10.0.0.5:7860"},
        {"host": "[::1"},
        {"host": OURS, "origin": "https://evil.example"},
        {"host": OURS, "origin": "null"},
        {"host": OURS, "origin": "http://127.0.0.1:9999"},
        {"host": OURS, "origin": "http://localhost:7860"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": OURS, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"host": OURS, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
        {
            "host": OURS,
            "sec-fetch-site": "cross-site",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "iframe",
        },
    ],
)
def test_every_other_page_is_refused(headers: dict[str, str]) -> None:
    first, second = answer(headers)

    assert first["status"] == 403
    assert b"x-app" not in dict(first["headers"])
    assert b"127.0.0.1" in second["body"]


def test_a_websocket_from_elsewhere_is_closed() -> None:
    sent = answer({"host": OURS, "origin": "https://evil.example"}, kind="websocket")

    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_every_answer_tells_the_browser_to_ask_nobody_else() -> None:
    headers = dict(answer({"host": OURS})[0]["headers"])

    policy = headers[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy
    assert "http" not in policy  # no other address is allowed for anything
    assert "frame-ancestors 'none'" in policy
    assert headers[b"referrer-policy"] == b"no-referrer"


def test_a_taken_port_gives_way_to_the_next_free_one() -> None:
    with listen("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with listen("127.0.0.1", taken) as second:
            assert taken < second.getsockname()[1] < taken + 100


@pytest.mark.parametrize("host", ["0.0.0.0", "", "192.168.1.5", "example.org"])
def test_it_listens_on_this_machine_alone(host: str) -> None:
    with pytest.raises(InputError, match=r"127\.0\.0\.1"):
        listen(host, 0)


def test_a_port_out_of_range_is_one_sentence() -> None:
    with pytest.raises(InputError, match="0 to 65535"):
        listen("127.0.0.1", 70_000)
