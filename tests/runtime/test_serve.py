"""What is served beside the daemon: it answers, and replies under way come to their end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from echovessel.errors import InputError
from echovessel.runtime.daemon import Daemon
from echovessel.runtime.serve import listening, serve
from echovessel.runtime.vessel import Vessel


async def slow(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An application that takes its time."""
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"Half ", "more_body": True})
    await asyncio.sleep(0.2)
    await send({"type": "http.response.body", "body": b"whole."})


def test_a_reply_under_way_is_finished_before_the_daemon_ends(tmp_path: Path) -> None:
    Vessel.open(tmp_path, embedder="hash").close()
    at = listening("127.0.0.1", 0)
    up = asyncio.Event()

    async def run(daemon: Daemon) -> str:
        task = asyncio.create_task(daemon.run(serve=lambda daemon: serve(slow, at, daemon, ready=up.set)))
        await asyncio.wait_for(up.wait(), 10)
        async with (
            httpx.AsyncClient() as client,
            client.stream("GET", f"http://127.0.0.1:{at.getsockname()[1]}/") as reply,
        ):
            pieces = reply.aiter_text()
            first = await anext(pieces)
            daemon.stop()
            rest = "".join([piece async for piece in pieces])
        await asyncio.wait_for(task, 10)
        return first + rest

    with Daemon(tmp_path, embedder="hash") as daemon:
        assert asyncio.run(run(daemon)) == "Half whole."


def test_an_address_that_is_taken_is_named() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"127.0.0.1:{port} can't be listened on.*\[server\]"):
            listening("127.0.0.1", port)
