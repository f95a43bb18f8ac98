"""The watch in conftest.py does its work: it refuses what leaves the machine and nothing else."""

from __future__ import annotations

import socket
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.conftest import is_local

AWAY = "203.0.113.7"  # reserved for documentation (RFC 5737): nobody answers there


def refused(call: object) -> BaseException:
    """What the watch raised; by name, as pytest may hold two copies of conftest.py."""
    with pytest.raises(BaseException, match="reached for the network") as caught:
        call()  # type: ignore[operator]
    return caught.value


def test_a_connection_away_is_refused(no_network: list[str]) -> None:
    with socket.socket() as s:
        error = refused(lambda: s.connect((AWAY, 80)))

    assert not isinstance(error, Exception)  # `except Exception` can't hide it
    assert no_network == [f"connect ('{AWAY}', 80)"]
    no_network.clear()


def test_a_name_that_would_be_looked_up_is_refused(no_network: list[str]) -> None:
    refused(lambda: urllib.request.urlopen("http://example.org/", timeout=1))

    assert no_network == ["getaddrinfo example.org"]
    no_network.clear()


def test_a_datagram_away_is_refused(no_network: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        refused(lambda: s.sendto(b"x", (AWAY, 53)))

    assert len(no_network) == 1
    no_network.clear()


def test_an_attempt_in_a_thread_is_remembered(no_network: list[str]) -> None:
    def attempt() -> None:
        with socket.socket() as s:
            refused(lambda: s.connect((AWAY, 80)))

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()

    assert no_network
    no_network.clear()


def test_a_server_on_this_machine_answers() -> None:
    class Hello(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *args: object) -> None:
            """Quiet."""

    with HTTPServer(("127.0.0.1", 0), Hello) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        with urllib.request.urlopen(f"http://localhost:{server.server_port}/", timeout=5) as answer:
            assert answer.read() == b"hello"


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", True),
        ("10.0.0.1", False),
        ("192.168.1.2", False),
        ("8.8.8.8", False),
        ("fe80::1%eth0", False),
        ("localhost.example.org", False),
    ],
)
def test_local_means_this_machine(host: str, local: bool) -> None:
    assert is_local(socket.AF_INET6 if ":" in host else socket.AF_INET, (host, 80)) is local
