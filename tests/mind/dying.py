"""A program that is killed while it makes memories of a talk: run by `test_killed`, one process a boundary.

``python dying.py FOLDER`` looks into `FOLDER/start.db` how many transactions closing and consolidating the talk takes,
then does it again in a process of its own for each one: in `FOLDER/N-before.db` the process gets SIGKILL when the N-th
transaction is about to be committed, in `FOLDER/N-after.db` right after it is in the log. One line a process tells how
it ended.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import apsw

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, NewNode, NodeKind, NodeStatus, Scope, Sender, Subject
from echovessel.mind.consolidation import Consolidator, State
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import Purpose, Request, ScriptedModel

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EMBEDDER = HashEmbedder()
SAID = (
    "I moved to Cork last week, and Rosa helped me.",
    "Rosa, whom we call Rosie, carried the piano.",
    "I no longer work at Lanting Press; Rosa and I run a bakery now.",
    "I told you about the piano before.",
)


def opened(path: Path) -> Memory:
    """The memory of Lin's talks with Mei, always at the same moment."""
    return Memory.open(
        path,
        persona="lin",
        scope=Scope.user("mei"),
        clock=FixedClock(NOW),
        zone="UTC",
        embedder=EMBEDDER.identity,
    )


def begin(path: Path) -> None:
    """A file with things that are known, something overdue, and a talk that is still open."""
    with closing(opened(path)) as memory:
        for text, fields in (
            ("Mei works at Lanting Press", {"attribute": "workplace", "subject": Subject.USER}),
            ("Mei owns a piano", {"subject": Subject.USER}),
            (
                "Mei tells about her trip",
                {"kind": NodeKind.EXPECTATION, "status": NodeStatus.OPEN, "due_on": date(2026, 5, 1)},
            ),
        ):
            new = NewNode(text, known_at=datetime(2026, 5, 1, tzinfo=UTC), **fields)  # type: ignore[arg-type]
            memory.nodes.add(new, vector=EMBEDDER.embed([text], kind="passage")[0])
        for line in SAID:
            memory.log.add(NewMessage(line, sender=Sender.USER))


def handle(request: Request, text: str) -> str:
    """Under which handle a memory was shown, as a model reads it off."""
    shown = "\n".join(say.text for say in request.says)
    line = next(line for line in shown.splitlines() if text in line)
    return line.removeprefix("- ").split()[0].strip("[]:")


def answer(request: Request) -> dict[str, Any]:
    """Of every kind of memory one: new, repeated, replaced, promised, awaited, a person with a second name, a mood."""
    if request.purpose is Purpose.EXTRACTION:

        def fact(text: str, number: int, words: str, **fields: Any) -> dict[str, Any]:
            sources = [{"message": number, "words": words}]
            return {"text": text, "subject": "user", "sources": sources, "entities": ["Rosa"]} | fields

        return {
            "events": [
                fact("Mei moved to Cork", 1, "I moved to Cork last week", impact=9, when="last week"),
                fact("Rosa carried Mei's piano", 2, "carried the piano", subject="other", about="Rosa"),
                fact(
                    "Mei runs a bakery with Rosa",
                    3,
                    "Rosa and I run a bakery now",
                    attribute="workplace",
                    replaces=[handle(request, "Mei works at Lanting Press")],
                ),
                fact(
                    "Mei owns a piano",
                    4,
                    "I told you about the piano before",
                    entities=[],
                    repeats=handle(request, "Mei owns a piano"),
                ),
            ],
            "entities": [{"name": "Rosa", "aliases": ["Rosie"], "who": "Mei's friend in Cork"}],
            "mood": {"mood": "warm", "energy": 0.6, "user_signal": "glad"},
        }
    if request.purpose is Purpose.SLOW_TICK:
        item = {"kind": "intention", "text": "ask Mei how the bakery does", "rests_on": ["M1"]}
        return {"items": [item, {"kind": "event", "text": "Mei is rich", "rests_on": ["M1"]}]}
    if request.stamp.startswith("portrait"):
        return {"text": "Rosa stands by Mei", "rests_on": ["M1", "M2"]}
    thought = {"about": "user", "text": "Mei begins anew", "rests_on": ["M1", "M2"], "pin": True}
    return {"thoughts": [thought], "narrative": "I am glad for Mei."}


def finish(path: Path) -> State:
    """Close the talk if it is open, and make memories of it, from wherever an earlier process came to."""
    with closing(opened(path)) as memory:
        memory.sessions.close_all()
        (session,) = memory.sessions.list()
        mind = Consolidator(memory, EMBEDDER, ScriptedModel(answer))
        return asyncio.run(mind.run(session.id)).state


class Commits:
    """Counts the transactions of connections opened from now on, and calls back at each border."""

    def __init__(self, at: Callable[[int, str], None]) -> None:
        self.count = 0
        self._at = at
        apsw.connection_hooks.append(self._watch)

    def _watch(self, connection: apsw.Connection) -> None:
        connection.set_commit_hook(self._before)
        connection.set_wal_hook(self._after)

    def _before(self) -> bool:
        self.count += 1
        self._at(self.count, "before")
        return False  # go on and commit

    def _after(self, *_: object) -> int:
        self._at(self.count, "after")
        return apsw.SQLITE_OK


def in_a_process(work: Callable[[], object]) -> int:
    """How a process of its own ended that did this: its code, or minus the signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dying(path: Path, number: int, when: str) -> None:
    """Finish, but for the kill at that border."""

    def at(count: int, side: str) -> None:
        if (count, side) == (number, when):
            os.kill(os.getpid(), signal.SIGKILL)

    Commits(at)
    finish(path)


def counted(path: Path) -> None:
    """Finish a copy, and exit with the number of transactions."""
    commits = Commits(lambda _count, _side: None)
    finish(path)
    os._exit(commits.count)


def main(folder: Path) -> None:
    """Die at every border."""
    start, whole = folder / "start.db", folder / "counted.db"
    shutil.copy(start, whole)
    total = in_a_process(lambda: counted(whole))
    for number in range(1, total + 1):
        for when in ("before", "after"):
            copy = folder / f"{number}-{when}.db"
            shutil.copy(start, copy)
            ended = in_a_process(lambda copy=copy, number=number, when=when: dying(copy, number, when))  # type: ignore[misc]
            sys.stdout.write(f"{copy.name} {ended}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
