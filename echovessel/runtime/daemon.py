"""The daemon: one per memory file. It closes silent sessions, makes memories of them, and thinks in between."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Protocol

from echovessel.clock import Clock
from echovessel.embedding import Embedder
from echovessel.errors import EchoVesselError
from echovessel.memory.records import Scope
from echovessel.models.language import LanguageModel
from echovessel.runtime import forming
from echovessel.runtime.home import memory_file
from echovessel.runtime.lock import DaemonLock
from echovessel.runtime.vessel import Vessel

SCAN = 60.0  # seconds between two looks for silent sessions
_log = logging.getLogger(__name__)


class Forming(Protocol):
    """What the daemon has the mind do."""

    async def consolidate(self, vessel: Vessel) -> object:
        """Make memories of the persona's closed sessions."""

    async def think(self, vessel: Vessel, scope: Scope) -> object:
        """One slow tick in a scope."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the daemon does.

    Attributes
    ----------
    pid : int
    since : datetime
    personas : tuple of str
    model : bool
        Whether a language model is set.
    pending_vectors, pending_sessions : int
        What waits for the embedder, and for a model.
    troubles : mapping of str to str
        The last error of each part that is failing now; empty when all is well.
    """

    pid: int
    since: datetime
    personas: tuple[str, ...]
    model: bool
    pending_vectors: int
    pending_sessions: int
    troubles: Mapping[str, str]

    @property
    def well(self) -> bool:
        """Whether nothing fails."""
        return not self.troubles


@dataclass
class _Parts:
    """What runs beside the talks."""

    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    troubles: dict[str, str] = field(default_factory=dict)
    first: bool = True  # look at all sessions that wait


class Daemon:
    """Holds the vessels of every persona in a memory file, and looks after them.

    Parameters
    ----------
    home : path
        A vessel's folder, or its memory file.
    embedder : Embedder or str, optional
    model : LanguageModel, optional
    clock : Clock, optional
    mind : Forming, optional
        What makes memories; `echovessel.runtime.forming` when left out.
    scan : float
        Seconds between two looks for silent sessions.

    Raises
    ------
    NotFoundError
        There is no memory file.
    StoreBusy
        A daemon runs for that file.
    """

    def __init__(
        self,
        home: str | os.PathLike[str],
        *,
        embedder: Embedder | str | None = None,
        model: LanguageModel | None = None,
        clock: Clock | None = None,
        mind: Forming = forming,
        scan: float = SCAN,
    ) -> None:
        self.file: Path = memory_file(home)
        self._lock = DaemonLock(self.file)
        self._mind = mind
        self._scan = scan
        self._parts = _Parts()
        self._told: list[Callable[[Daemon], None]] = []
        self.vessels: dict[str, Vessel] = {}
        try:
            first = Vessel.open(self.file, embedder=embedder, model=model, clock=clock)
            self.vessels[first.memory.context.persona] = first
            self.default = first
            for persona in first.memory.personas.list():
                if persona.id not in self.vessels:
                    self.vessels[persona.id] = Vessel.open(
                        self.file, persona=persona.id, embedder=first.embedder, model=model, clock=clock
                    )
        except BaseException:
            self.close()
            raise
        self.since = first.memory.context.clock.now()

    async def run(self, *, serve: Callable[[Daemon], Awaitable[None]] | None = None) -> None:
        """Look after the file until told to stop, by `stop` or by SIGTERM or SIGINT.

        Sessions left open by a program that died are caught up with first. At the end the open ones are closed; their
        memories are made at the next start.

        Parameters
        ----------
        serve : callable, optional
            Runs beside it, such as the HTTP API; it should return once `stopping` is set. When it ends, all ends.
        """
        with self._signals():
            _log.info("started", extra={"fields": {"pid": os.getpid(), "personas": list(self.vessels)}})
            parts = [asyncio.create_task(self._scanning()), asyncio.create_task(self._thinking())]
            if serve is not None:
                parts.append(asyncio.ensure_future(self._served(serve)))
            try:
                await self._parts.stopping.wait()
                if serve is not None:
                    await parts[-1]  # talks under way come to their end
            finally:
                for part in parts:
                    part.cancel()
                await asyncio.gather(*parts, return_exceptions=True)
                await asyncio.to_thread(self._close_sessions)
                _log.info("stopped")

    @property
    def stopping(self) -> asyncio.Event:
        """Set once the daemon is to end."""
        return self._parts.stopping

    def stop(self) -> None:
        """End in order; call it in the event loop."""
        self._parts.stopping.set()

    def on_reload(self, call: Callable[[Daemon], None]) -> None:
        """Have something called after new settings were read."""
        self._told.append(call)

    def reload(self) -> None:
        """Read `config.toml` again, as SIGHUP does; a file that can't be used changes nothing."""
        try:
            late = {name for vessel in self.vessels.values() for name in vessel.reload()}
        except EchoVesselError as error:
            self._parts.troubles["settings"] = str(error)
            _log.error("settings not read: %s", error)
            return
        self._parts.troubles.pop("settings", None)
        for call in self._told:
            call(self)
        _log.info("settings read", extra={"fields": {"needs a new start": sorted(late)}})

    def health(self) -> Health:
        """How it does. It reads the file, so call it in a thread."""
        pending = sum(len(v.memory.sessions.pending(everywhere=True)) for v in self.vessels.values())
        return Health(
            os.getpid(),
            self.since,
            tuple(self.vessels),
            self.default.model is not None,
            self.default.memory.vectors.pending_count(),
            pending,
            dict(self._parts.troubles),
        )

    def close(self) -> None:
        """Close every vessel, and let another daemon start."""
        for vessel in self.vessels.values():
            vessel.close()
        self._lock.release()

    def __enter__(self) -> Daemon:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _served(self, serve: Callable[[Daemon], Awaitable[None]]) -> None:
        try:
            await serve(self)
        finally:
            self.stop()

    async def _scanning(self) -> None:
        """Close sessions that fell silent, and make memories of what is closed."""
        while True:
            for vessel in self.vessels.values():
                await self._tried("sessions", vessel, partial(self._consolidate, vessel))
            self._parts.first = False
            await asyncio.sleep(self._scan)

    async def _consolidate(self, vessel: Vessel) -> None:
        vessel.wake()  # a queue of vectors that a kill left is worked off too
        sessions = vessel.memory.sessions
        closed = await asyncio.to_thread(lambda: sessions.close_idle(everywhere=True))
        if closed:
            _log.info("sessions closed", extra={"fields": {"sessions": [one.id for one in closed]}})
        waiting = await asyncio.to_thread(lambda: sessions.pending(everywhere=True))
        if waiting and (vessel.model is not None or closed or self._parts.first):
            # Without a model only those not worth one can be settled, so looking once is enough.
            await self._mind.consolidate(vessel)

    async def _thinking(self) -> None:
        """A slow tick now and then, where nobody is talking; its own guards decide whether it may."""
        while True:
            await asyncio.sleep(max(self._scan, self.default.config.mind.cool_down * 60.0))
            for vessel in self.vessels.values():
                if vessel.model is None or not vessel.config.mind.slow_tick:
                    continue
                for scope in await asyncio.to_thread(forming.quiet_scopes, vessel):
                    await self._tried("thinking", vessel, partial(self._mind.think, vessel, scope))

    async def _tried(self, part: str, vessel: Vessel, work: Callable[[], Awaitable[object]]) -> None:
        """Do it; an error is noted, and the daemon goes on."""
        name = f"{part} of {vessel.memory.context.persona}"
        try:
            await work()
        except Exception as error:  # noqa: BLE001
            # One part that fails must not end the others; it is tried again at its next time.
            known = isinstance(error, EchoVesselError)
            self._parts.troubles[name] = (
                str(error) if known else f"{type(error).__name__}; the log says where"
            )
            _log.log(logging.WARNING if known else logging.ERROR, "%s failed", name, exc_info=error)
        else:
            self._parts.troubles.pop(name, None)

    def _close_sessions(self) -> None:
        for vessel in self.vessels.values():
            with contextlib.suppress(EchoVesselError):  # what stays open is caught up with at the next start
                vessel.memory.sessions.close_all("shutdown", everywhere=True)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """SIGTERM and SIGINT end it in order, SIGHUP has the settings read again."""
        loop = asyncio.get_running_loop()
        wanted = {"SIGTERM": self.stop, "SIGINT": self.stop, "SIGHUP": self.reload}
        before = {}
        for name, call in wanted.items():
            number = getattr(signal, name, None)
            if number is None:
                continue
            try:
                before[number] = signal.getsignal(number)
                loop.add_signal_handler(number, call)
            except (NotImplementedError, ValueError, RuntimeError):
                # Windows, or not in the main thread: whoever runs it there calls `stop` and `reload`.
                before.pop(number, None)
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)
