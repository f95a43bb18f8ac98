"""Talking over HTTP: a turn as one answer, or as a stream of server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, field_validator
from sse_starlette import EventSourceResponse

from echovessel.errors import ModelError
from echovessel.runtime.api.asked import Asked
from echovessel.runtime.api.earlier import answer_to
from echovessel.runtime.streams import closing
from echovessel.runtime.turn import Saying, Step, StepKind, Turn
from echovessel.runtime.vessel import Vessel

CHANNEL = "api"
router = APIRouter(prefix="/api/personas/{persona}", tags=["talk"])


class Said(BaseModel):
    """What is said to the persona."""

    model_config = ConfigDict(extra="forbid")

    text: str | list[str] = Field(description="One message, or a burst of them that gets one answer.")
    id: str | None = Field(
        None, max_length=200, description="Your own id of it; sent twice, it is heard once."
    )
    conversation: str = Field("main", max_length=200)
    context: str = Field("", description="What holds for this answer only, such as what is on the screen.")
    record: bool = Field(True, description="Whether it is remembered.")
    stream: bool = Field(False, description="Server-sent events instead of one answer.")

    @field_validator("text")
    @classmethod
    def _lines(cls, value: str | list[str]) -> list[str]:
        lines = [value] if isinstance(value, str) else value
        if not any(line.strip() for line in lines):
            raise ValueError("there is nothing in it; say something")
        return lines

    def saying(self) -> Saying:
        """The same as the turn takes it."""
        return Saying(
            tuple(self.text),
            channel=CHANNEL,
            conversation=self.conversation,
            external_id=self.id,
            record=self.record,
            instructions=self.context,
        )


class Answer(BaseModel):
    """What the persona said."""

    text: str
    message: str | None = Field(description="Id of the stored reply; null when nothing was recorded.")
    turn: str | None = Field(description="Id of the turn; null when this was answered before.")
    speaker: str = Field("", description="The model's name, or memory.")
    hits: list[dict[str, Any]] = Field([], description="What was recalled, best first, with every factor.")
    usage: dict[str, Any] = {}
    ms: dict[str, float] = Field({}, description="How long each stage took.")


class Closed(BaseModel):
    """What came of a session that was ended."""

    session: str
    memories: list[str] = Field(description="Ids of the memories it brought or spoke of again.")
    thoughts: list[str] = Field(description="Ids of the thoughts that followed.")
    why: str = Field(description="What keeps it waiting; empty when it is done.")


@router.post("/chat", response_model=Answer)
async def chat(vessel: Asked, said: Said) -> Response | Answer:
    """Say something. With `stream`, events come as the turn goes on.

    ``heard``, ``recalled`` (hits), ``prompted`` (ledger), ``piece`` (text), then ``stored`` with the whole answer, or
    ``failed`` with an error. A client that leaves cancels the turn; what was said is kept.
    """
    saying = said.saying()
    if said.stream:
        return EventSourceResponse(_events(vessel, saying), sep="\n")
    last: Step | None = None
    async with closing(vessel.turns.say(saying)) as steps:
        async for step in steps:
            last = step
    if last is None:
        return await _before(vessel, saying)
    if last.kind is StepKind.FAILED:
        raise ModelError(last.text)
    return _answer(last.turn)


@router.post("/close")
async def close(vessel: Asked, conversation: str = "main") -> list[Closed]:
    """End the talk, and make memories of it; without a model it waits for one."""
    done = await vessel.turns.close_session(conversation, CHANNEL)
    return [
        Closed(session=one.session, memories=list(one.nodes), thoughts=list(one.thoughts), why=one.why)
        for one in done
    ]


async def _events(vessel: Vessel, saying: Saying) -> AsyncIterator[dict[str, str]]:
    some = False
    async with closing(vessel.turns.say(saying)) as steps:
        async for step in steps:
            some = True
            yield {"event": str(step.kind), "data": json.dumps(_told(step), ensure_ascii=False, default=str)}
    if not some:
        yield {"event": "stored", "data": (await _before(vessel, saying)).model_dump_json()}


def _told(step: Step) -> dict[str, Any]:
    turn = step.turn
    if step.kind is StepKind.HEARD:
        return {"turn": turn.id, "messages": [message.id for message in turn.heard]}
    if step.kind is StepKind.RECALLED:
        return {"hits": turn.recall.rows() if turn.recall else []}
    if step.kind is StepKind.PROMPTED:
        return {"ledger": [asdict(row) for row in turn.prompt.ledger] if turn.prompt else []}
    if step.kind is StepKind.PIECE:
        return {"text": step.text}
    if step.kind is StepKind.FAILED:
        return {"error": {"message": step.text, "type": "ModelError", "code": None}}
    return _answer(turn).model_dump(mode="json")


def _answer(turn: Turn) -> Answer:
    return Answer(
        text=turn.text,
        message=turn.reply.id if turn.reply else None,
        turn=turn.id,
        speaker=turn.speaker,
        hits=turn.recall.rows() if turn.recall else [],
        usage=asdict(turn.usage),
        ms={stage.name: round(stage.ms, 2) for stage in turn.stages},
    )


async def _before(vessel: Vessel, saying: Saying) -> Answer:
    """What was answered when this was said before."""
    found = await asyncio.to_thread(answer_to, vessel, saying)
    return Answer(text=found.text if found else "", message=found.id if found else None, turn=None)
