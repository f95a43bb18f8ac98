"""What went wrong with a model, in a sentence that says what to do; and whether trying again can help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from echovessel.errors import ModelError
from echovessel.models.language.exchange import Target

# A server that asks for a longer pause than this many seconds is not waited for.
LONGEST_WAIT = 60.0
_FORMAT = re.compile(r"response_format|json_schema|json_object|schema|grammar|structured", re.IGNORECASE)
_CREDIT = ("insufficient_quota", "billing", "credit balance", "exceeded your current quota")
_TRANSIENT = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}


class EmptyAnswer(Exception):
    """A model sent no text; `spent` when its token limit was reached before there was any."""

    def __init__(self, *, spent: bool) -> None:
        super().__init__()
        self.spent = spent


def again(error: Exception) -> bool | float:
    """Whether the same request may succeed later; seconds if the server named them.

    A silence that lasted the whole timeout, a refused connection and spent credit don't pass by waiting.
    """
    if isinstance(error, EmptyAnswer):
        return not error.spent
    if (
        _timed_out(error)
        or _out_of_credit(error)
        or any(isinstance(e, ConnectionRefusedError) for e in _chain(error))
    ):
        return False
    if _status(error) not in _TRANSIENT:
        return False
    pause = retry_after(error)
    if pause is None:
        return True
    # Not 0, which would mean no.
    return max(pause, 0.1) if pause <= LONGEST_WAIT else False


def refused_format(error: Exception) -> bool:
    """Whether a server turned down the form asked for, not the request."""
    return _status(error) in (400, 422) and _FORMAT.search(str(error)) is not None


def retry_after(error: Exception, *, now: datetime | None = None) -> float | None:
    """The seconds that a ``Retry-After`` header asks to wait, given as such or as a date."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


def explained(
    error: Exception, target: Target, *, silence: float, key_env: str | None, said: str = ""
) -> ModelError:
    """The error as a sentence for the user; a key never stands in it."""
    return ModelError(_broken_off(said) + _sentence(error, target, silence=silence, key_env=key_env))


def _broken_off(said: str) -> str:
    return f"The answer broke off after {len(said)} characters. " if said else ""


def _sentence(error: Exception, target: Target, *, silence: float, key_env: str | None) -> str:
    name, where, status = target.name, target.where, _status(error)
    kind = type(error).__name__
    if isinstance(error, EmptyAnswer):
        if error.spent:
            return f"{name} reached its token limit before it said anything. Raise `max_tokens`, or let it think less."
        return f"{name} sent no text. See whether {where} is an OpenAI-compatible server, or name a fallback."
    if _timed_out(error):
        return (
            f"{name} was silent for {silence:g} s. If the model is only slow, raise `timeout`; "
            f"else see whether {where} is overloaded."
        )
    if "LLM Provider NOT provided" in str(error):
        return (
            f"No provider is known for the model {name!r}. Write it as provider/model, such as openai/gpt-5-mini or "
            "ollama_chat/qwen3, or set `base_url` to a server of your own."
        )
    if kind == "ContextWindowExceededError":
        return (
            f"The request is longer than {name} can read. Lower the prompt's budget, or name a model that "
            "reads more."
        )
    if kind == "ContentPolicyViolationError":
        return f"{where} refused the request because of its content rules."
    if status == 401:
        key = (
            f"the variable {key_env}" if key_env else f"the variable that holds the key of {target.provider}"
        )
        return f"{where} did not accept the key. Check {key}."
    if status in (402, 429) and (status == 402 or _out_of_credit(error)):
        return f"The credit at {where} is used up. Add some there, or name another model."
    if status == 403:
        return f"The key may not use {name} at {where}. Choose another model, or ask for access there."
    if kind == "MidStreamFallbackError":
        return f"{where} stopped in the middle of it. Try again, or name a fallback."
    if status == 404:
        return f"{where} has no model {name!r}. Check the name, and `base_url` if there is one."
    if status == 429:
        pause = retry_after(error)
        later = f"in {pause:.0f} s" if pause else "later"
        return f"{where} takes no more requests for now. Try again {later}, or name a fallback."
    if _connection(error):
        return f"There is no connection to {where}. See whether it is running and reachable."
    if status is not None and status >= 500:
        return f"{where} failed on its side (status {status}). Try again later, or name a fallback."
    return f"{where} refused the request to {name}: {_short(error)}"


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _timed_out(error: Exception) -> bool:
    # litellm's Timeout, and asyncio's own.
    return isinstance(error, TimeoutError) or type(error).__name__ == "Timeout"


def _out_of_credit(error: Exception) -> bool:
    about = f"{getattr(error, 'body', None)} {error}".lower()
    return any(word in about for word in _CREDIT)


def _connection(error: Exception) -> bool:
    import httpx

    return any(isinstance(e, (httpx.TransportError, OSError)) for e in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from; litellm keeps some originals in an attribute."""
    seen: set[int] = set()
    here: BaseException | None = error
    while here is not None and id(here) not in seen:
        seen.add(id(here))
        yield here
        here = here.__cause__ or here.__context__ or getattr(here, "original_exception", None)


def _short(error: Exception) -> str:
    """The provider's own words, without the names of classes before them."""
    words = re.sub(r"^(?:litellm\.)?(?:\w+(?:Error|Exception)(?: -|:)\s*)+", "", str(error).strip())
    words = " ".join(words.split())
    return words if len(words) <= 300 else words[:300] + "..."
