"""The adapter against llama.cpp's server with a real, tiny model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import pytest
from pydantic import BaseModel

from echovessel.errors import ModelError
from echovessel.models.language import LiteLLMModel, ProviderSettings, Request, Say, find_local, structured
from tests.servers.llamacpp import llama_server, missing
from tests.servers.openai import LITELLM_NOISE

pytest.importorskip("stamina", reason="needs the extra llm")
pytestmark = [pytest.mark.skipif(bool(missing()), reason=missing() or "there"), *LITELLM_NOISE]
T = TypeVar("T")
ASK = Request((Say("user", "Name the capital of France."),), max_tokens=24, temperature=0.0)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with llama_server() as address:
        yield address


def run(url: str, use: Callable[[LiteLLMModel], Coroutine[Any, Any, T]], **more: Any) -> T:
    async def go() -> T:
        model = LiteLLMModel(ProviderSettings(main="local", base_url=url, **more), environ={})
        try:
            return await use(model)
        finally:
            await model.aclose()

    return asyncio.run(go())


def test_it_answers_and_counts_its_tokens(url):
    reply = run(url, lambda model: model.complete(ASK))

    assert "Paris" in reply.text
    assert reply.usage.input_tokens > 5
    assert 0 < reply.usage.output_tokens <= 24


def test_it_streams_the_same_answer_in_pieces(url):
    async def listen(model: LiteLLMModel) -> list[Any]:
        return [piece async for piece in model.stream(ASK)]

    pieces = run(url, listen)
    whole = run(url, lambda model: model.complete(ASK))

    assert len(pieces) > 4
    assert "".join(piece.text for piece in pieces) == pieces[-1].reply.text == whole.text


def test_the_token_limit_is_told(url):
    story = Request((Say("user", "Tell a long story about a ship."),), max_tokens=8, temperature=0.0)

    assert run(url, lambda model: model.complete(story)).finish == "length"


class City(BaseModel):
    name: str
    size: Literal["small", "large"]


def test_a_schema_holds_even_a_tiny_model(url):
    ask = Request((Say("user", "Describe Paris as JSON."),), schema=City, max_tokens=100, temperature=0.0)

    parsed = run(url, lambda model: structured(model, ask))

    assert isinstance(parsed.value, City)
    assert parsed.value.size in ("small", "large")


def test_a_request_longer_than_it_can_read_is_explained(url):
    flood = Request((Say("user", "ship " * 3_000),), max_tokens=8)

    with pytest.raises(ModelError, match="The request is longer than openai/local can read"):
        run(url, lambda model: model.complete(flood), retries=0)


def test_hanging_up_frees_the_server_for_the_next(url):
    """It has one slot: were the first answer, which takes some 15 s, still being written, the second would wait."""

    async def leave(model: LiteLLMModel) -> None:
        stream = model.stream(
            Request(
                (Say("user", "Write the numbers from 1 to 1000, one a line."),),
                max_tokens=800,
                temperature=0.0,
            )
        )
        await anext(stream)
        await stream.aclose()

    run(url, leave)
    start = time.monotonic()
    run(url, lambda model: model.complete(Request(ASK.says, max_tokens=1)))

    assert time.monotonic() - start < 5


def test_it_is_found_at_its_port(url):
    (found,) = asyncio.run(find_local(ports={"llama.cpp": urlsplit(url).port or 0}))

    assert found.base_url == url
    assert len(found.models) == 1
