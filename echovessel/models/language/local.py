"""Model servers on this machine, at the ports they usually have. Looked for when asked, and only offered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from types import MappingProxyType

# Where the servers listen unless told otherwise; all of them speak OpenAI's protocol below /v1.
USUAL: Mapping[str, int] = MappingProxyType({"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234})
_LOOPBACK = "127.0.0.1"
_MOST = 1_000_000  # bytes; longer than any list of models
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A model server that answered.

    Attributes
    ----------
    name : str
        The program that usually listens there.
    base_url : str
        For the setting of that name.
    models : tuple of str
        What it can load, as it calls them; may be empty.
    """

    name: str
    base_url: str
    models: tuple[str, ...]

    def setting(self, model: str) -> str:
        """How a model of this server is written as `main`, `fast` or `judge`."""
        return f"openai/{model}"


async def find_local(
    *, ports: Mapping[str, int] = USUAL, patience: float = _PATIENCE
) -> tuple[LocalServer, ...]:
    """The model servers that run on this machine.

    Parameters
    ----------
    ports : mapping
        Where to look: the server's name and its port, on 127.0.0.1 only.
    patience : float
        Seconds of silence after which one is given up; all are asked at once.

    Returns
    -------
    tuple of LocalServer
        In the order of `ports`. Whatever else listens there, a web server say, is not among them.
    """
    asked = (asyncio.to_thread(_ask, name, port, patience) for name, port in ports.items())
    return tuple(server for server in await asyncio.gather(*asked) if server is not None)


def _ask(name: str, port: int, patience: float) -> LocalServer | None:
    """One port's list of models; None if nobody answers as a model server does."""
    # Neither proxies nor redirects: what is asked here stays here.
    connection = HTTPConnection(_LOOPBACK, port, timeout=patience)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        if answer.status != HTTPStatus.OK:
            return None
        models = json.loads(answer.read(_MOST))["data"]
        names = tuple(str(model["id"]) for model in models or ())
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
    return LocalServer(name, f"http://{_LOOPBACK}:{port}/v1", names)
