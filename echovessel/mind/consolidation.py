"""Making memories of a talk that is over: stages that commit one by one, and go on where they were after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from echovessel.embedding import Embedder
from echovessel.errors import ModelError
from echovessel.memory.cycles import CycleKind
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, Session, SessionState
from echovessel.mind import portraits, reflection
from echovessel.mind.expectations import expire
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
        waiting = self._memory.sessions.pending(everywhere=True)
        return [await self.run(session.id) for session in waiting if not self._pauses(session)]

    async def run(self, session_id: str) -> Consolidated:
        """Make memories of one closed session; a second time changes nothing.

        Raises
        ------
        NotFoundError
            No such session.
        """
        session = self._anywhere(session_id)
        memory = self._memory.within(session.scope)
        if session.state is SessionState.SETTLED:
            return Consolidated(session.id, State.SETTLED)
        while True:
            through = memory.stages.through(session.id)
            done = await self._upto(memory, session, through)
            if done.state in (State.WAITING, State.FAILED) or await asyncio.to_thread(
                self._settle, memory, session.id, through
            ):
                return done

    async def _upto(self, memory: Memory, session: Session, through: int) -> Consolidated:
        messages = self._fresh(memory, session.id, through)
        marks = memory.stages.done(session.id, through)
        if "extract" not in marks and is_trivial(messages):
            return Consolidated(session.id, State.TRIVIAL)
        if self._model is None:
            return Consolidated(session.id, State.WAITING, why="No language model is set.")
        stage = "extract"
        try:
            await self._extract(memory, session, messages, through)
            stage = "reflect"
            await self._reflect(memory, session.id, through)
            stage = "portraits"
            await self._portray(memory, session.id, through)
            stage = "think"
            await self._think(memory, session.id, through)
        except ModelError as error:
            await asyncio.to_thread(memory.stages.fail, session.id, stage, str(error))
            return Consolidated(session.id, State.FAILED, why=str(error))
        marks = memory.stages.done(session.id, through)
        thoughts = [
            node for stage in ("reflect", "portraits", "think") for node in marks[stage].get("wrote", ())
        ]
        return Consolidated(session.id, State.SETTLED, tuple(marks["extract"]["nodes"]), tuple(thoughts))

    async def _extract(
        self, memory: Memory, session: Session, messages: Sequence[Message], through: int
    ) -> None:
        if "extract" in memory.stages.done(session.id, through):
            return
        from echovessel.mind.extraction import extract, write

        assert self._model is not None
        found = await extract(memory, self._embedder, self._model, session, messages=messages)

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

    async def _reflect(self, memory: Memory, session: str, through: int) -> None:
        marks = memory.stages.done(session, through)
        if "reflect" in marks:
            return
        assert self._model is not None
        await asyncio.to_thread(expire, memory)
        extracted = marks["extract"]
        why = reflection.due(memory, strongest=extracted["strongest"], settings=self._settings)
        thoughts = None
        if not why:
            thoughts = await reflection.reflect(
                memory,
                self._embedder,
                self._model,
                fresh=_still(memory, extracted["added"]),
                settings=self._settings,
            )
        await asyncio.to_thread(self._commit, memory, session, through, "reflect", thoughts, why)

    async def _portray(self, memory: Memory, session: str, through: int) -> None:
        marks = memory.stages.done(session, through)
        if "portraits" in marks:
            return
        assert self._model is not None
        made = [
            await portraits.portray(memory, self._embedder, self._model, entity, settings=self._settings)
            for entity in portraits.due(memory, _still(memory, marks["extract"]["added"]))
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

    async def _think(self, memory: Memory, session: str, through: int) -> None:
        if "think" in memory.stages.done(session, through):
            return
        # The tick keeps its own audit row and its cool-down; a crash between it and the mark meets the cool-down.
        cycle = await slow_tick(memory, self._embedder, self._model, settings=self._settings)
        await asyncio.to_thread(memory.stages.mark, session, through, "think", wrote=list(cycle.wrote))

    def _commit(
        self,
        memory: Memory,
        session: str,
        through: int,
        stage: str,
        thoughts: reflection.Thoughts | None,
        why: str,
    ) -> None:
        with memory.context.store.write():
            wrote: tuple[str, ...] = ()
            if thoughts is not None:
                wrote = reflection.write(memory, CycleKind.REFLECTION, thoughts).wrote
            memory.stages.mark(session, through, stage, wrote=list(wrote), why=why)

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

    def _anywhere(self, session: str) -> Session:
        for found in self._memory.sessions.list(everywhere=True):
            if found.id == session:
                return found
        return self._memory.sessions.get(session)

    def _pauses(self, session: Session) -> bool:
        """Whether a session that failed is left alone for now: twice as long after each failure, six hours at most."""
        trouble = self._memory.stages.trouble(session.id)
        if trouble is None:
            return False
        pause = min(timedelta(minutes=2 ** min(trouble.tries, 12)), LONGEST_PAUSE)
        return self._memory.context.clock.now() < trouble.at + pause


def _still(memory: Memory, nodes: Sequence[str]) -> list[str]:
    """Those that have not been forgotten since."""
    known = {node.id for node in memory.nodes.list(include_superseded=True)} if nodes else set()
    return [node for node in nodes if node in known]
