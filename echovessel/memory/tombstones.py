"""Tombstones: keyed hashes of what was forgotten, so that a re-import does not bring it back unasked."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from echovessel.clock import to_micros
from echovessel.memory.context import Context
from echovessel.memory.records import Message

_KEY = "tombstone_key"
_SEPARATOR = "\x1f"


class Tombstones:
    """Remembers that something was forgotten, and not what.

    The hash is keyed with a random number kept in the file, so that two files' tombstones can't be compared
    and a guess can only be tested by someone who holds this one.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._key: bytes | None = None

    def any(self) -> bool:
        """Whether anything was ever forgotten; spares the hashing where nothing was."""
        return self._context.store.row("SELECT 1 FROM tombstones LIMIT 1") is not None

    def of_message(
        self,
        scope: str,
        channel: str,
        conversation: str,
        external_id: str | None,
        sender: str,
        sent_at: int,
        text: str,
    ) -> list[bytes]:
        """Digests that a message is known by: what was said, by whom and when; what its channel calls it."""
        digests = [self._digest("message", scope, sender, str(sent_at), text)]
        if external_id is not None:
            digests.append(self._digest("external", channel, conversation, external_id))
        return digests

    def of_stored(self, message: Message) -> list[bytes]:
        """The same of a stored message: first what was said, then what its channel calls it."""
        return self.of_message(
            message.scope.key,
            message.channel,
            message.conversation,
            message.external_id,
            message.sender,
            to_micros(message.sent_at),
            message.text,
        )

    def of_node(self, scope: str, kind: str, text: str) -> list[bytes]:
        """The digest that a node is known by: its scope, its kind and its text."""
        return [self._digest("node", scope, kind, text)]

    def of_id(self, ident: str) -> list[bytes]:
        """The digest that any row is known by in our own exports: its id."""
        return [self._digest("id", ident)]

    def of_alias(self, entity: str, folded: str) -> list[bytes]:
        """The digest of one name of an entity."""
        return [self._digest("alias", entity, folded)]

    def of_scope(self, scope: str) -> list[bytes]:
        """The digest of all that was shared with a user or a group."""
        return [self._digest("scope", scope)]

    def forgotten_at(self, digests: Iterable[bytes]) -> int | None:
        """When the latest of these was forgotten, in microseconds; None when none was."""
        found = (
            self._context.store.value("SELECT at FROM tombstones WHERE digest = ?", (digest,))
            for digest in digests
        )
        return max((at for at in found if at is not None), default=None)

    def hold(self, digests: Iterable[bytes]) -> bool:
        """Whether one of these was forgotten."""
        return any(
            self._context.store.row("SELECT 1 FROM tombstones WHERE digest = ?", (digest,))
            for digest in digests
        )

    def add(self, digests: Iterable[bytes]) -> None:
        """Remember that these were forgotten; inside the writer's transaction."""
        now = self._context.now()
        self._context.store.run_many(
            "INSERT INTO tombstones (digest, at) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
            ((digest, now) for digest in digests),
        )

    def lift(self, digests: Iterable[bytes]) -> None:
        """Allow these to be stored again; inside the writer's transaction."""
        self._context.store.run_many(
            "DELETE FROM tombstones WHERE digest = ?", ((digest,) for digest in digests)
        )

    def _digest(self, *parts: str) -> bytes:
        if self._key is None:
            self._key = self._stored_key()
        message = _SEPARATOR.join((self._context.persona, *parts)).encode()
        return hashlib.blake2b(message, key=self._key, digest_size=16).digest()

    def _stored_key(self) -> bytes:
        store = self._context.store
        with store.write():
            store.run(
                "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                (_KEY, secrets.token_hex(32)),
            )
            return bytes.fromhex(store.value("SELECT value FROM meta WHERE key = ?", (_KEY,)))
