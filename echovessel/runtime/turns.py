"""One turn: hear, recall, put the prompt together, speak, remember."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import EchoVesselError, InputError, ModelError, SpendingLimit
from echovessel.memory.recall import Recall
from echovessel.memory.records import Message, NewMessage, Outcome, Sender
from echovessel.mind.crisis import Crisis, CrisisHook, WordsOfCrisis
from echovessel.mind.prompt import Prompt, assemble
from echovessel.mind.prompt.assemble import RECENT
from echovessel.mind.speaker import ExtractiveSpeaker, ModelSpeaker, Speaker
from echovessel.models.language import Piece, Usage
from echovessel.runtime.trace import trace_of

if TYPE_CHECKING:
    from echovessel.runtime.vessel import Vessel

RESOURCES = "crisis-resources"
_log = logging.getLogger(__name__)


class StepKind(StrEnum):
    """What a step of a turn tells, in the order in which they come."""

    HEARD = "heard"
    RECALLED = "recalled"
    PROMPTED = "prompted"
    PIECE = "piece"
    STORED = "stored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Stage:
    """How long a part of a turn took."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as far as it has come.

    Attributes
    ----------
    id : str
    heard : tuple of Message
        The burst being answered.
    recall : Recall, optional
    prompt : Prompt, optional
    text : str
        The reply so far.
    reply : Message, optional
        The reply as stored.
    speaker : str
        Who speaks: a model's name, or ``memory``.
    usage : Usage
    stages : tuple of Stage
        Milliseconds by part: ``hear``, ``embed``, ``recall``, ``prompt``, ``first word``, ``speak``, ``store``.
    why : str
        Why it failed, in one sentence.
    """

    id: str
    heard: tuple[Message, ...] = ()
    recall: Recall | None = None
    prompt: Prompt | None = None
    text: str = ""
    reply: Message | None = None
    speaker: str = ""
    usage: Usage = field(default_factory=Usage)
    stages: tuple[Stage, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a turn; `text` is the new piece, or the sentence that tells the user what failed."""

    kind: StepKind
    turn: Turn
    text: str = ""


@dataclass(frozen=True, slots=True)
class Saying:
    """What somebody says to the persona, and by what way.

    Attributes
    ----------
    lines : tuple of str
        One message, or a burst of them, which get one answer.
    external_id : str, optional
        The channel's own id; what was answered before gets no second answer.
    record : bool
        False for calls that are no talk (titles, suggestions): nothing is stored.
    instructions : str
        What the client adds for this call.
    """

    lines: tuple[str, ...]
    channel: str = "local"
    conversation: str = "main"
    sender: Sender = Sender.USER
    sender_name: str = ""
    external_id: str | None = None
    record: bool = True
    instructions: str = ""

    @property
    def query(self) -> str:
        """The whole burst as one text."""
        return "\n".join(self.lines)

    def messages(self) -> list[NewMessage]:
        """As they are stored; a burst under one external id has its lines told apart."""
        several = len(self.lines) > 1
        return [
            NewMessage(
                line,
                sender=self.sender,
                sender_name=self.sender_name,
                channel=self.channel,
                conversation=self.conversation,
                external_id=f"{self.external_id}/{i}" if self.external_id and several else self.external_id,
            )
            for i, line in enumerate(self.lines)
        ]


class _Running:
    """The turn at hand, with its clock."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self._since = time.perf_counter()

    def now(self, **fields: object) -> Turn:
        self.turn = replace(self.turn, **fields)  # type: ignore[arg-type]
        return self.turn

    def lap(self, name: str) -> None:
        moment = time.perf_counter()
        self.now(stages=(*self.turn.stages, Stage(name, (moment - self._since) * 1000)))
        self._since = moment


class Turns:
    """The turns of one vessel, in one scope: one at a time.

    Parameters
    ----------
    vessel : Vessel
    speaker : Speaker, optional
        Who replies; the configured model, or memory alone when none is set.
    crisis : CrisisHook, optional
        What looks for words of crisis.
    """

    def __init__(
        self, vessel: Vessel, *, speaker: Speaker | None = None, crisis: CrisisHook | None = None
    ) -> None:
        self._vessel = vessel
        self._speaker = speaker
        self._crisis = crisis or WordsOfCrisis()

    @property
    def speaker(self) -> Speaker:
        """Who replies."""
        if self._speaker is not None:
            return self._speaker
        model = self._vessel.model
        return ModelSpeaker(model) if model is not None else ExtractiveSpeaker(self._vessel.memory)

    async def say(self, text: str | Sequence[str] | Saying) -> AsyncIterator[Step]:
        """Say something to the persona, and follow the turn.

        Blocking work runs in threads. Closing the iterator, or cancelling the task, cancels the turn; what was said
        so far is kept, and the next turn can begin.

        Yields
        ------
        Step
            ``heard``, ``recalled``, ``prompted``, pieces, then ``stored``, or ``failed`` with a sentence. None when
            the message was answered before.

        Raises
        ------
        InputError
            There is nothing in the text.
        """
        said = text if isinstance(text, Saying) else Saying((text,) if isinstance(text, str) else tuple(text))
        if not said.query.strip():
            raise InputError("There is nothing in that message. Say something.")
        async with self._vessel.turn_lock():
            run = _Running(Turn(self._vessel.memory.context.new_id(), speaker=self.speaker.name))
            heard = await self._hear(said)
            if not heard:
                return
            run.lap("hear")
            yield Step(StepKind.HEARD, run.now(heard=tuple(heard)))
            try:
                async for step in self._answer(run, said):
                    yield step
            except EchoVesselError as error:
                _log.warning("a turn failed: %s", type(error).__name__)
                await self._keep(run, said)
                yield Step(StepKind.FAILED, run.now(why=str(error)), str(error))
            except (asyncio.CancelledError, GeneratorExit):
                await self._keep(run, said)
                raise

    async def _hear(self, said: Saying) -> list[Message]:
        """The burst as stored; nothing when all of it was heard before."""
        memory = self._vessel.memory
        if not said.record:
            return [self._passing(message) for message in said.messages()]
        deliveries = await asyncio.to_thread(lambda: list(memory.log.deliver(said.messages())))
        self._vessel.wake()
        if not any(delivery.outcome is Outcome.STORED for delivery in deliveries):
            return []
        return [delivery.message for delivery in deliveries if delivery.message is not None]

    def _passing(self, message: NewMessage) -> Message:
        """A message that is answered but not kept."""
        context = self._vessel.memory.context
        now = context.clock.now()
        zone = self._vessel.memory.personas.zone_of(context.scope)
        return Message(
            context.new_id(),
            context.scope,
            "",
            message.sender,
            message.sender_name,
            message.text,
            now,
            now,
            zone,
            message.channel,
            message.conversation,
            0,
        )

    async def _answer(self, run: _Running, said: Saying) -> AsyncIterator[Step]:
        vector = await asyncio.to_thread(self._vessel.embed_query, said.query)
        run.lap("embed")
        recall = await asyncio.to_thread(self._recall, said.query, vector, run.turn.heard)
        run.lap("recall")
        yield Step(StepKind.RECALLED, run.now(recall=recall))
        danger = self._look(said.query)
        prompt = await asyncio.to_thread(self._prompt, recall, run.turn.heard, said.instructions, danger)
        run.lap("prompt")
        yield Step(StepKind.PROMPTED, run.now(prompt=prompt))
        async for piece in self._spoken(prompt):
            if piece.text:
                if not run.turn.text:
                    run.lap("first word")
                yield Step(StepKind.PIECE, run.now(text=run.turn.text + piece.text), piece.text)
            if piece.reply is not None:
                run.now(text=piece.reply.text, usage=piece.reply.usage, speaker=piece.reply.model)
        run.lap("speak")
        if not run.turn.text.strip():
            raise ModelError("The model answered with nothing. Say it again, or choose another model.")
        await self._keep(run, said)
        run.lap("store")
        if said.record:
            await asyncio.to_thread(self._note, run.turn, danger)
        yield Step(StepKind.STORED, run.turn)

    async def _spoken(self, prompt: Prompt) -> AsyncIterator[Piece]:
        """The speaker's answer; memory's own where the limit on spending is reached and the user asked for that."""
        try:
            async for piece in self.speaker.speak(prompt):
                yield piece
        except SpendingLimit:
            if self._vessel.config.spending.at_limit != "memory":
                raise
            async for piece in ExtractiveSpeaker(self._vessel.memory).speak(prompt):
                yield piece

    def _recall(self, query: str, vector: NDArray[np.floating] | None, heard: Sequence[Message]) -> Recall:
        """What rises for the burst, without the burst itself and what stands in the prompt word for word."""
        vessel = self._vessel
        present = {message.id for message in [*vessel.memory.log.last(RECENT), *heard]}
        return vessel.memory.recall(query, vector=vector, weights=vessel.weights, exclude=present)

    def _prompt(
        self, recall: Recall, heard: Sequence[Message], instructions: str, danger: Crisis | None
    ) -> Prompt:
        memory = self._vessel.memory
        return assemble(
            memory,
            recall,
            heard,
            now=memory.context.clock.now(),
            budget=self._vessel.config.prompt.budget,
            instructions=instructions,
            crisis=danger,
        )

    def _look(self, query: str) -> Crisis | None:
        """Words of crisis; where help is, is told once per user."""
        danger = self._crisis.look(query)
        if danger is not None and self._vessel.memory.notices.given(RESOURCES):
            return replace(danger, resources="")
        return danger

    async def _keep(self, run: _Running, said: Saying) -> None:
        """Store what the persona said, whole or cut."""
        text = run.turn.text.strip()
        if not said.record or not text or run.turn.reply is not None:
            return
        message = NewMessage(
            text,
            sender=Sender.PERSONA,
            channel=said.channel,
            conversation=said.conversation,
            reply_to=run.turn.heard[-1].id,
        )
        run.now(reply=await asyncio.to_thread(self._vessel.memory.log.add, message))
        self._vessel.wake()

    def _note(self, turn: Turn, danger: Crisis | None) -> None:
        """What a turn leaves beside its words; off the reply's path."""
        memory = self._vessel.memory
        if turn.recall is not None:
            memory.access.record(hit.id for hit in turn.recall.hits)
        mind = turn.prompt.section("mind") if turn.prompt else None
        if mind is not None:
            memory.shown.record(mind.items)
        if danger is not None:
            memory.notices.record(RESOURCES)
        if self._vessel.config.server.traces:
            memory.traces.add(turn.id, trace_of(turn))
