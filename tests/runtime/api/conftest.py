"""A daemon's API on a small memory, asked from this machine."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from echovessel.clock import FixedClock
from echovessel.models.language import Request, ScriptedModel
from echovessel.runtime.api import build_api
from echovessel.runtime.daemon import Health
from echovessel.runtime.vessel import Vessel

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HERE = ("127.0.0.1", 50000)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def asked() -> list[Request]:
    """What the model was asked."""
    return []


@pytest.fixture
def vessel(tmp_path: Path, clock: FixedClock, asked: list[Request]) -> Iterator[Vessel]:
    def answer(request: Request) -> str:
        asked.append(request)
        return f"Answer {len(asked)}."

    (tmp_path / "config.toml").write_text("[server]\ntraces = true\n")
    with Vessel.open(
        tmp_path, persona="lin", embedder="hash", model=ScriptedModel(answer), clock=clock
    ) as one:
        yield one


@pytest.fixture
def door(vessel: Vessel) -> object:
    def health() -> Health:
        return Health(1, NOW, ("lin",), True, 0, 0, {})

    return build_api({"lin": vessel}, health=health)


@pytest.fixture
def client(door: object) -> Iterator[TestClient]:
    """A program of this machine."""
    with TestClient(door, base_url="http://127.0.0.1:7862", client=HERE) as one:  # type: ignore[arg-type]
        yield one


@pytest.fixture
def outside(door: object) -> Iterator[TestClient]:
    """A program of another machine."""
    with TestClient(door, base_url="http://vessel.lan:7862", client=("192.168.1.9", 50000)) as one:  # type: ignore[arg-type]
        yield one
