"""The server: both pages behind the guard, on this machine alone."""

from __future__ import annotations

import asyncio
import errno
import socket
import webbrowser
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from echovessel.workbench.app.quiet import hush

hush()

import gradio as gr  # noqa: E402
import uvicorn  # noqa: E402
from fastapi import FastAPI, Request  # noqa: E402
from fastapi.responses import RedirectResponse, Response  # noqa: E402

from echovessel.errors import InputError  # noqa: E402
from echovessel.plots.style import FACTOR_COLOURS  # noqa: E402
from echovessel.runtime.guard import Guard  # noqa: E402
from echovessel.workbench.app.page import page_of  # noqa: E402
from echovessel.workbench.app.shelf import Opened, Shelf  # noqa: E402
from echovessel.workbench.app.words import LANGUAGES, Words, preferred  # noqa: E402

HOST = "127.0.0.1"
PORT = 7860
TRIES = 100
LARGEST_UPLOAD = "200mb"
_FONTS = (
    "system-ui",
    "-apple-system",
    "Segoe UI",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans CJK SC",
    "sans-serif",
)
_MONO = ("ui-monospace", "SFMono-Regular", "Consolas", "Noto Sans Mono CJK SC", "monospace")


def build(*opened: Opened) -> FastAPI:
    """The page on these memories, as an ASGI application that answers this machine's browser only."""
    return _application(Shelf(opened))


def _application(shelf: Shelf) -> FastAPI:
    app = FastAPI(title="EchoVessel", docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/")
    def front(request: Request) -> RedirectResponse:
        language = preferred(request.headers.get("accept-language", ""))
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{language}/{query}", status_code=307)

    @app.get("/favicon.ico")
    def icon() -> Response:
        return Response(_static("icon.svg"), media_type="image/svg+xml")

    for language in LANGUAGES:
        gr.mount_gradio_app(
            app,
            page_of(shelf, Words(language)),
            path=f"/{language}",
            theme=_theme(),
            css=_colours() + _static("page.css") + _static("chat.css"),
            head=f"<script>{_static('page.js')}{_static('chat.js')}</script>",
            footer_links=[],
            run_history=False,
            ssr_mode=False,
            pwa=False,
            mcp_server=False,
            enable_monitoring=False,
            max_file_size=LARGEST_UPLOAD,
        )
    app.add_middleware(Guard)
    return app


def serve(
    *opened: Opened,
    host: str = HOST,
    port: int = PORT,
    open_browser: bool = True,
    home: Path | None = None,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve the page until it is interrupted.

    Parameters
    ----------
    host : str
        A loopback address.
    port : int
        Where to listen; the next free one when it is taken.
    open_browser : bool
        Show the page once it answers.
    home : Path, optional
        The folder of personas that are written on the page; a temporary one when left out.
    ready : callable
        Called with the address once it answers.

    Raises
    ------
    InputError
        The host is not this machine's own, or no port is free.
    """
    listening = listen(host, port)
    address = f"http://{host}:{listening.getsockname()[1]}/"

    def up() -> None:
        ready(address)
        if open_browser:
            webbrowser.open(address)

    shelf = Shelf(opened, home=home)
    settings = uvicorn.Config(_application(shelf), log_level="warning", access_log=False)
    try:
        asyncio.run(_Server(settings, up).serve(sockets=[listening]))
    finally:
        shelf.close_loaded()


def listen(host: str, port: int) -> socket.socket:
    """A socket on the first free port from `port` on.

    Raises
    ------
    InputError
        The host is not this machine's own, or none of 100 ports is free.
    """
    if host not in ("127.0.0.1", "localhost"):
        raise InputError(f"the page shows memories, so it listens on 127.0.0.1 only, not on {host!r}.")
    if not 0 <= port <= 65535:
        raise InputError(f"a port is a number from 0 to 65535, found {port}.")
    for number in range(port, min(port + TRIES, 65536)):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((host, number))
            one.listen(128)
            return one
        except OSError as error:
            one.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    raise InputError(f"ports {port} to {port + TRIES - 1} are all taken. Name another: --port N.")


class _Server(uvicorn.Server):
    """Tells when it answers."""

    def __init__(self, config: uvicorn.Config, up: Callable[[], None]) -> None:
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            await asyncio.to_thread(self._up)


def _theme() -> gr.themes.Base:
    return gr.themes.Base(
        primary_hue="sky",
        neutral_hue="slate",
        radius_size="md",
        font=[gr.themes.Font(name) for name in _FONTS],
        font_mono=[gr.themes.Font(name) for name in _MONO],
    )


def _colours() -> str:
    return "".join(
        f".f-{name}{{background:{colour}}}.w-{name}{{--mark:{colour}}}"
        for name, colour in FACTOR_COLOURS.items()
    )


def _static(name: str) -> str:
    return (resources.files("echovessel.workbench.app") / "static" / name).read_text(encoding="utf-8")
