"""The real adapter, through the real litellm, against a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from echovessel.errors import ModelError
from echovessel.models.language import Piece, Reply, Request, Role, Say, Usage, structured
from echovessel.models.language.provider import LiteLLMModel, ProviderSettings
from tests.servers.openai import LITELLM_NOISE, Answer, Fails, Hangs, OpenAIServer, Raw, Says

# Not importorskip("litellm"): imported before our adapter has told it to be quiet, it fetches price lists.
stamina = pytest.importorskip("stamina", reason="needs the extra llm")

pytestmark = LITELLM_NOISE

ASK = Request((Say("system", "You are Lin."), Say("user", "hello there")))


class Fact(BaseModel):
    text: str
    impact: int = 0


@pytest.fixture(autouse=True)
def no_pauses() -> Iterator[None]:
    """Retries happen, without the pauses between them."""
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def settings(server: OpenAIServer, **more: Any) -> ProviderSettings:
    return ProviderSettings(**{"main": "tiny", "base_url": server.url, "timeout": 5} | more)


def ask(*answers: Answer, request: Request = ASK, environ: dict[str, str] | None = None, **more: Any) -> Any:
    """The reply to a request, or the error's sentence, and the server that heard it."""
    with OpenAIServer(*answers) as server:

        async def go() -> Reply | str:
            model = LiteLLMModel(settings(server, **more), environ=environ or {})
            try:
                return await model.complete(request)
            except ModelError as error:
                return str(error)
            finally:
                await model.aclose()

        return asyncio.run(go()), server


def listen(*answers: Answer, **more: Any) -> tuple[list[Piece], str, OpenAIServer]:
    """The pieces of a stream, the sentence of the error that ended it if any, and the server."""
    with OpenAIServer(*answers) as server:

        async def go() -> tuple[list[Piece], str]:
            model, pieces = LiteLLMModel(settings(server, **more), environ={}), []
            try:
                async for piece in model.stream(ASK):
                    pieces.append(piece)
            except ModelError as error:
                return pieces, str(error)
            finally:
                await model.aclose()
            return pieces, ""

        return *asyncio.run(go()), server


def test_an_answer_has_its_text_its_model_and_what_it_used():
    reply, server = ask(Says("I was out walking."))

    assert reply == Reply("I was out walking.", "openai/tiny", Usage(5, 4, None))
    assert server.heard[0].path == "/v1/chat/completions"
    assert server.heard[0].body["messages"] == [
        {"role": "system", "content": "You are Lin."},
        {"role": "user", "content": "hello there"},
    ]


def test_a_stream_comes_in_pieces_and_ends_with_the_whole():
    pieces, error, _ = listen(Says("I was out walking."))

    assert [piece.text for piece in pieces] == ["I ", "was ", "out ", "walking.", ""]
    assert [piece.reply for piece in pieces[:-1]] == [None] * 4
    assert pieces[-1].reply == Reply("I was out walking.", "openai/tiny", Usage(5, 4, None))
    assert error == ""


def test_tokens_are_counted_here_when_the_server_does_not_count():
    reply, _ = ask(Says("I was out walking.", usage=False))

    assert reply.usage.output_tokens > 0
    assert reply.usage.input_tokens > 0


def test_the_price_is_known_where_litellm_knows_it():
    reply, _ = ask(Says(" ".join(map(str, range(200)))), main="openai/gpt-4o-mini")

    assert reply.usage.output_tokens == 200
    assert reply.usage.cost == pytest.approx(5 * 0.15e-6 + 200 * 0.6e-6)


def test_limits_and_temperature_are_passed_on_and_left_out_when_not_set():
    _, plain = ask(Says("a"))
    _, given = ask(Says("a"), request=Request(ASK.says, max_tokens=7, temperature=0.5))

    assert plain.heard[0].body.keys().isdisjoint({"max_tokens", "temperature", "response_format"})
    assert (given.heard[0].body["max_tokens"], given.heard[0].body["temperature"]) == (7, 0.5)


def test_an_answer_cut_by_the_limit_says_so():
    reply, _ = ask(Says("I was out", finish="length"))

    assert reply.finish == "length"


@pytest.mark.parametrize(
    ("role", "models", "asked"),
    [
        ("main", {}, "tiny"),
        ("fast", {}, "tiny"),
        ("judge", {}, "tiny"),
        ("fast", {"fast": "quick"}, "quick"),
        ("judge", {"judge": "openai/grader"}, "grader"),
        ("main", {"main": "meta-llama/Llama-3.2"}, "meta-llama/Llama-3.2"),
        ("main", {"main": "openai/openai/gpt-oss-20b"}, "openai/gpt-oss-20b"),
    ],
)
def test_each_role_asks_its_model_or_the_main_one(role: Role, models, asked):
    _, server = ask(Says("a"), request=Request(ASK.says, role=role), **models)

    assert server.heard[0].body["model"] == asked


def test_with_no_model_the_error_says_how_to_name_one():
    answer, server = ask(main="")

    assert answer.startswith("No language model is set for 'main'. Name one as `main`")
    assert server.heard == []


# Keys


def test_the_key_comes_from_the_variable_named():
    _, server = ask(Says("a"), key_env="MY_KEY", environ={"MY_KEY": "sesame"})

    assert server.heard[0].headers["authorization"] == "Bearer sesame"


def test_a_server_of_ones_own_never_gets_the_key_of_a_provider(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-precious")
    _, server = ask(Says("a"))

    assert "precious" not in str(server.heard[0].headers)


@pytest.fixture
def keyring(monkeypatch) -> dict[tuple[str, str], str]:
    """A keyring in memory, in place of the system's."""
    entries: dict[tuple[str, str], str] = {}

    class KeyringError(Exception):
        pass

    def get_password(service: str, name: str) -> str | None:
        if not entries:
            raise KeyringError("locked")
        return entries.get((service, name))

    module = types.SimpleNamespace(
        get_password=get_password, errors=types.SimpleNamespace(KeyringError=KeyringError)
    )
    monkeypatch.setitem(sys.modules, "keyring", module)
    return entries


def test_the_environment_comes_before_the_keyring(keyring):
    keyring["echovessel", "MY_KEY"] = "ring"

    for environ, used in (({"MY_KEY": "outside"}, "outside"), ({}, "ring")):
        _, server = ask(Says("a"), key_env="MY_KEY", environ=environ)
        assert server.heard[0].headers["authorization"] == f"Bearer {used}"


def test_a_locked_keyring_holds_no_key(keyring):
    answer, _ = ask(Says("a"), key_env="MY_KEY")

    assert answer.endswith("Set it, or store the key with `keyring set echovessel MY_KEY`.")


def test_a_missing_key_is_said_before_anything_is_sent():
    answer, server = ask(key_env="MY_KEY")

    assert answer.startswith("There is no key: the variable MY_KEY is empty.")
    assert server.heard == []


def test_a_refused_key_is_not_tried_again_and_not_shown():
    refusal = Fails(401, "Incorrect API key provided: sesame")
    answer, server = ask(refusal, key_env="MY_KEY", environ={"MY_KEY": "sesame"})

    assert answer == f"{server.url} did not accept the key. Check the variable MY_KEY."
    assert len(server.heard) == 1


# Failures


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(status):
    reply, server = ask(Fails(status), Fails(status), Says("Back."))

    assert reply.text == "Back."
    assert len(server.heard) == 3


@pytest.mark.parametrize(
    "broken",
    [
        Raw(b'{"id": "x", "choi'),
        Raw(b"<html>Bad gateway</html>", "text/html"),
        Raw(b'data: {"id": "x", "choi\n\n', "text/event-stream"),
        Says(""),
        Says("one two three", cut_after=2),
        Says("one two three", cut_after=0),
        Says("one two three", error_after=2),
        Says("one two three", ends=False),
        Hangs(0.01),
    ],
    ids=["json", "html", "event", "empty", "cut", "cut-first", "error-inside", "no-end", "closed"],
)
def test_a_broken_answer_is_asked_for_again_whole(broken):
    reply, server = ask(broken, Says("Back."))

    assert reply.text == "Back."
    assert len(server.heard) == 2


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (Fails(400, "n must be 1"), "{url} refused the request to openai/tiny: n must be 1"),
        (Fails(404), "{url} has no model 'openai/tiny'. Check the name, and `base_url` if there is one."),
        (
            Fails(403),
            "The key may not use openai/tiny at {url}. Choose another model, or ask for access there.",
        ),
        (
            Fails(429, code="insufficient_quota"),
            "The credit at {url} is used up. Add some there, or name another model.",
        ),
        (
            Fails(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded"),
            "The request is longer than openai/tiny can read. Lower the prompt's budget, or name a model that "
            "reads more.",
        ),
        (
            Fails(429, retry_after=7200),
            "{url} takes no more requests for now. Try again in 7200 s, or name a fallback.",
        ),
    ],
    ids=["bad", "missing", "forbidden", "credit", "long", "long-wait"],
)
def test_a_lasting_failure_is_said_at_once(failure, sentence):
    answer, server = ask(failure)

    assert answer == sentence.format(url=server.url)
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    ("failure", "sentence"),
    [
        (Fails(429), "{url} takes no more requests for now. Try again later, or name a fallback."),
        (Fails(503), "{url} failed on its side (status 503). Try again later, or name a fallback."),
        (Hangs(0.01), "There is no connection to {url}. See whether it is running and reachable."),
        (
            Says(""),
            "openai/tiny sent no text. See whether {url} is an OpenAI-compatible server, or name a fallback.",
        ),
    ],
    ids=["busy", "down", "closed", "empty"],
)
def test_a_failure_that_does_not_pass_is_given_up_after_the_retries(failure, sentence):
    answer, server = ask(failure, retries=2)

    assert answer == sentence.format(url=server.url)
    assert len(server.heard) == 3


def test_nothing_listening_is_said_at_once():
    with OpenAIServer() as server:
        gone = settings(server)

    with pytest.raises(ModelError, match=r"There is no connection to http://127.0.0.1"):
        asyncio.run(LiteLLMModel(gone, environ={}).complete(ASK))


def test_a_limit_spent_on_thinking_says_what_to_raise():
    answer, server = ask(Says("<think>Well, well", finish="length"))

    assert answer.startswith(
        "openai/tiny reached its token limit before it said anything. Raise `max_tokens`"
    )
    assert len(server.heard) == 1


def test_a_name_without_a_provider_is_explained():
    with pytest.raises(
        ModelError, match=r"No provider is known for the model 'nonsense'. Write it as provider/model"
    ):
        asyncio.run(LiteLLMModel(ProviderSettings(main="nonsense"), environ={}).complete(ASK))


# Time


def test_the_pause_that_a_server_asks_for_is_kept():
    with stamina.set_testing(False):
        reply, server = ask(Fails(429, retry_after=1), Says("Back."))

    assert reply.text == "Back."
    assert 1.0 <= server.heard[1].at - server.heard[0].at < 1.6


@pytest.mark.parametrize(
    "slow",
    [Hangs(5), Says("a b c d", gap=5), Says("a b c d", gap=5, pings=True)],
    ids=["silence", "first-token", "kept-alive"],
)
def test_silence_ends_at_the_timeout_and_is_not_waited_for_twice(slow):
    start = time.monotonic()
    answer, server = ask(slow, timeout=0.3)

    assert answer.startswith("openai/tiny was silent for 0.3 s.")
    assert time.monotonic() - start < 2
    assert len(server.heard) == 1


def test_slow_tokens_are_no_silence():
    """Twelve tokens, 0.6 s in all, with a timeout of 0.3 s."""
    reply, _ = ask(Says("a b c d e f g h i j k l", gap=0.05), timeout=0.3)

    assert reply.usage.output_tokens == 12


# Streams that end early


@pytest.mark.parametrize(
    "fault", [{"cut_after": 2}, {"error_after": 2}, {"ends": False}], ids=["cut", "error-inside", "no-end"]
)
def test_what_was_said_before_a_stream_broke_is_kept_and_not_said_again(fault):
    pieces, error, server = listen(Says("one two ", **fault), Says("one two"))

    assert [piece.text for piece in pieces] == ["one ", "two "]
    assert error == (
        f"The answer broke off after 8 characters. {server.url} stopped in the middle of it. "
        "Try again, or name a fallback."
    )
    assert len(server.heard) == 1


def test_a_stream_that_breaks_before_its_first_word_is_begun_again():
    pieces, error, server = listen(Says("one two", cut_after=0), Says("one two"))

    assert "".join(piece.text for piece in pieces) == "one two"
    assert error == ""
    assert len(server.heard) == 2


def test_a_closed_stream_hangs_up():
    with OpenAIServer(Says("on and on " * 100, gap=0.02)) as server:

        async def go() -> None:
            model = LiteLLMModel(settings(server), environ={})
            stream = model.stream(ASK)
            await anext(stream)
            await stream.aclose()
            assert await asyncio.to_thread(server.hung_up.wait, 3)
            await model.aclose()

        asyncio.run(go())


@pytest.mark.parametrize("answer", [Says("on and on " * 100, gap=0.02), Hangs(30)], ids=["talking", "silent"])
def test_a_cancelled_call_ends_at_once(answer):
    with OpenAIServer(answer) as server:

        async def go() -> None:
            model = LiteLLMModel(settings(server), environ={})
            task = asyncio.create_task(model.complete(ASK))
            assert await asyncio.to_thread(server.asked.wait, 5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await model.aclose()

        start = time.monotonic()
        asyncio.run(go())

        assert time.monotonic() - start < 2
        assert len(server.heard) == 1


# Fallbacks


def test_a_fallback_answers_when_the_first_model_fails_for_good():
    reply, server = ask(Fails(404), Says("Here."), fallbacks=["spare"])

    assert (reply.text, reply.model) == ("Here.", "openai/spare")
    assert [heard.body["model"] for heard in server.heard] == ["tiny", "spare"]


def test_a_stream_falls_back_too():
    pieces, _, _ = listen(Fails(401), Says("Here."), fallbacks=["spare"])

    assert pieces[-1].reply.model == "openai/spare"


def test_the_last_failure_is_the_one_told():
    answer, server = ask(Fails(401), Fails(404), fallbacks=["spare"])

    assert answer.startswith(f"{server.url} has no model 'openai/spare'.")


def test_a_model_of_another_provider_is_asked_at_its_own_address_with_its_own_key(no_network, monkeypatch):
    """The address and the key set are for the main model's provider; the watch of the tests sees where it went."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")

    with pytest.raises(BaseException, match="reached for the network"):
        ask(Says("a"), request=Request(ASK.says, role="judge"), judge="anthropic/claude-sonnet-4-5")

    assert all("api.anthropic.com" in attempt for attempt in no_network)
    assert no_network
    no_network.clear()


# Structured answers


def test_a_schema_is_sent_in_strict_form():
    _, server = ask(Says('{"text": "a", "impact": 1}'), request=Request(ASK.says, schema=Fact))

    sent = server.heard[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["strict"] is True
    assert sent["json_schema"]["schema"]["required"] == ["text", "impact"]
    assert sent["json_schema"]["schema"]["additionalProperties"] is False
    assert "default" not in json.dumps(sent)


def test_a_server_without_schemas_is_asked_in_a_looser_form_and_once_only():
    """It refuses json_schema, then json_object; what is left is the prompt, from the second request on at once."""

    def picky(body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            return Fails(400, f"response_format {body['response_format']['type']} is not supported")
        return Says('Sure: {"text": "a"}')

    with OpenAIServer(picky) as server:

        async def go() -> None:
            model = LiteLLMModel(settings(server), environ={})
            for _ in range(2):
                parsed = await structured(model, Request(ASK.says, schema=Fact))
                assert parsed.value == Fact(text="a")
            await model.aclose()

        asyncio.run(go())

    forms = [(heard.body.get("response_format") or {}).get("type") for heard in server.heard]
    assert forms == ["json_schema", "json_object", None, None]
    system = server.heard[-1].body["messages"][0]["content"]
    assert system.startswith("You are Lin.\n\nAnswer with one JSON object and nothing else")
    assert '"impact"' in system


def test_a_model_known_to_lack_schemas_is_told_the_form_in_the_prompt():
    from echovessel.models.language.exchange import Target, first_form

    assert first_form(Target("openai/gpt-4o-mini", "openai")) == "schema"
    assert first_form(Target("openrouter/some/model", "openrouter")) == "object"


def test_broken_json_is_repaired_by_asking_again():
    with OpenAIServer(Says("I would rather not."), Says('{"text": "a"}')) as server:

        async def go() -> Any:
            model = LiteLLMModel(settings(server), environ={})
            try:
                return await structured(model, Request(ASK.says, schema=Fact))
            finally:
                await model.aclose()

        parsed = asyncio.run(go())

    assert parsed.value == Fact(text="a")
    assert [message["role"] for message in server.heard[1].body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_thinking_aloud_is_not_said():
    pieces, _, _ = listen(Says("<think>They said hello. So I ...</think>\n\nHello you."))

    assert "".join(piece.text for piece in pieces) == "Hello you."
    assert pieces[-1].reply.text == "Hello you."
