"""The memories that the page shows: opened ones, and those loaded to look at, each with its undo list."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from echovessel.clock import day_of
from echovessel.embedding import Embedder
from echovessel.errors import NotFoundError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Sender
from echovessel.models.registry import embedder as embedder_named
from echovessel.runtime.config import Config, load
from echovessel.runtime.vessel import Vessel
from echovessel.workbench.app.talking import Talking

UNDO_DEPTH = 50


@dataclass(frozen=True)
class Step:
    """Something that was done on the page, and how to take it back. `what` is a key of the table of strings."""

    what: str
    undo: Callable[[], object]


@dataclass
class Opened:
    """One memory on the page.

    Attributes
    ----------
    name : str
        What the picker shows.
    code : str
        The Python that opens the same.
    questions : tuple of str
        What may be asked to begin with.
    now : datetime, optional
        Where the memory's clock stands, when that opened by `code` would show another time.
    folder : TemporaryDirectory, optional
        Where its file lies, when that goes with it.
    brought : str
        What memories that came with the file were brought by: an `import`, the `labels` of a file, or a `sample`.
    talk : Talking
        The talk that goes on over it.
    """

    name: str
    vessel: Vessel
    code: str
    questions: tuple[str, ...] = ()
    now: datetime | None = None
    folder: TemporaryDirectory[str] | None = None
    brought: str = "import"
    steps: list[Step] = field(default_factory=list)
    talk: Talking = field(default_factory=Talking)

    @property
    def memory(self) -> Memory:
        """The six layers."""
        return self.vessel.memory

    @property
    def zone(self) -> str:
        """The zone in which its days are counted."""
        return self.memory.personas.zone_of(self.memory.context.scope)

    @property
    def today(self) -> date:
        """Today, by the memory's own clock and zone: a sample's clock stands at the end of its talk."""
        return self.day(self.memory.context.clock.now())

    def day(self, moment: datetime) -> date:
        """The day of a moment in the memory's zone."""
        return day_of(moment, self.zone)

    def speaker(self, sender: Sender, name: str) -> str:
        """Who said it: by the name on the message, else by the persona's or the user's."""
        if name:
            return name
        personas, context = self.memory.personas, self.memory.context
        if sender is Sender.PERSONA:
            return personas.get(context.persona).name or context.persona
        if sender is Sender.USER:
            return personas.audience(context.scope).name or context.scope.name
        return str(sender)

    def did(self, what: str, undo: Callable[[], object]) -> None:
        """Note what was done, so that it can be taken back."""
        self.steps.append(Step(what, undo))
        del self.steps[:-UNDO_DEPTH]

    def undo(self) -> Step | None:
        """Take the last step back; None when there is nothing to take back. A step that can't be is dropped."""
        if not self.steps:
            return None
        step = self.steps.pop()
        step.undo()
        return step

    def close(self) -> None:
        """Close the file, and delete it when it was only there to be looked at."""
        self.vessel.close()
        if self.folder is not None:
            self.folder.cleanup()

    def forget_steps(self) -> None:
        """After something was forgotten, steps and turns may hold its text or speak of what is gone: drop them."""
        self.steps.clear()
        self.talk.drop()


class Shelf:
    """All memories on the page, by name, in the order they came.

    Parameters
    ----------
    opened : iterable of Opened
    home : Path, optional
        Where a persona that is written on the page goes; into a temporary folder when left out.
    """

    def __init__(self, opened: Iterable[Opened] = (), *, home: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._opened = {one.name: one for one in opened}
        self._added: set[str] = set()
        self._embedder: Embedder | None = None
        self.home = home

    def names(self) -> list[str]:
        """What the picker offers."""
        return list(self._opened)

    def __getitem__(self, name: str | None) -> Opened:
        found = self._opened.get(name or "")
        if found is None and not self._opened:
            raise NotFoundError("no persona is here yet. Write one or load a sample in New.")
        if found is None:
            raise NotFoundError(f"no memory {name!r} is open here. Choose another one above.")
        return found

    def close_loaded(self) -> None:
        """Close what came while the page was open; what was only there to be looked at goes with its files."""
        for name, one in self._opened.items():
            if one.folder is not None or name in self._added:
                one.close()

    def add(self, opened: Opened) -> str:
        """Put one more memory on the shelf; gives its name, made different where it is taken."""
        with self._lock:
            name, number = opened.name, 2
            while name in self._opened:
                name, number = f"{opened.name} ({number})", number + 1
            opened.name = name
            self._opened[name] = opened
            self._added.add(name)
            return name

    def embedder(self) -> Embedder:
        """What makes the vectors of a memory that is added."""
        with self._lock:
            if self._embedder is None:
                first = next(iter(self._opened.values()), None)
                if first is not None:
                    return first.vessel.embedder
                settings = Config() if self.home is None else load(self.home)
                self._embedder = embedder_named(settings.embedder)
            return self._embedder
