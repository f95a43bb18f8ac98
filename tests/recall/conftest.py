"""A memory whose cosines are chosen by the test: vectors of two dimensions and round constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from echovessel.clock import FixedClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit, Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope

# sigmoid(-2 + 4 cos + 4 lex): a cosine of 0.5 alone gives 0.5, one of 0 alone 0.119.
TOY = EmbedderIdentity("toy", "1", 2, "0" * 64, Calibration(Logit(-2.0, 4.0, 4.0), unrelated=0.0))

Open = Callable[..., Memory]
Cosine = Callable[[float], Vectors]


@pytest.fixture
def clock() -> FixedClock:
    """Noon of 1 June 2026, UTC."""
    return FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def open_memory(tmp_path: Path, clock: FixedClock) -> Iterator[Open]:
    """Opens a handle of its own on the test's one file; persona `lin`, user `mei`, zone UTC."""
    opened: list[Memory] = []

    def open_memory(*, persona: str = "lin", user: str = "mei", file: str = "memory.db") -> Memory:
        memory = Memory.open(
            tmp_path / file, persona=persona, scope=Scope.user(user), embedder=TOY, clock=clock, zone="UTC"
        )
        opened.append(memory)
        return memory

    yield open_memory
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """The memory of `lin` as the talk with `mei` reads it."""
    return open_memory()


@pytest.fixture
def ask() -> Vectors:
    """The vector of every question: the first axis."""
    return np.array([1.0, 0.0], np.float32)


@pytest.fixture
def cosine() -> Cosine:
    """A unit vector of this cosine to the question's."""
    return lambda value: np.array([value, math.sqrt(1.0 - value * value)], np.float32)
