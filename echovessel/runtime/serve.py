"""An ASGI application beside the daemon, under uvicorn, ending when the daemon does."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from echovessel.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from echovessel.runtime.daemon import Daemon

PATIENCE = 15  # seconds that replies under way get as the daemon ends


def application(daemon: Daemon) -> Any:
    """The HTTP API of a daemon's personas.

    Raises
    ------
    MissingExtra
        Its packages aren't installed.
    """
    try:
        from echovessel.runtime.api import build_api
    except ModuleNotFoundError as error:
        raise MissingExtra("The HTTP API", "serve") from error
    return build_api(daemon.vessels, health=daemon.health)


def listening(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 is any free one.

    Raises
    ------
    InputError
        The address can't be had.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        one = socket.socket(family, kind)
    except OSError as error:
        raise InputError(f"{host} is no address of this machine: {error.strerror}.") from error
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(address)
        one.listen(128)
    except OSError as error:
        one.close()
        raise InputError(
            f"{host}:{port} can't be listened on: {error.strerror}. Set another port under [server]."
        ) from error
    return one


async def serve(
    application: Any, at: socket.socket, daemon: Daemon, *, ready: Callable[[], None] = lambda: None
) -> None:
    """Serve until the daemon is told to stop; replies under way come to their end first.

    Raises
    ------
    MissingExtra
        uvicorn isn't installed.
    """
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise MissingExtra("The HTTP API", "serve") from error

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Signals are the daemon's."""
            yield

    settings = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        # Who asks is told by the connection, and never by a header that anybody may write.
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(settings)
    task = asyncio.create_task(server.serve(sockets=[at]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn tells it by an attribute
        await asyncio.sleep(0.02)
    if not task.done():
        ready()
    stopped = asyncio.create_task(daemon.stopping.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    server.should_exit = True
    await task
