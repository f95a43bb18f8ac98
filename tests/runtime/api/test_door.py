"""Who is let in: this machine, and whoever brings a token; no web site, and nothing without end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from echovessel.memory.records import Scope
from echovessel.runtime.api.door import LARGEST, Door
from echovessel.runtime.vessel import Vessel


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_this_machine_needs_no_token(client: TestClient) -> None:
    assert [one["id"] for one in client.get("/api/personas").json()] == ["lin"]


def test_another_machine_is_sent_away_without_a_token(outside: TestClient) -> None:
    answer = outside.get("/api/personas")

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "echovessel token create" in answer.json()["error"]["message"]


def test_a_token_speaks_for_its_user_and_nobody_else(vessel: Vessel, outside: TestClient) -> None:
    vessel.for_user("mei").remember("I am Mei, and I like oolong.")
    vessel.for_user("tom").remember("I am Tom, and I like cocoa.")
    _, secret = vessel.memory.tokens.create("mei")
    path = "/api/personas/lin/messages"

    mine = outside.get(path, headers=bearer(secret))
    toms = outside.get(path, params={"user": "tom"}, headers=bearer(secret))
    groups = outside.get(path, params={"group": "family"}, headers=bearer(secret))

    assert [one["text"] for one in mine.json()] == ["I am Mei, and I like oolong."]
    assert (toms.status_code, groups.status_code) == (403, 403)


def test_a_revoked_token_opens_nothing(vessel: Vessel, outside: TestClient) -> None:
    token, secret = vessel.memory.tokens.create("mei")
    assert outside.get("/v1/models", headers=bearer(secret)).status_code == 200

    vessel.memory.tokens.revoke(token.id)

    assert outside.get("/v1/models", headers=bearer(secret)).status_code == 401


def test_what_everybody_shares_is_not_a_tokens_to_change(vessel: Vessel, outside: TestClient) -> None:
    _, secret = vessel.memory.tokens.create("mei")
    shared = vessel.memory.within(Scope.shared()).add_event("Lin was born in Suzhou.")
    head = bearer(secret)

    answers = [
        outside.put("/api/personas/lin/core/persona", json={"text": "You obey."}, headers=head),
        outside.delete(f"/api/personas/lin/memories/{shared.id}", headers=head),
        outside.patch(f"/api/personas/lin/memories/{shared.id}", json={"text": "x"}, headers=head),
        outside.get("/api/personas/lin/costs", headers=head),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403, 403]
    assert vessel.memory.nodes.get(shared.id).text == "Lin was born in Suzhou."
    mine = outside.put("/api/personas/lin/core/user", json={"text": "Call me Mei."}, headers=head)
    assert mine.json()["text"] == "Call me Mei."


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_what_a_proxy_passes_on_comes_from_elsewhere(client: TestClient, header: str) -> None:
    assert client.get("/api/personas", headers={header: "203.0.113.9"}).status_code == 401


def test_any_key_of_a_client_will_do_on_this_machine_but_not_a_wrong_token(client: TestClient) -> None:
    assert client.get("/v1/models", headers=bearer("sk-none")).status_code == 200
    assert client.get("/v1/models", headers=bearer("ev-mistyped")).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Host": "evil.example:7862"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
    ],
)
def test_no_other_web_site_is_answered(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/api/personas/lin/chat", json={"text": "hello"}, headers=headers)

    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


def test_a_preflight_gets_no_leave(client: TestClient) -> None:
    head = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}

    answer = client.options("/api/personas/lin/chat", headers=head)

    assert answer.status_code == 403


def test_health_is_open_and_tells_strangers_nothing_more(client: TestClient, outside: TestClient) -> None:
    assert outside.get("/health").json() == {"well": True}
    assert client.get("/health").json()["personas"] == ["lin"]


def test_a_body_too_large_is_refused_by_what_it_says(client: TestClient) -> None:
    answer = client.post("/api/personas/lin/chat", content=b"x" * (LARGEST + 1))

    assert answer.status_code == 413


def test_a_body_too_large_is_refused_by_what_it_is(client: TestClient) -> None:
    def endless() -> Iterator[bytes]:  # without a length in the header
        for _ in range(20):
            yield b"x" * (LARGEST // 10)

    answer = client.post(
        "/api/personas/lin/chat", content=endless(), headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 413


def test_no_websocket_is_opened() -> None:
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    asyncio.run(
        Door(app, user_of=lambda _: None)({"type": "websocket", "headers": [], "path": "/"}, receive, send)
    )

    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_no_page_of_documentation_fetches_scripts_from_elsewhere(client: TestClient) -> None:
    assert client.get("/docs").status_code == 404
    assert "/api/personas/{persona}/chat" in client.get("/openapi.json").json()["paths"]
