"""Any chat client: the official one talks with a persona over a real connection, and memory is not doubled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta

import openai
import pytest
import uvicorn
from starlette.testclient import TestClient

from echovessel.clock import FixedClock
from echovessel.models.language import Request
from echovessel.runtime.serve import listening
from echovessel.runtime.vessel import Vessel

CHAT = "/v1/chat/completions"


def talk(vessel: Vessel) -> list[tuple[str, str]]:
    return [(str(one.sender), one.text) for one in vessel.memory.log.last(20)]


def said(*texts: str) -> list[dict[str, str]]:
    """A history: user, assistant, user, ..."""
    return [
        {"role": "assistant" if place % 2 else "user", "content": text} for place, text in enumerate(texts)
    ]


def ask(client: TestClient, *texts: str, **more: object) -> str:
    answer = client.post(CHAT, json={"model": "lin", "messages": said(*texts), **more})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


@pytest.fixture
def address(door: object) -> Iterator[str]:
    """The API on a real socket."""
    at = listening("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(door, log_config=None, lifespan="off"))  # type: ignore[arg-type]
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[at])), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{at.getsockname()[1]}/v1"
    server.should_exit = True
    thread.join(10)


def test_the_official_client_talks_and_streams(vessel: Vessel, address: str) -> None:
    with openai.OpenAI(base_url=address, api_key="none") as client:
        assert [model.id for model in client.models.list()] == ["lin"]
        first = client.chat.completions.create(
            model="lin", messages=[{"role": "user", "content": "I moved to Cork."}]
        )
        answer = first.choices[0].message.content or ""
        stream = client.chat.completions.create(
            model="lin",
            messages=[
                {"role": "user", "content": "I moved to Cork."},
                {"role": "assistant", "content": answer},
                {"role": "user", "content": "It rains."},
            ],
            stream=True,
            stream_options={"include_usage": True},
        )
        chunks = list(stream)

    assert answer == "Answer 1."
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == "Answer 2."
    assert chunks[-1].usage is not None
    assert talk(vessel) == [
        ("user", "I moved to Cork."),
        ("persona", "Answer 1."),
        ("user", "It rains."),
        ("persona", "Answer 2."),
    ]


def test_a_wrong_persona_is_told_in_the_clients_own_form(address: str) -> None:
    with (
        openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client,
        pytest.raises(openai.NotFoundError, match="only lin"),
    ):
        client.chat.completions.create(model="gpt", messages=[{"role": "user", "content": "hi"}])


def test_only_the_last_turn_is_stored(vessel: Vessel, client: TestClient, asked: list[Request]) -> None:
    ask(client, "an old line", "an old answer", "Hello")

    assert talk(vessel) == [("user", "Hello"), ("persona", "Answer 1.")]
    # What this memory doesn't know is shown for this answer.
    assert "an old line" in asked[0].says[0].text
    ask(client, "Hello", "Answer 1.", "And you?")
    assert "Hello" not in asked[1].says[0].text


def test_several_user_messages_in_a_row_are_one_turn(vessel: Vessel, client: TestClient) -> None:
    messages = [{"role": "user", "content": "wait"}, {"role": "user", "content": "the keys"}]

    client.post(CHAT, json={"model": "lin", "messages": messages})

    assert [text for _, text in talk(vessel)] == ["wait", "the keys", "Answer 1."]


def test_a_retry_is_heard_once(vessel: Vessel, client: TestClient) -> None:
    first = ask(client, "I moved to Cork.")

    assert ask(client, "I moved to Cork.") == first
    assert len(talk(vessel)) == 2


def test_a_new_talk_that_begins_alike_is_a_new_talk(
    vessel: Vessel, client: TestClient, clock: FixedClock
) -> None:
    ask(client, "hi")
    clock.advance(timedelta(days=1))

    assert ask(client, "hi") == "Answer 2."
    assert len(talk(vessel)) == 4


def test_the_system_prompt_is_for_this_call_and_never_a_core_block(
    vessel: Vessel, client: TestClient, asked: list[Request]
) -> None:
    messages = [{"role": "system", "content": "Answer in French."}, {"role": "user", "content": "Hello"}]

    client.post(CHAT, json={"model": "lin", "messages": messages})
    ask(client, "Hello", "Answer 1.", "Again")

    assert "Answer in French." in asked[0].says[0].text
    assert "Answer in French." not in asked[1].says[0].text
    assert vessel.memory.core.all() == []


@pytest.mark.parametrize(
    "task",
    [
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.",
        "Provide a concise, 5-word-or-less title for the conversation, using its same language.",
        "请根据以上对话生成一个不超过十个字的标题",
        "### Task:\nSuggest 3-5 relevant follow-up questions the user might naturally ask next.",
    ],
)
def test_titles_and_suggestions_are_off_the_record(vessel: Vessel, client: TestClient, task: str) -> None:
    ask(client, "I moved to Cork.", "Answer 1.", task)

    assert talk(vessel) == []
    assert vessel.memory.traces.list() == []


@pytest.mark.parametrize(
    "line",
    ["What title would you give my book?", "我的小说起什么标题好？", "Let us talk about our conversation."],
)
def test_a_talk_about_titles_is_a_talk(vessel: Vessel, client: TestClient, line: str) -> None:
    ask(client, line)

    assert talk(vessel)[0] == ("user", line)


def test_a_client_can_say_itself_that_a_call_is_no_talk(vessel: Vessel, client: TestClient) -> None:
    body = {"model": "lin", "messages": said("Guess what I type next")}

    client.post(CHAT, json=body, headers={"X-EchoVessel-Record": "no"})

    assert talk(vessel) == []


def test_the_user_field_names_who_talks(vessel: Vessel, client: TestClient) -> None:
    ask(client, "I am Mei.", user="mei")

    assert talk(vessel) == []
    assert talk(vessel.for_user("mei"))[0] == ("user", "I am Mei.")


def test_a_token_names_who_talks_and_the_user_field_cannot_name_another(
    vessel: Vessel, outside: TestClient
) -> None:
    _, secret = vessel.memory.tokens.create("mei")
    head = {"Authorization": f"Bearer {secret}"}
    body = {"model": "lin", "messages": said("It is me.")}

    assert outside.post(CHAT, json=body, headers=head).status_code == 200
    assert outside.post(CHAT, json=body | {"user": "tom"}, headers=head).status_code == 403
    assert talk(vessel.for_user("mei"))[0] == ("user", "It is me.")
    assert talk(vessel.for_user("tom")) == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"messages": said("a", "b")}, "must end with what the user says"),
        ({"messages": said("a"), "n": 2}, "n must be 1"),
        ({"messages": []}, "at least 1 item"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "calls no tools"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
            "'image_url'",
        ),
    ],
)
def test_what_a_persona_cannot_do_is_one_sentence(
    client: TestClient, body: dict[str, object], why: str
) -> None:
    answer = client.post(CHAT, json={"model": "lin", **body})

    assert answer.status_code in (400, 422)
    assert why in answer.json()["error"]["message"]


def test_content_in_parts_and_unknown_fields_are_read(vessel: Vessel, client: TestClient) -> None:
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "Lin"}],
    }

    answer = client.post(CHAT, json={"model": "lin", "messages": [message], "temperature": 2, "seed": 1})

    assert answer.status_code == 200
    assert talk(vessel)[0] == ("user", "Hello\nLin")
