"""Servers of one's own are found at their ports, on this machine only."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator

import pytest

from echovessel.models.language import LocalServer, find_local
from echovessel.models.language.local import USUAL
from tests.servers.openai import OpenAIServer, Raw


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Somebody listens, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as s:
        yield s.getsockname()[1]


def find(**ports: int) -> tuple[LocalServer, ...]:
    return asyncio.run(find_local(ports=ports, patience=0.3))


def test_a_server_is_found_with_its_models_and_its_address(closed_port):
    with OpenAIServer(models=("qwen3:8b", "openai/gpt-oss-20b")) as server:
        (found,) = find(Ollama=closed_port, LMStudio=server.port)

    assert found == LocalServer("LMStudio", server.url, ("qwen3:8b", "openai/gpt-oss-20b"))
    assert found.setting("openai/gpt-oss-20b") == "openai/openai/gpt-oss-20b"


def test_a_server_without_models_is_one_too():
    with OpenAIServer(models=()) as server:
        assert find(Ollama=server.port) == (LocalServer("Ollama", server.url, ()),)


@pytest.mark.parametrize(
    "listing",
    [
        Raw(b"<html>My web shop</html>", "text/html"),
        Raw(b'{"data": 3}'),
        Raw(b'{"data": [{"name": "x"}]}'),
        Raw(b"[]"),
        Raw(b"\xff\xfe"),
        None,
    ],
    ids=["html", "number", "no-id", "list", "bytes", "missing"],
)
def test_something_else_at_the_port_is_not_taken_for_a_model_server(listing):
    with OpenAIServer(models=listing) as server:
        assert find(Ollama=server.port) == ()


def test_one_that_keeps_silent_holds_nobody_up(silent_port):
    with OpenAIServer() as server:
        start = time.monotonic()
        found = find(Ollama=silent_port, LMStudio=server.port)

    assert [one.name for one in found] == ["LMStudio"]
    assert time.monotonic() - start < 2


def test_the_usual_ports_are_asked_on_this_machine_only(monkeypatch):
    asked = []

    class Refuses:
        def __init__(self, host, port, timeout):
            asked.append((host, port))

        def request(self, *args, **more):
            raise ConnectionRefusedError

        def close(self):
            pass

    monkeypatch.setattr("echovessel.models.language.local.HTTPConnection", Refuses)

    assert asyncio.run(find_local()) == ()
    assert sorted(asked) == [("127.0.0.1", 1234), ("127.0.0.1", 8080), ("127.0.0.1", 11434)]
    assert set(USUAL) == {"Ollama", "llama.cpp", "LM Studio"}
