"""The six layers over HTTP."""

from __future__ import annotations

from datetime import timedelta

from starlette.testclient import TestClient

from echovessel.clock import FixedClock
from echovessel.runtime.vessel import Vessel

AT = "/api/personas/lin"


def test_a_memory_is_written_recalled_corrected_and_forgotten(client: TestClient) -> None:
    made = client.post(f"{AT}/memories", json={"text": "Mei plays the cello.", "impact": 3}).json()
    found = client.get(f"{AT}/recall", params={"query": "cello"}).json()
    changed = client.patch(
        f"{AT}/memories/{made['id']}", json={"text": "Mei plays the viola.", "pinned": True}
    ).json()
    dry = client.delete(f"{AT}/memories/{made['id']}", params={"dry_run": True}).json()
    still = client.get(f"{AT}/memories/{made['id']}").json()
    gone = client.delete(f"{AT}/memories/{made['id']}").json()

    assert found["hits"][0]["id"] == made["id"]
    assert (changed["text"], changed["pinned"], changed["impact"]) == ("Mei plays the viola.", True, 3)
    assert (dry["done"], gone["done"]) == (False, True)
    assert still["text"] == "Mei plays the viola."
    assert client.get(f"{AT}/memories/{made['id']}").status_code == 404


def test_half_a_correction_is_none(client: TestClient) -> None:
    made = client.post(f"{AT}/memories", json={"text": "Mei plays the cello."}).json()

    answer = client.patch(f"{AT}/memories/{made['id']}", json={"text": "Mei sings.", "status": "kept"})

    assert answer.status_code == 400
    assert client.get(f"{AT}/memories/{made['id']}").json()["text"] == "Mei plays the cello."


def test_a_day_given_as_null_goes_and_what_is_left_out_stays(client: TestClient) -> None:
    body = {
        "text": "The exam.",
        "kind": "expectation",
        "due_on": "2026-07-01",
        "occurred_from": "2026-07-01",
    }
    made = client.post(f"{AT}/memories", json=body).json()

    changed = client.patch(f"{AT}/memories/{made['id']}", json={"due_on": None}).json()

    assert (changed["due_on"], changed["occurred_from"]) == (None, "2026-07-01")


def test_a_newer_fact_replaces_the_older_and_the_past_can_be_asked(
    clock: FixedClock, client: TestClient
) -> None:
    fact = {"attribute": "employer", "text": "Mei works at Lanting Press."}
    old = client.post(f"{AT}/memories", json=fact).json()
    clock.advance(timedelta(days=60))
    new = client.post(
        f"{AT}/memories",
        json=fact | {"text": "Mei works at Northgate Books.", "supersedes": [old["id"]]},
    ).json()

    now = client.get(f"{AT}/memories").json()
    then = client.get(f"{AT}/memories", params={"as_of": "2026-06-15T00:00:00Z"}).json()

    assert [one["id"] for one in now] == [new["id"]]
    assert [one["id"] for one in then] == [old["id"]]


def test_messages_are_read_corrected_and_forgotten(vessel: Vessel, client: TestClient) -> None:
    said = vessel.remember("The code is Apple123")

    client.patch(f"{AT}/messages/{said.id}", json={"text": "The code is Apple456"})

    assert client.get(f"{AT}/search", params={"query": "Apple123"}).json()["messages"] == []
    found = client.get(f"{AT}/search", params={"query": "Apple456"}).json()["messages"]
    assert [one["id"] for one in found] == [said.id]
    assert client.delete(f"{AT}/messages/{said.id}").json()["messages"] == [said.id]
    assert client.get(f"{AT}/messages").json() == []


def test_entities_and_their_names(client: TestClient) -> None:
    scott = client.post(f"{AT}/entities", json={"name": "Scott", "aliases": ["老斯"]}).json()

    client.post(f"{AT}/entities/{scott['id']}/aliases", json={"text": "Scotty"})

    found = client.get(f"{AT}/entities", params={"name": "scotty"}).json()
    assert [one["id"] for one in found] == [scott["id"]]
    assert set(found[0]["aliases"]) == {"Scott", "老斯", "Scotty"}
    assert client.delete(f"{AT}/entities/{scott['id']}").json()["done"]
    assert client.get(f"{AT}/entities").json() == []


def test_core_blocks_are_written_and_undone(client: TestClient) -> None:
    client.put(f"{AT}/core/persona", json={"text": "You are Lin."})
    client.put(f"{AT}/core/persona", json={"text": "You are Lin, a gardener."})

    undone = client.post(f"{AT}/core/persona/undo").json()

    assert undone["text"] == "You are Lin."
    assert [one["after"] for one in client.get(f"{AT}/core/persona/history").json()] == [
        "You are Lin.", "You are Lin, a gardener.", "You are Lin.",
    ]  # fmt: skip
    assert [one["label"] for one in client.get(f"{AT}/core").json()] == ["persona"]
    assert client.get(f"{AT}/mood").json()["mood"] == "neutral"


def test_bad_input_is_one_sentence(client: TestClient) -> None:
    answers = [
        client.get(f"{AT}/recall", params={"query": " "}),
        client.get(f"{AT}/recall", params={"query": "x", "preset": "sed"}),
        client.get(f"{AT}/memories", params={"as_of": "2026-06-15T00:00:00"}),
        client.post(f"{AT}/memories", json={"text": "x", "impact": 11}),
        client.get(f"{AT}/messages", params={"user": '{"$ne": ""}'}),
        client.get(f"{AT}/memories/nothing"),
    ]

    assert [one.status_code for one in answers] == [400, 404, 422, 422, 400, 404]
    told = [one.json()["error"]["message"] for one in answers]
    assert all("\n" not in sentence and sentence.endswith((".", "?")) for sentence in told), told
    assert "seed" in told[1]
