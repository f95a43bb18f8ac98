"""A made-up memory of any size for `evals.speed`: words by Zipf's law in both languages, random unit vectors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import FixedClock
from echovessel.embedding import EmbedderIdentity
from echovessel.memory.memory import Memory
from echovessel.memory.recall.analyser import FUNCTION_HAN, STOP_WORDS
from echovessel.memory.records import (
    Message,
    NewMessage,
    NewNode,
    NodeKind,
    RelationalTag,
    Scope,
    Sender,
    Source,
    Subject,
)
from echovessel.models.calibration import calibration

DIM = 512
ALIASES = 10_000
TALK = 20  # messages of a session
NODE_SHARE = 0.1
SHARED_SHARE = 0.1  # of the nodes: the persona's own life
REPLACED_SHARE = 0.05  # of the nodes
NAMED_SHARE = 0.15  # of the messages and nodes
CONTENT_WORDS = 30_000
# As in spoken language: near half of all words are function words.
FUNCTION_SHARE = 0.45
_ZIPF_SHIFT = 2.7  # Mandelbrot's correction: the first words are less frequent than 1/rank says
START = datetime(2024, 1, 1, 8, tzinfo=UTC)
OWNER = Scope.user("owner")
IDENTITY = EmbedderIdentity("usem3", "random", DIM, "random unit vectors", calibration("usem3"))


class Words:
    """Draws made-up words of one language: function words, and content words by Zipf's law."""

    def __init__(self, function: Sequence[str], content: Sequence[str], rng: np.random.Generator) -> None:
        self._function, self._content, self._rng = function, content, rng
        share = 1.0 / (np.arange(1, len(content) + 1) + _ZIPF_SHIFT)
        self._upto = np.cumsum(share / share.sum())

    def draw(self, count: int) -> list[str]:
        """So many words, one after another."""
        which = np.searchsorted(self._upto, self._rng.random(count)).clip(max=len(self._content) - 1)
        empty = self._rng.random(count) < FUNCTION_SHARE
        filler = self._rng.integers(len(self._function), size=count)
        return [
            self._function[f] if is_empty else self._content[w]
            for w, is_empty, f in zip(which.tolist(), empty.tolist(), filler.tolist(), strict=True)
        ]


def _made(parts: Sequence[str], least: int, most: int, count: int, rng: np.random.Generator) -> list[str]:
    """So many different words, each of some parts."""
    found: dict[str, None] = {}
    while len(found) < count:
        chosen = rng.integers(len(parts), size=rng.integers(least, most + 1)).tolist()
        found.setdefault("".join(parts[at] for at in chosen))
    return list(found)


def _latin(count: int, rng: np.random.Generator) -> list[str]:
    syllables = [a + b + c for a in "bdfgklmnprstvw" for b in "aeiou" for c in ("", "n", "r", "l", "s")]
    return _made(syllables, 2, 3, count, rng)


def _han(count: int, rng: np.random.Generator) -> list[str]:
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 2_500) if chr(code) not in FUNCTION_HAN]
    return _made(characters, 2, 2, count, rng)


class World:
    """Texts, names and vectors, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self._en = Words(sorted(STOP_WORDS), _latin(CONTENT_WORDS, self.rng), self.rng)
        self._zh = Words(sorted(FUNCTION_HAN), _han(CONTENT_WORDS, self.rng), self.rng)
        # Every entity has a name in both scripts; the first entities are named most often.
        latin = [name.capitalize() + "o" for name in _latin(ALIASES // 2, self.rng)]
        han = ["\u9f98" + name for name in _han(ALIASES // 2, self.rng)]
        self.entities = list(zip(latin, han, strict=True))
        share = 1.0 / (np.arange(1, len(self.entities) + 1) + 10.0)
        self._named = np.cumsum(share / share.sum())

    def name(self) -> str:
        """One of the names of an entity."""
        entity = min(int(np.searchsorted(self._named, self.rng.random())), len(self.entities) - 1)
        return self.entities[entity][int(self.rng.integers(2))]

    def text(self, words: int) -> str:
        """A text in either language, about so many words long, naming somebody now and then."""
        chinese = self.rng.random() < 0.5
        drawn = (self._zh if chinese else self._en).draw(words)
        if self.rng.random() < NAMED_SHARE:
            drawn[int(self.rng.integers(len(drawn)))] = self.name()
        question = self.rng.random() < 0.2
        return ("" if chinese else " ").join(drawn) + (("\uff1f" if chinese else "?") if question else "")

    def length(self) -> int:
        """Words of a message: most are short, a few are long."""
        return int(np.clip(self.rng.lognormal(2.3, 0.6), 1, 120))

    def query(self) -> str:
        """A question of 5 to 30 characters in either language; each third one names somebody."""
        wanted = int(self.rng.integers(5, 31))
        chinese = self.rng.random() < 0.5
        words = (self._zh if chinese else self._en).draw(wanted)
        if self.rng.random() < 1 / 3:
            words.insert(0, self.name())
        found = ""
        for word in words:
            longer = found + ("" if chinese or not found else " ") + word
            if len(longer) > wanted and len(found) >= 5:
                break
            found = longer[:30]
        return found

    def vectors(self, count: int) -> NDArray[np.float32]:
        """Random unit vectors, shape (count, 512)."""
        drawn = self.rng.standard_normal((count, DIM), np.float32)
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return drawn


def opened(path: Path, now: datetime) -> Memory:
    """The file, seen by its owner, with the clock standing still."""
    return Memory.open(path, persona="lin", scope=OWNER, embedder=IDENTITY, clock=FixedClock(now))


def messages(world: World, count: int, start: datetime = START) -> list[NewMessage]:
    """Talks of 20 turns a minute apart, one talk every three hours."""
    found = []
    for at in range(count):
        talk, turn = divmod(at, TALK)
        moment = start + timedelta(hours=3 * talk, minutes=turn)
        sender = Sender.PERSONA if turn % 2 else Sender.USER
        found.append(NewMessage(world.text(world.length()), sender, sent_at=moment, zone="Asia/Shanghai"))
    return found


def add_entities(memory: Memory, world: World) -> None:
    """Everybody there is, with their aliases."""
    with memory.directory.batch():
        for name, alias in world.entities:
            memory.directory.add(name, aliases=[alias])


def add_nodes(memory: Memory, world: World, said: Sequence[Message], vectors: NDArray[np.float32]) -> None:
    """Memories of all kinds, each resting on one to three messages; some replace an earlier one."""
    shared, kinds, before = memory.within(Scope.shared()), list(NodeKind), ""
    with memory.context.store.write():
        for vector in vectors:
            text, impact = world.text(max(4, world.length())), float(world.rng.integers(-10, 11))
            tags = (RelationalTag.UNRESOLVED,) if world.rng.random() < 0.1 else ()
            if world.rng.random() < SHARED_SHARE:
                shared.nodes.add(NewNode(text, impact=impact, tags=tags), vector=vector)
                continue
            first = int(world.rng.integers(len(said)))
            rests = said[first : first + int(world.rng.integers(1, 4))]
            replaces = (before,) if before and world.rng.random() < REPLACED_SHARE * len(kinds) else ()
            kind = NodeKind.EVENT if replaces else kinds[int(world.rng.integers(len(kinds)))]
            node = NewNode(
                text,
                kind=kind,
                subject=Subject.PERSONA if kind is NodeKind.INTENTION else Subject.USER,
                attribute="home" if kind is NodeKind.EVENT else "",
                impact=impact,
                tags=tags,
                known_at=memory.context.clock.now() if replaces else None,
                sources=tuple(Source(message=message.id) for message in rests),
                supersedes=replaces,
            )
            stored = memory.nodes.add(node, vector=vector)
            before = stored.id if kind is NodeKind.EVENT and not replaces else ""
