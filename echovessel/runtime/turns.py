"""One turn: hear, recall, put the prompt together, speak, remember."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import EchoVesselError, InputError, ModelError, SpendingLimit
from echovessel.memory.recall import Recall
from echovessel.memory.records import Message, NewMessage, Outcome, Sender, Session, SessionState
from echovessel.mind.crisis import Crisis
from echovessel.mind.prompt import Prompt, assemble, recent_talk, surely_told
from echovessel.mind.speaker import ExtractiveSpeaker, ModelSpeaker, Speaker
from echovessel.models.language import Piece
from echovessel.runtime import forming
from echovessel.runtime.streams import closing
from echovessel.runtime.trace import trace_of
from echovessel.runtime.turn import Saying, Stage, Step, StepKind, Turn

if TYPE_CHECKING:
    from echovessel.mind.consolidation import Consolidated
    from echovessel.runtime.vessel import Vessel

__all__ = ["Saying", "Stage", "Step", "StepKind", "Turn", "Turns"]

RESOURCES = "crisis-resources"
ANSWERS = (
    200  # messages after a redelivered one among which its answer is looked for; a session holds no more
)
BROKEN = "Something inside EchoVessel broke ({what} in {where}). What you said is kept; say it again, or report this."
_log = logging.getLogger(__name__)
T = TypeVar("T")


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
    """

    def __init__(self, vessel: Vessel, *, speaker: Speaker | None = None) -> None:
        self._vessel = vessel
        self._speaker = speaker

    @property
    def speaker(self) -> Speaker:
        """Who replies."""
        if self._speaker is not None:
            return self._speaker
        model = self._vessel.model
        return ModelSpeaker(model) if model is not None else ExtractiveSpeaker(self._vessel.memory)

    async def say(self, text: str | Sequence[str] | Saying) -> AsyncGenerator[Step, None]:
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
            try:
                heard = await self._hear(said)
                if not heard:
                    return
                run.lap("hear")
                yield Step(StepKind.HEARD, run.now(heard=tuple(heard)))
                async with closing(self._answer(run, said)) as steps:
                    async for step in steps:
                        yield step
            except (asyncio.CancelledError, GeneratorExit):
                await _done(lambda: self._end(run, said, "cancelled"))
                raise
            except Exception as error:  # noqa: BLE001
                # A turn is a border: whatever broke, its channel is told, and the next turn can begin.
                why = _told(error)
                await _done(lambda: self._end(run, said, why))
                yield Step(StepKind.FAILED, run.turn, why)

    async def close_session(self, conversation: str = "main", channel: str = "local") -> list[Consolidated]:
        """End the talk now, and make memories of it; without a model it waits for one.

        Returns
        -------
        list of Consolidated
            What came of each session that was closed; `why` says what keeps one waiting.
        """
        async with self._vessel.turn_lock():
            closed = await asyncio.to_thread(self._close, channel, conversation)
        if not closed:
            return []
        mind = forming.consolidator(self._vessel)
        return [await mind.run(session.id) for session in closed]

    def _close(self, channel: str, conversation: str) -> list[Session]:
        memory = self._vessel.memory
        return [
            memory.sessions.close(session.id)
            for session in memory.sessions.list(state=SessionState.OPEN)
            if (session.scope, session.channel, session.conversation)
            == (memory.context.scope, channel, conversation)
        ]

    async def _hear(self, said: Saying) -> list[Message]:
        """The burst as stored, without what was answered before."""
        messages = said.messages()
        if not said.record:
            return await asyncio.to_thread(lambda: [self._passing(message) for message in messages])
        return await _done(lambda: self._stored(messages))

    def _stored(self, messages: Sequence[NewMessage]) -> list[Message]:
        log = self._vessel.memory.log
        deliveries = list(log.deliver(messages))
        self._vessel.wake()
        return [
            delivery.message
            for delivery in deliveries
            if delivery.message is not None
            and (delivery.outcome is Outcome.STORED or not self._answered(delivery.message))
        ]

    def _answered(self, message: Message) -> bool:
        """Whether the persona has spoken since; a turn that failed before it did is tried again."""
        if message.deleted_at is not None:
            return True
        after = self._vessel.memory.log.around(message.id, before=0, after=ANSWERS)
        return any(one.sender is Sender.PERSONA for one in after)

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
        danger = await asyncio.to_thread(self._look, said.query)
        recent, recall = await asyncio.to_thread(self._recall, said.query, vector, run.turn.heard, danger)
        run.lap("recall")
        yield Step(StepKind.RECALLED, run.now(recall=recall))
        prompt = await asyncio.to_thread(
            self._prompt, recall, recent, run.turn.heard, said.instructions, danger
        )
        run.lap("prompt")
        yield Step(StepKind.PROMPTED, run.now(prompt=prompt))
        async with closing(self._spoken(prompt)) as pieces:
            async for piece in pieces:
                if piece.text:
                    if not run.turn.text:
                        run.lap("first word")
                    yield Step(StepKind.PIECE, run.now(text=run.turn.text + piece.text), piece.text)
                if piece.reply is not None:
                    run.now(text=piece.reply.text, usage=piece.reply.usage, speaker=piece.reply.model)
        run.lap("speak")
        if not run.turn.text.strip():
            raise ModelError("The model answered with nothing. Say it again, or choose another model.")
        await _done(lambda: self._keep(run, said))
        run.lap("store")
        await _done(lambda: self._note(run.turn, said, danger))
        yield Step(StepKind.STORED, run.turn)

    async def _spoken(self, prompt: Prompt) -> AsyncIterator[Piece]:
        """The speaker's answer; memory's own where the limit on spending is reached and the user asked for that."""
        try:
            async with closing(self.speaker.speak(prompt)) as pieces:
                async for piece in pieces:
                    yield piece
        except SpendingLimit:
            if self._vessel.config.spending.at_limit != "memory":
                raise
            async with closing(ExtractiveSpeaker(self._vessel.memory).speak(prompt)) as pieces:
                async for piece in pieces:
                    yield piece

    def _recall(
        self,
        query: str,
        vector: NDArray[np.floating] | None,
        heard: Sequence[Message],
        danger: Crisis | None,
    ) -> tuple[Sequence[Message], Recall]:
        """The talk so far, and what rises for the burst, without the burst itself and what stands in the prompt."""
        vessel, memory = self._vessel, self._vessel.memory
        recent = recent_talk(memory, heard)
        if isinstance(self.speaker, ExtractiveSpeaker):
            # Memory alone can speak only from what it recalls, but needn't quote itself.
            told = {message.id for message in recent if message.sender is Sender.PERSONA}
        else:
            now, budget = memory.context.clock.now(), vessel.config.prompt.budget
            told = set(surely_told(memory, recent, heard, now=now, budget=budget, crisis=danger))
        present = told | {message.id for message in heard}
        return recent, memory.recall(query, vector=vector, weights=vessel.weights, exclude=present)

    def _prompt(
        self,
        recall: Recall,
        recent: Sequence[Message],
        heard: Sequence[Message],
        instructions: str,
        danger: Crisis | None,
    ) -> Prompt:
        memory = self._vessel.memory
        return assemble(
            memory,
            recall,
            heard,
            now=memory.context.clock.now(),
            recent=recent,
            budget=self._vessel.config.prompt.budget,
            instructions=instructions,
            crisis=danger,
        )

    def _look(self, query: str) -> Crisis | None:
        """Words of crisis; where help is, is told once per user."""
        danger = self._vessel.crisis.look(query)
        if danger is not None and self._vessel.memory.notices.given(RESOURCES):
            return replace(danger, resources="")
        return danger

    def _keep(self, run: _Running, said: Saying) -> None:
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
        run.now(reply=self._vessel.memory.log.add(message))
        self._vessel.wake()

    def _end(self, run: _Running, said: Saying, why: str) -> None:
        """What stays of a turn that did not come to its end."""
        run.now(why=why)
        try:
            self._keep(run, said)
            self._trace(run.turn, said)
        except EchoVesselError as error:
            _log.warning("what was said so far can't be kept: %s", error)

    def _note(self, turn: Turn, said: Saying, danger: Crisis | None) -> None:
        """What a turn leaves beside its words; the reply has been heard by now."""
        if not said.record:
            return
        memory = self._vessel.memory
        if turn.recall is not None:
            memory.access.record(hit.id for hit in turn.recall.hits)
        mind = turn.prompt.section("mind") if turn.prompt else None
        if mind is not None:
            memory.shown.record(mind.items)
        if danger is not None:
            memory.notices.record(RESOURCES)
        self._trace(turn, said)

    def _trace(self, turn: Turn, said: Saying) -> None:
        told = {
            "turn": turn.id,
            "speaker": turn.speaker,
            **{one.name: round(one.ms, 1) for one in turn.stages},
        }
        _log.info("turn", extra={"fields": told, "said": {"heard": said.query, "reply": turn.text}})
        if said.record and self._vessel.config.server.traces:
            self._vessel.memory.traces.add(turn.id, trace_of(turn))


def _told(error: Exception) -> str:
    """The sentence for the user; the log gets the frames of what nobody foresaw, and only of that."""
    if isinstance(error, EchoVesselError):
        _log.warning("a turn failed: %s", type(error).__name__)
        return str(error)
    _log.error("a turn broke", exc_info=error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return BROKEN.format(what=type(error).__name__, where=f"{Path(frame.filename).name}:{frame.lineno}")


async def _done(call: Callable[[], T]) -> T:
    """The result of blocking work, in a thread. It is waited for even when the turn is cancelled meanwhile."""
    work = asyncio.ensure_future(asyncio.to_thread(call))
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return work.result()
