"""The daemon: what it catches up with, what it goes on with after a failure, how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from echovessel.clock import FixedClock
from echovessel.errors import ModelError, NotFoundError, StoreBusy
from echovessel.memory.records import Scope, SessionState
from echovessel.models.language import ScriptedModel
from echovessel.runtime.config import FILE
from echovessel.runtime.daemon import Daemon
from echovessel.runtime.vessel import Vessel

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Mind:
    """Settles what is pending; fails as often as told."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.consolidated: list[str] = []
        self.thought: list[str] = []

    async def consolidate(self, vessel: Vessel) -> None:
        if self.failures:
            self.failures -= 1
            raise ModelError("The model is away.")
        for session in vessel.memory.sessions.pending(everywhere=True) if vessel.model else ():
            vessel.within(session.scope).memory.sessions.settle(session.id)
            self.consolidated.append(session.id)

    async def think(self, vessel: Vessel, scope: Scope) -> None:
        self.thought.append(scope.key)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A file with a talk of an hour ago, left open by a program that died, and one of a minute ago."""
    clock = FixedClock(NOW - timedelta(hours=1))
    with Vessel.open(tmp_path, embedder="hash", clock=clock) as vessel:
        vessel.for_user("mei").remember("We spoke an hour ago.")
        clock.advance(timedelta(minutes=59))
        vessel.remember("I am still here.")
    (tmp_path / FILE).write_text("embedder = 'hash'\n[mind]\ncool_down = 0\n")
    return tmp_path


def running(home: Path, mind: Mind, *, model: bool = True) -> Daemon:
    scripted = ScriptedModel(lambda _: "Fine.") if model else None
    return Daemon(home, clock=FixedClock(NOW), mind=mind, model=scripted, scan=0.01)


def run(daemon: Daemon, until: Callable[[], bool]) -> None:
    async def watched() -> None:
        task = asyncio.create_task(daemon.run())
        async with asyncio.timeout(10):
            while not until():  # noqa: ASYNC110 - `until` asks the file
                await asyncio.sleep(0.01)
        daemon.stop()
        await task

    asyncio.run(watched())


def states(daemon: Daemon) -> dict[str, SessionState]:
    return {s.scope.key: s.state for s in daemon.default.memory.sessions.list(everywhere=True)}


def test_a_talk_left_open_is_caught_up_with_and_one_under_way_goes_on(home: Path) -> None:
    mind = Mind()
    with running(home, mind) as daemon:

        def caught_up() -> bool:
            if not mind.consolidated:
                return False
            assert states(daemon) == {"user:mei": SessionState.SETTLED, "user:owner": SessionState.OPEN}
            return True

        run(daemon, caught_up)
        # At the end what is open is closed, and waits for the next start.
        assert states(daemon)["user:owner"] is SessionState.PENDING


def test_without_a_model_closed_talks_wait(home: Path) -> None:
    mind = Mind()
    with running(home, mind, model=False) as daemon:
        run(daemon, lambda: states(daemon)["user:mei"] is SessionState.PENDING)
        assert daemon.health().pending_sessions == 2
    assert mind.consolidated == mind.thought == []


def test_a_failure_is_told_and_tried_again(home: Path) -> None:
    mind, troubles = Mind(failures=2), set[str]()
    with running(home, mind) as daemon:

        def done() -> bool:
            troubles.update(daemon.health().troubles.values())
            return bool(mind.consolidated) and daemon.health().well

        run(daemon, done)
    assert troubles == {"The model is away."}


def test_it_thinks_only_where_nobody_is_talking(home: Path) -> None:
    mind = Mind()
    with running(home, mind) as daemon:
        run(daemon, lambda: len(mind.thought) > 1)
    assert set(mind.thought) == {"user:mei"}


def test_every_persona_of_the_file_is_looked_after(home: Path) -> None:
    with Vessel.open(home, persona="lin", clock=FixedClock(NOW - timedelta(days=1))) as lin:
        lin.remember("Yesterday.")
    mind = Mind()
    with running(home, mind) as daemon:
        assert set(daemon.health().personas) == {"me", "lin"}
        run(daemon, lambda: len(mind.consolidated) == 2)


def test_there_is_one_daemon_a_file(home: Path) -> None:
    with running(home, Mind()), pytest.raises(StoreBusy, match="runs already"):
        running(home, Mind())
    running(home, Mind()).close()


def test_without_a_memory_there_is_nothing_to_look_after(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="echovessel init"):
        Daemon(tmp_path / "nowhere")


def test_settings_are_read_again_and_bad_ones_change_nothing(home: Path) -> None:
    told: list[int] = []
    with running(home, Mind()) as daemon:
        daemon.on_reload(lambda daemon: told.append(daemon.default.config.prompt.budget))
        (home / FILE).write_text("embedder = 'hash'\n[prompt]\nbudget = 900\n")
        daemon.reload()
        (home / FILE).write_text("embedder = 'hash'\n[prompt]\nbudgett = 900\n")
        daemon.reload()

        assert told == [900]
        assert daemon.default.for_user("mei").config.prompt.budget == 900
        assert "Did you mean 'prompt.budget'?" in daemon.health().troubles["settings"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order_and_reload(home: Path, ending: signal.Signals) -> None:
    before = signal.getsignal(ending)
    with running(home, Mind()) as daemon:

        async def signalled() -> None:
            task = asyncio.create_task(daemon.run())
            await asyncio.sleep(0.05)
            (home / FILE).write_text("embedder = 'hash'\n[prompt]\nbudget = 900\n")
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0.05)
            os.kill(os.getpid(), ending)
            async with asyncio.timeout(5):
                await task

        asyncio.run(signalled())

        assert daemon.default.config.prompt.budget == 900
        assert SessionState.OPEN not in states(daemon).values()
    assert signal.getsignal(ending) is before


def test_what_is_served_beside_it_ends_before_the_sessions_close(home: Path) -> None:
    order: list[str] = []

    async def serve(daemon: Daemon) -> None:
        async for piece in daemon.default.reply("Hello."):
            order.append(piece)
        daemon.stop()
        await daemon.stopping.wait()
        order.append("served")

    with running(home, Mind()) as daemon:
        work: Awaitable[None] = daemon.run(serve=serve)
        asyncio.run(work)  # type: ignore[arg-type]
        last = daemon.default.memory.log.last(1)[0]
        assert ("".join(order[:-1]), order[-1], last.text) == ("Fine.", "served", "Fine.")
        assert states(daemon)["user:owner"] is SessionState.PENDING
