"""Making memories of a talk that is over: stages that commit one by one, and go on where they were after a crash."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from echovessel.embedding import Embedder
from echovessel.errors import ModelError, NotFoundError
from echovessel.memory.cycles import Cycle, CycleKind
from echovessel.memory.memory import Memory
from echovessel.memory.records import Entity, Message, Session, SessionState
from echovessel.mind import portraits, reflection
from echovessel.mind.extraction import extract, write
from echovessel.mind.settings import MindSettings
from echovessel.mind.slow_tick import slow_tick
from echovessel.mind.trivial import is_trivial
from echovessel.models.language import LanguageModel

LONGEST_PAUSE = timedelta(hours=6)


class State(StrEnum):
    """What became of a session: ``waiting`` for a model, or ``failed`` and to be tried again later."""

    SETTLED = "settled"
    TRIVIAL = "trivial"
    WAITING = "waiting"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a talk became.

    Attributes
    ----------
    session : str
    state : State
    nodes : tuple of str
        Ids of the memories it brought or that it spoke of again.
    thoughts : tuple of str
        Ids of the thoughts that followed.
    why : str
        What keeps it waiting.
    """

    session: str
    state: State
    nodes: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    why: str = ""


class Consolidator:
    """Makes memories of closed sessions.

    Stages: extraction, reflection, portraits, a slow tick. Each is one transaction with its mark, its vectors and its
    entities, so that a crash at any point loses nothing and writes nothing twice. Without a model sessions wait.

    Parameters
    ----------
    memory : Memory
        Of the persona, in any scope: each session is worked on in its own.
    embedder : Embedder
    model : LanguageModel, optional
    settings : MindSettings
    """

    def __init__(
        self,
        memory: Memory,
        embedder: Embedder,
        model: LanguageModel | None,
        *,
        settings: MindSettings | None = None,
    ) -> None:
        self._memory = memory
        self._embedder = embedder
        self._model = model
        self._settings = settings or MindSettings()

    async def run_pending(self) -> list[Consolidated]:
        """Every closed session of the persona that waits, the oldest first; those that failed lately stay for later."""
        due = await asyncio.to_thread(self._due)
        return [await self.run(session.id) for session in due]

    async def run(self, session_id: str) -> Consolidated:
        """Make memories of one closed session; a second time changes nothing.

        Raises
        ------
        NotFoundError
            No such session.
        """
        session = await asyncio.to_thread(self._memory.sessions.get, session_id, everywhere=True)
        memory = self._memory.within(session.scope)
        if session.state is SessionState.SETTLED:
            return Consolidated(session.id, State.SETTLED)
        while True:
            through = await asyncio.to_thread(memory.stages.through, session.id)
            done = await self._upto(memory, session, through)
            if done.state in (State.WAITING, State.FAILED) or await asyncio.to_thread(
                self._settle, memory, session.id, through
            ):
                return done

    async def _upto(self, memory: Memory, session: Session, through: int) -> Consolidated:
        model, place = self._model, (session.id, through)
        marks = await asyncio.to_thread(memory.stages.done, *place)
        messages = [] if "extract" in marks else await asyncio.to_thread(self._fresh, memory, *place)
        if "extract" not in marks and is_trivial(messages):
            return Consolidated(session.id, State.TRIVIAL)
        if model is None:
            return Consolidated(session.id, State.WAITING, why="No language model is set.")
        stages: dict[str, Callable[[], Awaitable[None]]] = {
            "extract": lambda: self._extract(memory, model, session, messages, through),
            "reflect": lambda: self._reflect(memory, model, *place),
            "portraits": lambda: self._portray(memory, model, *place),
            "think": lambda: self._think(memory, model, *place),
        }
        for stage, work in stages.items():
            if stage in marks:
                continue
            try:
                await work()
            except ModelError as error:
                await asyncio.to_thread(memory.stages.fail, session.id, stage, str(error))
                return Consolidated(session.id, State.FAILED, why=str(error))
        marks = await asyncio.to_thread(memory.stages.done, *place)
        thoughts = [node for stage in ("reflect", "portraits", "think") for node in marks[stage]["wrote"]]
        return Consolidated(session.id, State.SETTLED, tuple(marks["extract"]["nodes"]), tuple(thoughts))

    async def _extract(
        self,
        memory: Memory,
        model: LanguageModel,
        session: Session,
        messages: Sequence[Message],
        through: int,
    ) -> None:
        found = await extract(memory, self._embedder, model, session, messages=messages)

        def commit() -> None:
            with memory.context.store.write():
                written = write(memory, found)
                memory.stages.mark(
                    session.id,
                    through,
                    "extract",
                    nodes=list(dict.fromkeys((*written.added, *written.mentioned))),
                    added=list(written.added),
                    strongest=written.max_impact,
                )

        await asyncio.to_thread(commit)

    async def _reflect(self, memory: Memory, model: LanguageModel, session: str, through: int) -> None:
        def look() -> tuple[str, list[str]]:
            extracted = memory.stages.done(session, through)["extract"]
            why = reflection.due(memory, strongest=extracted["strongest"], settings=self._settings)
            return why, _still(memory, extracted["added"])

        why, fresh = await asyncio.to_thread(look)
        thoughts = None
        if not why:
            thoughts = await reflection.reflect(
                memory, self._embedder, model, fresh=fresh, settings=self._settings
            )

        def commit() -> None:
            with memory.context.store.write():
                wrote = reflection.write(memory, CycleKind.REFLECTION, thoughts).wrote if thoughts else ()
                memory.stages.mark(session, through, "reflect", wrote=list(wrote), why=why)

        await asyncio.to_thread(commit)

    async def _portray(self, memory: Memory, model: LanguageModel, session: str, through: int) -> None:
        def look() -> list[Entity]:
            added = memory.stages.done(session, through)["extract"]["added"]
            return portraits.due(memory, _still(memory, added))

        made = [
            await portraits.portray(memory, self._embedder, model, entity, settings=self._settings)
            for entity in await asyncio.to_thread(look)
        ]

        def commit() -> None:
            with memory.context.store.write():
                wrote = [
                    memory.nodes.add(node, vector=vector).id
                    for thoughts in made
                    for node, vector in thoughts.new
                ]
                memory.stages.mark(session, through, "portraits", wrote=wrote)

        await asyncio.to_thread(commit)

    async def _think(self, memory: Memory, model: LanguageModel, session: str, through: int) -> None:
        def mark(cycle: Cycle) -> None:
            memory.stages.mark(session, through, "think", wrote=list(cycle.wrote))

        await slow_tick(memory, self._embedder, model, settings=self._settings, mark=mark)

    def _settle(self, memory: Memory, session: str, through: int) -> bool:
        """Mark the session as done, unless something was said meanwhile."""
        with memory.context.store.write():
            if memory.stages.through(session) != through:
                return False
            memory.sessions.close(session)
            memory.sessions.settle(session)
            return True

    def _fresh(self, memory: Memory, session: str, through: int) -> list[Message]:
        """What was said since the session was last extracted, all of it the first time."""
        before = memory.stages.read_before(session)
        ids = set(memory.stages.between(session, before if before < through else 0, through))
        return [message for message in memory.log.by_session(session) if message.id in ids]

    def _due(self) -> list[Session]:
        """Those that wait, the oldest first, without what failed lately."""
        waiting = self._memory.sessions.pending(everywhere=True)
        return [session for session in waiting if not self._pauses(session)]

    def _pauses(self, session: Session) -> bool:
        """Whether a session that failed is left alone for now: twice as long after each failure, six hours at most."""
        trouble = self._memory.stages.trouble(session.id)
        if trouble is None:
            return False
        pause = min(timedelta(minutes=2 ** min(trouble.tries, 12)), LONGEST_PAUSE)
        return self._memory.context.clock.now() < trouble.at + pause


def _still(memory: Memory, nodes: Sequence[str]) -> list[str]:
    """Those that have not been forgotten since."""
    found = []
    for node in nodes:
        with contextlib.suppress(NotFoundError):
            found.append(memory.nodes.get(node).id)
    return found
