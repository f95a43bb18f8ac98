"""The vessel: one persona with its memory and its embedder, as one person or group talks with it."""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop, Lock, get_running_loop
from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import Clock, SystemClock
from echovessel.embedding import Embedder
from echovessel.errors import ModelError
from echovessel.memory.memory import Memory
from echovessel.memory.recall import Recall, Weights
from echovessel.memory.records import Message, NewMessage, NewNode, Node, Scope, Sender
from echovessel.mind.crisis import CrisisHook, WordsOfCrisis
from echovessel.models.language import LanguageModel, LiteLLMModel
from echovessel.models.registry import embedder as embedder_named
from echovessel.runtime.config import Config, load
from echovessel.runtime.costs import Metered
from echovessel.runtime.home import FILE, HOME, memory_file
from echovessel.runtime.streams import closing
from echovessel.runtime.turns import StepKind, Turns
from echovessel.runtime.worker import EmbeddingWorker, embed_pending

# A vector can't say more than this of a long text, while the embedder's cost grows with it.
QUERY_CHARACTERS = 2_000


@dataclass(slots=True)
class _Common:
    """What the handles of all users and groups of one open persona share."""

    config: Config
    model: LanguageModel | None
    given: bool  # the model, by the caller
    worker: EmbeddingWorker
    home: Path | None
    crisis: CrisisHook
    locks: WeakKeyDictionary[AbstractEventLoop, dict[str, Lock]] = field(default_factory=WeakKeyDictionary)


class Vessel:
    """One persona with its memory and embedder.

    Attributes
    ----------
    memory : Memory
        The six layers, as this user or group may read them.
    embedder : Embedder
    config : Config
    model : LanguageModel, optional
        Who speaks and forms memories, with what it costs logged and limited; None while none is set.
    turns : Turns
        The talk with this user or group.
    """

    def __init__(
        self,
        memory: Memory,
        embedder: Embedder,
        config: Config,
        *,
        model: LanguageModel | None = None,
        home: Path | None = None,
        crisis: CrisisHook | None = None,
    ) -> None:
        self.memory = memory
        self.embedder = embedder
        given = model is not None
        worker = EmbeddingWorker(memory.vectors, embedder)
        self._common = _Common(
            config, model or _configured(config), given, worker, home, crisis or WordsOfCrisis()
        )
        self.turns = Turns(self)

    @classmethod
    def open(
        cls,
        home: str | os.PathLike[str] = HOME,
        *,
        persona: str | None = None,
        user: str | None = None,
        embedder: Embedder | str | None = None,
        model: LanguageModel | None = None,
        clock: Clock | None = None,
        crisis: CrisisHook | None = None,
        create: bool = True,
    ) -> Self:
        """Open the vessel in a folder, or make it.

        Parameters
        ----------
        home : path
            Holds `memory.db` and, if you wrote one, `config.toml`. A memory file stands for itself, with the
            `config.toml` beside it.
        persona, user : str, optional
            Whose memory, and who talks; as configured when left out.
        embedder : Embedder or str, optional
            As configured when left out.
        model : LanguageModel, optional
            As configured when left out; none when none is configured.
        crisis : CrisisHook, optional
            What looks for words of crisis; `WordsOfCrisis` when left out.
        create : bool
            Make file and persona when they don't exist.

        Raises
        ------
        ConfigError
            `config.toml` can't be used.
        StoreError
            The memory file can't be used; `EmbedderMismatch` names the command that converts it.
        NotFoundError
            No such file or persona, and `create` is false; the message lists the personas there are.
        """
        given = Path(home).expanduser()
        file = given if given.is_file() else given / FILE
        config = load(file.parent)
        if not create:
            memory_file(given)
        vectors = _loaded(embedder or config.embedder)
        memory = Memory.open(
            file,
            persona=persona or config.persona,
            scope=Scope.user(user or config.user),
            embedder=vectors.identity,
            clock=clock or SystemClock(),
            zone=config.zone,
            create=create,
        )
        return cls(memory, vectors, config, model=model, home=file.parent, crisis=crisis)

    @classmethod
    def sample(
        cls,
        name: str = "lin",
        *,
        home: str | os.PathLike[str] | None = None,
        embedder: Embedder | str | None = None,
        model: LanguageModel | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """A persona with a filled memory: ``lin`` (Chinese) or ``mara`` (English).

        Parameters
        ----------
        home : path, optional
            Where its file goes; in memory alone when left out.
        clock : Clock, optional
            The evening after the last talk when left out, so that "three days ago" means what it says.

        Raises
        ------
        NotFoundError
            No such sample.
        """
        from echovessel.samples.load import fill, sample_clock, sample_named

        talk = sample_named(name)
        config = load(Path(home).expanduser()) if home is not None else Config()
        vectors = _loaded(embedder or config.embedder)
        memory = Memory.open(
            Path(home).expanduser() / FILE if home is not None else ":memory:",
            persona=name,
            scope=Scope.user(config.user),
            embedder=vectors.identity,
            clock=clock or sample_clock(talk),
            zone=config.zone,
        )
        folder = Path(home).expanduser() if home is not None else None
        vessel = cls(memory, vectors, config, model=model, home=folder)
        fill(memory, talk)
        vessel.embed_pending()
        return vessel

    def for_user(self, user: str) -> Self:
        """The same persona, as another user talks with it."""
        return self.within(Scope.user(user))

    def for_group(self, group: str) -> Self:
        """The same persona, as a group talks with it."""
        return self.within(Scope.group(group))

    def within(self, scope: Scope) -> Self:
        """The same persona, in the scope of a user or group."""
        other = type(self).__new__(type(self))
        other.memory, other.embedder, other._common = self.memory.within(scope), self.embedder, self._common
        other.turns = Turns(other)
        return other

    @property
    def config(self) -> Config:
        """The settings, the same for every user and group."""
        return self._common.config

    @property
    def model(self) -> Metered | None:
        """Who speaks and forms memories."""
        inner = self._common.model
        return None if inner is None else Metered(inner, self.memory, self.config.spending)

    @property
    def home(self) -> Path | None:
        """The folder with its `config.toml`; None for one that lives in memory alone."""
        return self._common.home

    @property
    def crisis(self) -> CrisisHook:
        """What looks for words of crisis."""
        return self._common.crisis

    def reload(self) -> tuple[str, ...]:
        """Read `config.toml` again; every user's and group's handle follows from the next turn on.

        Returns
        -------
        Names of changed settings that need a new start.

        Raises
        ------
        ConfigError
            It can't be used; the old settings hold.
        """
        if self._common.home is None:
            return ()
        before, now = self.config, load(self._common.home)
        if now.model != before.model and not self._common.given:
            self._common.model = _configured(now)
        self._common.config = now
        # The embedder and the zone are part of the open file, the address of the open server.
        fixed = ("embedder", "persona", "user", "zone")
        late = [name for name in fixed if getattr(before, name) != getattr(now, name)]
        late += [
            f"server.{n}" for n in ("host", "port") if getattr(before.server, n) != getattr(now.server, n)
        ]
        return tuple(late)

    def turn_lock(self) -> Lock:
        """What lets one turn at a time run in this scope."""
        locks = self._common.locks.setdefault(get_running_loop(), {})
        return locks.setdefault(self.memory.context.scope.key, Lock())

    async def reply(self, text: str | Sequence[str]) -> AsyncGenerator[str, None]:
        """One turn: remember what is said, recall, speak, remember the reply. Gives the reply as it comes.

        `turns.say` tells more of it: what was recalled, the prompt, the timings.

        Raises
        ------
        ModelError
            No reply came; what was said is kept.
        InputError
            There is nothing in the text.
        """
        async with closing(self.turns.say(text)) as steps:
            async for step in steps:
                if step.kind is StepKind.PIECE:
                    yield step.text
                elif step.kind is StepKind.FAILED:
                    raise ModelError(step.text)

    def recall(
        self,
        query: str,
        *,
        weights: Weights | None = None,
        k: int = 10,
        now: datetime | None = None,
        as_of: datetime | None = None,
        include_superseded: bool = False,
        exclude: Collection[str] = (),
    ) -> Recall:
        """What would the persona remember about this? See `Memory.recall`.

        `weights` are those of the configured preset when left out.
        """
        return self.memory.recall(
            query,
            vector=self.embed_query(query),
            weights=weights or self.weights,
            k=k,
            now=now,
            as_of=as_of,
            include_superseded=include_superseded,
            exclude=exclude,
        )

    @property
    def weights(self) -> Weights:
        """Those of the configured preset."""
        return Weights.preset(self.config.preset)

    def embed_query(self, query: str) -> NDArray[np.float32] | None:
        """The vector of a question; None where it holds nothing."""
        text = str(query)[:QUERY_CHARACTERS]
        return self.embedder.embed([text], kind="query")[0] if text.strip() else None

    def wake(self) -> None:
        """Let the worker make the vectors of what was just written."""
        self._common.worker.wake()

    def remember(self, text: str, *, sender: Sender | str = Sender.USER, **fields: Any) -> Message:
        """Store what was said. It commits at once; its vector follows from the worker.

        Parameters
        ----------
        sender : Sender or str
            ``user``, ``persona``, ``other`` or ``system``.
        **fields
            Further fields of `NewMessage`.
        """
        message = self.memory.log.add(NewMessage(text, sender=cast("Sender", sender), **fields))
        self.wake()
        return message

    def add(self, node: NewNode) -> Node:
        """Store an event, thought, intention or expectation together with its vector."""
        return self.memory.nodes.add(node, vector=self.embedder.embed([node.text], kind="passage")[0])

    def embed_pending(self) -> int:
        """Make every missing vector now, instead of waiting for the worker; gives how many were made."""
        return embed_pending(self.memory.vectors, self.embedder)

    def close(self) -> None:
        """Stop the worker and close the file, for every handle that shares it."""
        self._common.worker.close()
        self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _loaded(embedder: Embedder | str) -> Embedder:
    return embedder_named(embedder) if isinstance(embedder, str) else embedder


def _configured(config: Config) -> LanguageModel | None:
    return LiteLLMModel(config.model) if config.model.configured else None
