"""Talking over HTTP: one answer or a stream, the same turn as everywhere."""

from __future__ import annotations

import json

from starlette.testclient import TestClient

from echovessel.models.language import Request, ScriptedModel
from echovessel.runtime.api import build_api
from echovessel.runtime.vessel import Vessel

CHAT = "/api/personas/lin/chat"


def talk(vessel: Vessel) -> list[tuple[str, str]]:
    return [(str(one.sender), one.text) for one in vessel.memory.log.last(20)]


def events(text: str) -> list[tuple[str, dict[str, object]]]:
    """Server-sent events, read as a browser reads them."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_an_answer_with_what_rose_for_it(vessel: Vessel, client: TestClient) -> None:
    vessel.memory.add_event("Mei has a black cat named Momo.", entities=["Momo"])

    answer = client.post(CHAT, json={"text": "How is Momo?"}).json()

    assert answer["text"] == "Answer 1."
    assert answer["hits"][0]["text"] == "Mei has a black cat named Momo."
    assert answer["hits"][0]["entity_anchor"] == 1
    assert talk(vessel) == [("user", "How is Momo?"), ("persona", "Answer 1.")]
    assert answer["message"] == vessel.memory.log.last(1)[0].id


def test_a_stream_tells_the_turn_as_it_goes_on(vessel: Vessel, client: TestClient) -> None:
    told = events(client.post(CHAT, json={"text": "Hello there", "stream": True}).text)

    kinds = [kind for kind, _ in told]
    assert kinds[:3] == ["heard", "recalled", "prompted"]
    assert kinds[-1] == "stored"
    assert "".join(str(data["text"]) for kind, data in told if kind == "piece") == "Answer 1."
    assert told[-1][1]["text"] == "Answer 1."
    assert talk(vessel)[-1] == ("persona", "Answer 1.")


def test_sent_twice_it_is_heard_once_and_answered_the_same(vessel: Vessel, client: TestClient) -> None:
    first = client.post(CHAT, json={"text": "I moved to Cork.", "id": "m1"}).json()
    again = client.post(CHAT, json={"text": "I moved to Cork.", "id": "m1"}).json()
    stream = events(client.post(CHAT, json={"text": "I moved to Cork.", "id": "m1", "stream": True}).text)

    assert again["text"] == first["text"] == stream[-1][1]["text"]
    assert again["message"] == first["message"]
    assert len(talk(vessel)) == 2


def test_off_the_record_nothing_is_kept(vessel: Vessel, client: TestClient) -> None:
    answer = client.post(CHAT, json={"text": "What if?", "record": False}).json()

    assert answer["text"] == "Answer 1."
    assert answer["message"] is None
    assert talk(vessel) == []
    assert vessel.memory.traces.list() == []


def test_a_burst_gets_one_answer(vessel: Vessel, client: TestClient) -> None:
    client.post(CHAT, json={"text": ["wait", "I forgot", "the keys"]})

    assert [text for _, text in talk(vessel)] == ["wait", "I forgot", "the keys", "Answer 1."]


def test_what_the_client_adds_holds_for_this_answer(client: TestClient, asked: list[Request]) -> None:
    client.post(CHAT, json={"text": "Hello", "context": "The user looks at a map of Cork."})
    client.post(CHAT, json={"text": "And now?"})

    assert "a map of Cork" in asked[0].says[0].text
    assert "a map of Cork" not in asked[1].says[0].text


def test_a_turn_that_fails_says_so_and_keeps_what_was_said(vessel: Vessel) -> None:
    def broken(request: Request) -> str:
        return ""

    with Vessel.open(vessel.home or "", persona="lin", embedder="hash", model=ScriptedModel(broken)) as other:
        door = build_api({"lin": other}, health=lambda: None)  # type: ignore[arg-type,return-value]
        with TestClient(door, base_url="http://127.0.0.1", client=("127.0.0.1", 1)) as client:  # type: ignore[arg-type]
            whole = client.post(CHAT, json={"text": "Are you there?"})
            stream = events(client.post(CHAT, json={"text": "Still there?", "stream": True}).text)

    assert whole.status_code == 502
    assert "answered with nothing" in whole.json()["error"]["message"]
    assert stream[-1][0] == "failed"
    assert [text for _, text in talk(vessel)] == ["Are you there?", "Still there?"]


def test_what_cannot_be_used_is_one_sentence(client: TestClient) -> None:
    empty = client.post(CHAT, json={"text": "  "})
    unknown = client.post(CHAT, json={"text": "hi", "colour": "red"})
    nobody = client.post("/api/personas/nobody/chat", json={"text": "hi"})

    assert (empty.status_code, unknown.status_code, nobody.status_code) == (422, 422, 404)
    assert "say something" in empty.json()["error"]["message"]
    assert "colour" in unknown.json()["error"]["message"]
    assert "only lin" in nobody.json()["error"]["message"]


def test_a_talk_can_be_ended(vessel: Vessel, client: TestClient) -> None:
    client.post(CHAT, json={"text": "Bye"})

    closed = client.post("/api/personas/lin/close").json()

    assert len(closed) == 1
    assert closed[0]["session"] == vessel.memory.sessions.list()[0].id
    assert client.post("/api/personas/lin/close").json() == []


def test_a_turn_is_traced_and_its_cost_listed(client: TestClient) -> None:
    turn = client.post(CHAT, json={"text": "Hello"}).json()["turn"]

    trace = client.get(f"/api/personas/lin/traces/{turn}").json()
    costs = client.get("/api/personas/lin/costs").json()

    assert trace["body"]["stages"][0]["name"] == "hear"
    assert [one["id"] for one in client.get("/api/personas/lin/traces").json()] == [turn]
    assert [call["purpose"] for call in costs["calls"]] == ["reply"]
    assert {one["period"] for one in costs["periods"]} == {"day", "month"}
