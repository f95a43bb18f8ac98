"""What every test gets: no network beyond this machine, and the same random choices every time in CI."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Set before any library reads them: no hub, no telemetry, no update checks.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("dev"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def is_local(family: int, address: Any) -> bool:
    """Whether a connection to `address` stays on this machine."""
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True  # Unix sockets and the like have no other end elsewhere
    host = str(address[0]).partition("%")[0]
    if host in ("", "localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False  # a name that would have to be looked up
    return ip.is_loopback or ip.is_unspecified


class OutgoingConnection(BaseException):
    """A test tried to leave the machine. Not an Exception, so that no retry or fallback swallows it."""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Fail a test in which this process connects, or looks up a name, beyond the loopback interface.

    Yields the list of what was tried, for tests that make an attempt on purpose and empty it.
    """
    tried: list[str] = []
    sockets = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto")}
    look_up = socket.getaddrinfo

    def refuse(what: str) -> None:
        tried.append(what)
        raise OutgoingConnection(f"a test reached for the network: {what}")

    def guarded(name: str) -> Any:
        def call(self: socket.socket, *args: Any) -> Any:
            # sendto(data, address) and sendto(data, flags, address): the address comes last.
            if not is_local(self.family, args[-1]):
                refuse(f"{name} {args[-1]}")
            return sockets[name](self, *args)

        return call

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not is_local(socket.AF_INET, (name,)) and name != socket.gethostname():
            refuse(f"getaddrinfo {name}")
        return look_up(host, *args, **kwargs)

    for name in sockets:
        monkeypatch.setattr(socket.socket, name, guarded(name))
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield tried
    # A thread, or code that catches everything, may have hidden the refusal.
    assert not tried, f"reached for the network: {tried}"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of development data, or a skip with the reason."""
    path = os.environ.get("ECHOVESSEL_DATA")
    if not path:
        pytest.skip("ECHOVESSEL_DATA names no folder of development data")
    folder = Path(path)
    if not folder.is_dir():
        pytest.fail(f"ECHOVESSEL_DATA names {folder}, which is not a folder")
    return folder
