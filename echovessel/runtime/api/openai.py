"""An endpoint in OpenAI's form, so that any chat client talks with a persona and its memory.

Clients send the whole history with every call. Only the last user turn is heard and stored; earlier ones are matched
against memory, and those it doesn't know are shown to the persona for this answer alone. The model's name is the
persona's. See https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse

from echovessel.errors import EchoVesselError, InputError, ModelError
from echovessel.models.language import Purpose, Say, Usage
from echovessel.models.language import Request as Ask
from echovessel.runtime.api.asked import Vessels, user_named, vessel_named
from echovessel.runtime.api.earlier import answer_to
from echovessel.runtime.api.history import CHANNEL, History, Line, external_id, unknown
from echovessel.runtime.api.refusals import told
from echovessel.runtime.streams import closing
from echovessel.runtime.turn import Saying, StepKind
from echovessel.runtime.vessel import Vessel

router = APIRouter(prefix="/v1", tags=["openai"])
TITLE = 40  # characters of what was asked that stand for a title where no model makes one


class Part(BaseModel):
    """One part of a message's content."""

    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """One message of the history."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    def line(self) -> Line:
        """Its text.

        Raises
        ------
        InputError
            It holds something else than text, or comes from a tool.
        """
        if self.role in ("tool", "function"):
            raise InputError("A persona calls no tools. Leave messages of role tool out.")
        parts = (
            [Part(type="text", text=self.content)] if isinstance(self.content, str) else self.content or []
        )
        other = next((part.type for part in parts if part.type != "text"), None)
        if other is not None:
            raise InputError(f"A persona reads text alone, found a part of type {other!r}. Leave it out.")
        text = "\n".join(part.text for part in parts)
        return Line("system" if self.role == "developer" else self.role, text)  # type: ignore[arg-type]


class StreamOptions(BaseModel):
    """What a stream brings beside the text."""

    model_config = ConfigDict(extra="allow")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A call as clients make it; what a persona has no use for, such as the temperature, is not looked at."""

    model_config = ConfigDict(extra="allow")

    model: str = Field(description="The persona's name.")
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(1, description="One answer; there is only one persona.")
    user: str | None = Field(None, description="Who talks; the token's or the configured user if none.")


@router.get("/models")
def models(request: Request) -> dict[str, Any]:
    """The personas that run here."""
    vessels: Vessels = request.app.state.vessels
    return {"object": "list", "data": [_model(name, vessel) for name, vessel in vessels.items()]}


@router.get("/models/{persona}")
def model(request: Request, persona: str) -> dict[str, Any]:
    """One persona."""
    return _model(persona, vessel_named(request, persona))


@router.post("/chat/completions")
async def completions(
    request: Request,
    call: ChatRequest,
    x_echovessel_record: Annotated[
        str, Header(description="`no` for a call that is no talk, such as one for a title.")
    ] = "",
) -> Response:
    """One turn. Calls for titles and the like are answered off the record: nothing of them is stored."""
    if call.n not in (None, 1):
        raise InputError(f"n must be 1, found {call.n}: a persona gives one answer.")
    named = vessel_named(request, call.model)
    user = user_named(request, call.user)
    vessel = named if user is None else named.for_user(user)
    history = History.of([message.line() for message in call.messages])
    if x_echovessel_record.strip().lower() in ("no", "false", "0") or history.off_record:
        answer: _Turn | _Whole = _Whole(vessel, await _aside(vessel, history))
    else:
        answer = _Turn(vessel, await asyncio.to_thread(_saying, vessel, history))
    if call.stream:
        usage = call.stream_options is not None and call.stream_options.include_usage
        return EventSourceResponse(_chunks(answer, call.model, usage=usage), sep="\n")
    text = "".join([piece async for piece in answer.pieces()])
    body = _head(answer, call.model, "chat.completion") | {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": _usage(answer.usage),
    }
    return JSONResponse(body)


class _Turn:
    """A turn of the persona as text that comes."""

    def __init__(self, vessel: Vessel, saying: Saying) -> None:
        self.vessel, self._saying, self.usage = vessel, saying, Usage()
        self.id = vessel.memory.context.new_id()

    async def pieces(self) -> AsyncIterator[str]:
        some = False
        async with closing(self.vessel.turns.say(self._saying)) as steps:
            async for step in steps:
                some, self.usage = True, step.turn.usage
                if step.kind is StepKind.PIECE:
                    yield step.text
                elif step.kind is StepKind.FAILED:
                    raise ModelError(step.text)
        if not some:
            found = await asyncio.to_thread(answer_to, self.vessel, self._saying)
            yield found.text if found else ""


class _Whole:
    """An answer that is there already."""

    def __init__(self, vessel: Vessel, answer: tuple[str, Usage]) -> None:
        self.vessel, (self._text, self.usage) = vessel, answer
        self.id = vessel.memory.context.new_id()

    async def pieces(self) -> AsyncIterator[str]:
        yield self._text


async def _chunks(answer: _Turn | _Whole, model: str, *, usage: bool) -> AsyncIterator[dict[str, str]]:
    """The stream's chunks; one that says what went wrong, where the turn fails after it has begun."""
    head = _head(answer, model, "chat.completion.chunk")

    def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, str]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"data": json.dumps(head | {"choices": [choice]}, ensure_ascii=False)}

    yield chunk({"role": "assistant", "content": ""})
    try:
        async for piece in answer.pieces():
            yield chunk({"content": piece})
    except EchoVesselError as error:
        yield {"data": json.dumps(told(str(error), "ModelError"), ensure_ascii=False)}
        return
    yield chunk({}, "stop")
    if usage:
        yield {"data": json.dumps(head | {"choices": [], "usage": _usage(answer.usage)})}
    yield {"data": "[DONE]"}


def _saying(vessel: Vessel, history: History) -> Saying:
    """The last turn, with what the client adds and what this memory doesn't know."""
    name = {"user": vessel.memory.context.scope.name, "assistant": vessel.memory.context.persona}
    shown = [f"{name[line.role]}: {line.text}" for line in unknown(vessel, history.earlier)]
    return Saying(
        history.last,
        channel=CHANNEL,
        external_id=external_id(vessel, history),
        instructions="\n".join([history.system, *shown]),
    )


async def _aside(vessel: Vessel, history: History) -> tuple[str, Usage]:
    """Answer what is no talk by the model itself, without persona or memory; the call's cost is logged."""
    if vessel.model is None:
        asked = next((line.text for line in history.earlier if line.role == "user"), history.last[-1])
        return " ".join(asked.split())[:TITLE], Usage()
    says = [Say("system", history.system)] if history.system else []
    says += [Say(line.role, line.text) for line in history.earlier]
    says.append(Say("user", "\n".join(history.last)))
    reply = await vessel.model.complete(Ask(tuple(says), Purpose.OTHER, "fast"))
    return reply.text, reply.usage


def _head(answer: _Turn | _Whole, model: str, kind: str) -> dict[str, Any]:
    created = int(answer.vessel.memory.context.clock.now().timestamp())
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": created, "model": model}


def _usage(usage: Usage) -> dict[str, int]:
    spent = {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
    return spent | {"total_tokens": usage.input_tokens + usage.output_tokens}


def _model(name: str, vessel: Vessel) -> dict[str, Any]:
    made = vessel.memory.personas.get(name).created_at
    return {"id": name, "object": "model", "created": int(made.timestamp()), "owned_by": "echovessel"}
