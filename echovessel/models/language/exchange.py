"""One request to one model through litellm: its arguments, its stream, what it used and cost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel

from echovessel.errors import MissingExtra
from echovessel.models.language.protocol import Reply, Request, Usage
from echovessel.models.language.strict import response_format
from echovessel.models.language.thinking import Unthought

# How a model is told the form of its answer: a JSON schema it is held to, JSON of any form, or the prompt alone.
Form = Literal["schema", "object", "prompt"]

# litellm reads these once, at its import: without them it fetches price lists, and reads any .env that lies about.
_QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_AUTOROUTER_PRESETS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_INSTRUCTION = (
    "Answer with one JSON object and nothing else: no code fence, no text around it. "
    "It follows this JSON schema:\n"
)


def litellm() -> ModuleType:
    """The library, imported on first use, which takes seconds, and told to keep to itself.

    Raises
    ------
    MissingExtra
        It isn't installed.
    """
    os.environ.update({name: value for name, value in _QUIET.items() if name not in os.environ})
    try:
        import litellm as library
        import stamina  # noqa: F401
    except ImportError as error:
        raise MissingExtra("Talking to a language model", "llm") from error
    library.telemetry = False  # type: ignore[attr-defined,unused-ignore]  # gone in newer releases
    library.suppress_debug_info = True
    library.turn_off_message_logging = True
    _warm()
    return library


@cache
def _warm() -> None:
    """Load the parts that litellm leaves for its first call, which would hold up the event loop for a second."""
    import litellm as library

    with contextlib.suppress(Exception):
        library.completion(
            model="openai/none", messages=[{"role": "user", "content": ""}], mock_response="-", stream=True
        )


@dataclass(frozen=True, slots=True)
class Target:
    """A model as litellm is asked for it.

    Attributes
    ----------
    name : str
        With its provider: ``openai/gpt-5-mini``.
    provider : str
    base_url : str, optional
        The provider's own when left out.
    key : str, optional
        Left out, litellm looks into the provider's usual variable.
    """

    name: str
    provider: str
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)

    @property
    def bare(self) -> str:
        """The name as the provider knows it."""
        return self.name.removeprefix(f"{self.provider}/")

    @property
    def where(self) -> str:
        """Who answers, for a sentence."""
        return self.base_url or self.provider


def first_form(target: Target) -> Form:
    """The strictest form that a model takes; a server of one's own is asked for it and may refuse."""
    library = litellm()
    if target.base_url or library.supports_response_schema(target.bare, target.provider):
        return "schema"
    known = library.get_supported_openai_params(target.bare, target.provider) or []
    return "object" if "response_format" in known else "prompt"


class Exchange:
    """An answer as it comes: an iterator over its pieces, thinking aloud left out.

    Attributes
    ----------
    text : str
        What has come so far.
    reply : Reply, optional
        The whole, once all has come.
    """

    def __init__(self, stream: Any, target: Target, *, silence: float) -> None:
        self.target = target
        self.text = ""
        self.reply: Reply | None = None
        self._stream = stream
        self._silence = silence
        self._pieces = self._read()

    @classmethod
    async def begin(cls, target: Target, request: Request, form: Form, *, silence: float) -> Exchange:
        """Send a request; `silence` is the longest one in seconds, here and between any two tokens."""
        async with asyncio.timeout(silence):
            stream = await litellm().acompletion(**_arguments(target, request, form), timeout=silence)
        return cls(stream, target, silence=silence)

    def __aiter__(self) -> Exchange:
        return self

    async def __anext__(self) -> str:
        return await anext(self._pieces)

    async def _read(self) -> AsyncGenerator[str, None]:
        unthought, used, length = Unthought(), None, False
        while True:
            try:
                async with asyncio.timeout(self._silence):
                    chunk = await anext(self._stream)
            except StopAsyncIteration:
                break
            used = getattr(chunk, "usage", None) or used
            for choice in chunk.choices:
                length = length or choice.finish_reason == "length"
                if text := unthought.feed(choice.delta.content or ""):
                    self.text += text
                    yield text
        if text := unthought.rest():
            self.text += text
            yield text
        self.reply = Reply(self.text, self.target.name, self._usage(used), "length" if length else "stop")

    async def close(self) -> None:
        """Hang up, if the answer isn't over."""
        with contextlib.suppress(Exception):
            await self._pieces.aclose()
            await self._stream.aclose()

    def _usage(self, used: Any) -> Usage:
        if used is None:
            return Usage()
        try:
            dollars = sum(
                litellm().cost_per_token(
                    model=self.target.bare, custom_llm_provider=self.target.provider, usage_object=used
                )
            )
        except Exception:  # noqa: BLE001  # its price isn't known; litellm says so in many ways
            dollars = None
        return Usage(used.prompt_tokens or 0, used.completion_tokens or 0, dollars)


def _arguments(target: Target, request: Request, form: Form) -> dict[str, Any]:
    messages = [{"role": say.role, "content": say.text} for say in request.says]
    arguments: dict[str, Any] = {
        "model": target.name,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        # Retries are ours, so that they are counted once; a parameter that a model doesn't take is left out.
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,
    }
    given = {
        "base_url": target.base_url,
        "api_key": target.key,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }
    arguments |= {name: value for name, value in given.items() if value is not None}
    if request.schema is not None:
        if form == "schema":
            arguments["response_format"] = response_format(request.schema)
        else:
            _instruct(messages, request.schema)
            if form == "object":
                arguments["response_format"] = {"type": "json_object"}
    return arguments


def _instruct(messages: list[dict[str, str]], schema: type[BaseModel]) -> None:
    """Say the form of the answer in the system message."""
    text = _INSTRUCTION + json.dumps(schema.model_json_schema(), ensure_ascii=False)
    if messages and messages[0]["role"] == "system":
        messages[0]["content"] += "\n\n" + text
    else:
        messages.insert(0, {"role": "system", "content": text})
