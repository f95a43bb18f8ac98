"""Tokens: only digests are kept, each speaks for one user, and they go with the user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echovessel.errors import InputError, NotFoundError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope
from echovessel.memory.targets import Target


def test_a_token_tells_its_user_and_is_kept_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with Memory.open(file, persona="lin") as memory:
        token, secret = memory.tokens.create("mei")
        other, second = memory.tokens.create("mei")

        assert memory.tokens.user_of(secret) == memory.tokens.user_of(second) == "mei"
        assert memory.tokens.list() == [token, other]
        assert secret != second
        assert secret.startswith("ev-")

    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", persona="lin") as one:
        yield one


@pytest.mark.parametrize("secret", ["", "ev-", "ev-wrong", "x" * 10_000, "ev-\ud800"])
def test_anything_else_is_nobodys(memory: Memory, secret: str) -> None:
    memory.tokens.create("mei")

    assert memory.tokens.user_of(secret) is None


def test_a_revoked_token_is_nobodys(memory: Memory) -> None:
    token, secret = memory.tokens.create("mei")
    _, kept = memory.tokens.create("tom")

    memory.tokens.revoke(token.id)

    assert memory.tokens.user_of(secret) is None
    assert memory.tokens.user_of(kept) == "tom"
    with pytest.raises(NotFoundError, match="token list"):
        memory.tokens.revoke(token.id)


def test_tokens_go_with_their_user(memory: Memory) -> None:
    memory.within(Scope.user("mei")).add_event("Mei sings.")
    _, secret = memory.tokens.create("mei")
    _, kept = memory.tokens.create("tom")

    memory.forget(Target.user("mei"))

    assert memory.tokens.user_of(secret) is None
    assert memory.tokens.user_of(kept) == "tom"


def test_an_odd_user_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="user"):
        memory.tokens.create('{"$ne": ""}')
