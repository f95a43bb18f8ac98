"""Tokens: who may ask from another machine, and as whom. Only digests are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime

from echovessel.clock import from_micros
from echovessel.errors import NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.ids import checked_name
from echovessel.memory.rows import insert

PREFIX = "ev-"
_BYTES = 32  # of randomness: a plain hash of it can't be searched


@dataclass(frozen=True, slots=True)
class Token:
    """One token as it is kept: not the secret itself."""

    id: str
    user: str
    created_at: datetime


class Tokens:
    """The tokens of a memory file, for all its personas."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, user: str) -> tuple[Token, str]:
        """A new token for a user.

        Returns
        -------
        token, secret : Token, str
            The secret begins with ``ev-`` and can't be had again.

        Raises
        ------
        InputError
            No name of a user.
        """
        user = checked_name(user, "user")
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        now = self._context.now()
        token = Token(self._context.new_id(), user, from_micros(now))
        with self._context.store.write():
            insert(
                self._context.store,
                "api_tokens",
                id=token.id,
                digest=_digest(secret),
                user=user,
                created_at=now,
            )
        return token, secret

    def list(self) -> list[Token]:
        """All tokens, the oldest first."""
        rows = self._context.store.rows("SELECT id, user, created_at FROM api_tokens ORDER BY created_at, id")
        return [Token(ident, user, from_micros(at)) for ident, user, at in rows]

    def revoke(self, token: str) -> None:
        """Let a token open nothing any more.

        Raises
        ------
        NotFoundError
            No token has this id.
        """
        with self._context.store.write():
            if self._context.store.value("SELECT 1 FROM api_tokens WHERE id = ?", (token,)) is None:
                raise NotFoundError(f"There is no token {token!r}. See: echovessel token list")
            self._context.store.run("DELETE FROM api_tokens WHERE id = ?", (token,))

    def user_of(self, secret: str) -> str | None:
        """Whose token this is; None where it is nobody's. How long that takes tells nothing of the secrets kept."""
        given = _digest(secret)
        found = None
        for digest, user in self._context.store.rows("SELECT digest, user FROM api_tokens"):
            if hmac.compare_digest(digest, given):
                found = user
        return found


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()
