"""Any provider's model, or any OpenAI-compatible server, through litellm."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from echovessel.errors import EchoVesselError, ModelError
from echovessel.models.language.exchange import Exchange, Form, Target, first_form, litellm
from echovessel.models.language.failures import EmptyAnswer, again, explained, refused_format
from echovessel.models.language.protocol import Piece, Reply, Request, Role

_SERVICE = "echovessel"
_LOOSER: dict[Form, Form] = {"schema": "object", "object": "prompt"}


class ProviderSettings(BaseModel):
    """Which models are asked, where, and how patiently."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    main: str = Field(
        "",
        description="The model that talks and thinks, as provider/model: openai/gpt-5-mini, "
        "anthropic/claude-sonnet-4-5, ollama_chat/qwen3. Empty: no model.",
    )
    fast: str = Field("", description="The model for bookkeeping; the main one when left out.")
    judge: str = Field("", description="The model that grades in benchmarks; the main one when left out.")
    base_url: str | None = Field(
        None,
        description="The address of an OpenAI-compatible server, such as http://127.0.0.1:8080/v1. "
        "It and key_env are for the models of the main one's provider; others are asked at their own.",
    )
    key_env: str | None = Field(
        None,
        description="The name of the environment variable that holds the key, or of the entry in the keyring under "
        "the service echovessel. Left out: the provider's usual variable; with base_url, no key.",
    )
    timeout: float = Field(
        60.0, gt=0, description="The longest silence in seconds: before the first token and between two."
    )
    retries: int = Field(3, ge=0, le=10, description="How often a passing failure is tried again.")
    fallbacks: tuple[str, ...] = Field((), description="Models asked in turn when one fails.")

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if not value:
            return None
        if not value.startswith(("http://", "https://")):
            raise ValueError(f"should begin with http:// or https://, found {value!r}")
        return value.rstrip("/")

    @property
    def configured(self) -> bool:
        """Whether any model is named."""
        return bool(self.main or self.fast or self.judge)

    def named(self, role: Role) -> str:
        """The model of a role.

        Raises
        ------
        ModelError
            None is named for it, and no main one.
        """
        name = {"main": self.main, "fast": self.fast, "judge": self.judge}[role] or self.main
        if not name:
            raise ModelError(
                f"No language model is set for {role!r}. Name one as `main`, such as openai/gpt-5-mini, or "
                "ollama_chat/qwen3 for one on this machine."
            )
        return name


class LiteLLMModel:
    """A language model behind any provider that litellm knows.

    Parameters
    ----------
    settings : ProviderSettings
    environ : mapping, optional
        Where keys are looked up; the process's own when left out.

    Notes
    -----
    Answers are always streamed, so that `timeout` bounds the silence and not the length. Failures that pass (429, 5xx,
    a broken connection, an empty answer) are tried again with growing pauses, or after the pause that the server
    names; then the fallbacks are asked. Once text of a stream was passed on, nothing is tried again.

    litellm keeps connections open for the event loop they were made in; `aclose` ends them.
    """

    def __init__(self, settings: ProviderSettings, *, environ: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self._environ = os.environ if environ is None else environ
        self._forms: dict[str, Form] = {}

    def load(self) -> None:
        """Import litellm now, which takes seconds, and not at the first request.

        Raises
        ------
        MissingExtra
            It isn't installed.
        """
        litellm()

    async def complete(self, request: Request) -> Reply:
        """The whole answer.

        Raises
        ------
        ModelError
            No model gave one; the sentence is about the last asked.
        MissingExtra
            litellm isn't installed.
        """
        exchange = await self._begin(request, whole=True)
        assert exchange.reply is not None
        return exchange.reply

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The answer as it comes. Closing the iterator hangs up.

        Raises
        ------
        ModelError
            No model gave one, or it broke off.
        MissingExtra
            litellm isn't installed.
        """
        exchange = await self._begin(request, whole=False)
        try:
            yield Piece(exchange.text)
            async for text in exchange:
                yield Piece(text)
        except EchoVesselError:
            raise
        except Exception as error:
            raise self._explained(error, exchange.target, said=exchange.text) from error
        finally:
            await exchange.close()
        yield Piece(reply=exchange.reply)

    async def aclose(self) -> None:
        """Close the connections that litellm holds open in this event loop."""
        await litellm().close_litellm_async_clients()

    async def _begin(self, request: Request, *, whole: bool) -> Exchange:
        """An answer from the first model that gives one: all of it, or its first piece."""
        names = dict.fromkeys((self.settings.named(request.role), *self.settings.fallbacks))
        await asyncio.to_thread(litellm)  # the import would hold up the event loop
        failure: ModelError | None = None
        for name in names:
            try:
                return await self._ask(name, request, whole=whole)
            except ModelError as error:
                failure = error
        assert failure is not None
        raise failure

    async def _ask(self, name: str, request: Request, *, whole: bool) -> Exchange:
        """The same from one model, tried again while its failures are of the passing kind."""
        import stamina

        target = await asyncio.to_thread(self._target, name)
        try:
            async for attempt in stamina.retry_context(
                on=again, attempts=self.settings.retries + 1, timeout=None, wait_initial=0.5, wait_max=20.0
            ):
                with attempt:
                    return await self._attempt(target, request, whole=whole)
        except EchoVesselError:
            raise
        except Exception as error:
            raise self._explained(error, target) from error
        raise AssertionError("a retry ends with an answer or an error")

    async def _attempt(self, target: Target, request: Request, *, whole: bool) -> Exchange:
        exchange = await self._formed(target, request)
        try:
            async for _ in exchange:
                if not whole:
                    return exchange
        except BaseException:
            await exchange.close()
            raise
        if exchange.text.strip():
            return exchange
        raise EmptyAnswer(spent=exchange.reply is not None and exchange.reply.finish == "length")

    async def _formed(self, target: Target, request: Request) -> Exchange:
        """Ask in the strictest form that the model takes; what it refuses once isn't asked of it again."""
        form = self._forms.get(target.name) or (first_form(target) if request.schema else "prompt")
        while True:
            try:
                exchange = await Exchange.begin(target, request, form, silence=self.settings.timeout)
            except Exception as error:
                if request.schema is None or form == "prompt" or not refused_format(error):
                    raise
                form = _LOOSER[form]
            else:
                if request.schema is not None:
                    self._forms[target.name] = form
                return exchange

    def _target(self, name: str) -> Target:
        """Where a model is asked, and with which key."""
        full, provider = self._placed(name)
        if provider != self._placed(self.settings.main or name)[1]:
            return Target(full, provider)
        key = self.key()
        if self.settings.base_url and not key:
            # Else litellm would send the provider's own key to a server that may be anybody's.
            key = "none"
        return Target(full, provider, self.settings.base_url, key)

    def _placed(self, name: str) -> tuple[str, str]:
        """A model's name with its provider, and the provider."""
        library = litellm()
        prefix, slash, _ = name.partition("/")
        if slash and prefix in {str(getattr(one, "value", one)) for one in library.provider_list}:
            return name, prefix
        if self.settings.base_url:
            return f"openai/{name}", "openai"
        try:
            provider = str(library.get_llm_provider(name)[1])
        except library.BadRequestError as error:
            raise self._explained(error, Target(name, "")) from error
        return f"{provider}/{name}", provider

    def key(self) -> str | None:
        """The key, from the environment or the keyring; None where the provider's usual one serves.

        Raises
        ------
        ModelError
            `key_env` names one that isn't there.
        """
        name = self.settings.key_env
        if not name:
            return None
        if found := self._environ.get(name) or _from_keyring(name):
            return found
        raise ModelError(
            f"There is no key: the variable {name} is empty. Set it, or store the key with "
            f"`keyring set {_SERVICE} {name}`."
        )

    def _explained(self, error: Exception, target: Target, *, said: str = "") -> ModelError:
        settings = self.settings
        key_env = settings.key_env if target.key else None
        return explained(error, target, silence=settings.timeout, key_env=key_env, said=said)


def _from_keyring(name: str) -> str | None:
    """An entry of the system's keyring; None where there is no keyring."""
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password(_SERVICE, name)
    except keyring.errors.KeyringError:
        return None
    return found
