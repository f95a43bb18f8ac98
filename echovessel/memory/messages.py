"""L2: what exactly was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice, repeat

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import from_micros, to_micros
from echovessel.errors import InputError, NotFoundError, WasForgotten
from echovessel.memory.context import Context
from echovessel.memory.delivery import Deliveries
from echovessel.memory.entities import Entities
from echovessel.memory.message_rows import COLUMNS, message_of
from echovessel.memory.records import Delivery, Message, NewMessage
from echovessel.memory.search import Search
from echovessel.memory.sessions import Sessions
from echovessel.memory.tombstones import Tombstones
from echovessel.text import clean, fold

BATCH = 1_000

Vector = NDArray[np.floating]


class Messages:
    """The verbatim archive of one persona and scope.

    Each message commits with its search rows and its links to the entities it names. Messages are ordered by
    when they were sent, and those of one moment by when they arrived.
    """

    def __init__(self, context: Context, sessions: Sessions, directory: Entities) -> None:
        self._context = context
        self._sessions = sessions
        self._directory = directory
        self._search = Search(context)
        self._tombstones = Tombstones(context)
        self._deliveries = Deliveries(context, directory)

    def add(self, message: NewMessage, *, vector: Vector | None = None, revive: bool = False) -> Message:
        """Store one message, in one transaction.

        Parameters
        ----------
        message : NewMessage
            A message with the same channel, conversation and external id as a stored one is a redelivery: the
            stored one is given back unchanged.
        vector : array of shape (dim,), optional
            Its unit vector; the queue makes it later when left out.
        revive : bool
            Store it even if it was deleted or forgotten before.

        Raises
        ------
        WasForgotten
            It was forgotten before, and `revive` is false.
        InputError
            A field can't be used, or another user or group holds a message with this external id.
        """
        (delivery,) = self._deliveries.store([(message, vector)], revive=revive)
        if delivery.message is None:
            raise WasForgotten(
                "This message was forgotten on purpose. To store it again, add it with revive=True."
            )
        return delivery.message

    def add_many(
        self, messages: Iterable[NewMessage], *, vectors: Iterable[Vector] | None = None
    ) -> list[Message]:
        """Store many, 1,000 to a transaction; gives them in order, without those that were forgotten before.

        `deliver` tells the new from the known, and holds one batch in memory at a time.
        """
        return [
            delivery.message
            for delivery in self.deliver(messages, vectors=vectors)
            if delivery.message is not None
        ]

    def deliver(
        self, messages: Iterable[NewMessage], *, vectors: Iterable[Vector] | None = None, revive: bool = False
    ) -> Iterator[Delivery]:
        """Store a stream of messages, and tell of each what became of it.

        Lazy: nothing is read or stored before the results are. A batch of 1,000 is one transaction, and its
        results come once it is kept. After an error the batches before it stay, and running the same stream
        again stores only what is missing, if its messages have external ids.

        Parameters
        ----------
        messages : iterable of NewMessage
            In any order of time.
        vectors : iterable of arrays of shape (dim,), optional
            One per message.
        revive : bool
            Store also what was deleted or forgotten before.

        Yields
        ------
        Delivery
            One per message, in order.

        Raises
        ------
        InputError
            As for `add`; or `vectors` has another length than `messages`.
        """
        pairs = zip(messages, repeat(None)) if vectors is None else zip(messages, vectors, strict=True)
        while batch := _taken(pairs):
            yield from self._deliveries.store(batch, revive=revive)

    def edit(self, message: str, text: str) -> Message:
        """Replace what a message says.

        The old text leaves the search, its vector goes (the queue makes a new one), the entities it names are
        linked anew, and quotes that no longer stand in it are blanked. Bytes of the old text may stay in the
        file's log until it is cut; `forget` is the way to make sure.

        Raises
        ------
        NotFoundError
            No such message, or it was deleted.
        """
        if not isinstance(text, str):
            raise InputError(f"a message's text must be a string, found {type(text).__name__}.")
        store = self._context.store
        with store.write():
            seq, found = self._live(message)
            text = clean(text)
            edited = self._context.now()
            store.run("UPDATE messages SET text = ?, edited_at = ? WHERE seq = ?", (text, edited, seq))
            self._search.index_message(seq, text)
            store.run("DELETE FROM message_vectors WHERE message = ?", (seq,))
            self._deliveries.link(message, text)
            quotes = store.rows(
                "SELECT DISTINCT quote FROM node_sources WHERE message = ? AND quote <> ''", (message,)
            )
            for (quote,) in quotes:
                if fold(quote) not in fold(text):
                    store.run(
                        "UPDATE node_sources SET quote = '' WHERE message = ? AND quote = ?", (message, quote)
                    )
        return replace(found, text=text, edited_at=from_micros(edited))

    def delete(self, message: str) -> Message:
        """Take a message back: its place in the talk stays, its text is gone from search, recall and quotes.

        Deleting it twice changes nothing. A redelivery does not bring it back. Bytes of the text may stay in
        the file's log until it is cut; `forget` takes the place as well, and makes sure.

        Raises
        ------
        NotFoundError
            No such message.
        """
        store = self._context.store
        with store.write():
            seq, found = self._found(message)
            if found.deleted_at is not None:
                return found
            deleted = self._context.now()
            self._tombstones.add(self._tombstones.of_stored(found)[:1])
            store.run(
                "UPDATE messages SET text = '', attachments = '[]', deleted_at = ? WHERE seq = ?",
                (deleted, seq),
            )
            self._search.drop_message(seq)
            store.run("DELETE FROM message_vectors WHERE message = ?", (seq,))
            store.run("DELETE FROM message_entities WHERE message = ?", (message,))
            store.run("UPDATE node_sources SET quote = '' WHERE message = ?", (message,))
        return replace(found, text="", attachments=(), deleted_at=from_micros(deleted))

    def get(self, message: str) -> Message:
        """The message of that id; a deleted one has `deleted_at` and no text.

        Raises
        ------
        NotFoundError
            No such message among those that may be read from here.
        """
        return self._found(message)[1]

    def by_session(self, session: str) -> list[Message]:
        """What was said in a session, in order, without what was deleted.

        Raises
        ------
        NotFoundError
            No such session.
        """
        self._sessions.get(session)
        return self._select("session = ? AND deleted_at IS NULL ORDER BY sent_at, seq", (session,))

    def around(self, message: str, *, before: int = 2, after: int = 2) -> list[Message]:
        """A message between its neighbours of the same session, in order; deleted ones are left out.

        Raises
        ------
        NotFoundError
            No such message.
        InputError
            `before` or `after` is negative.
        """
        if before < 0 or after < 0:
            raise InputError(f"before and after must be 0 or more, found {before} and {after}.")
        with self._context.store.read():
            seq, centre = self._found(message)
            talk = (centre.session, centre.scope.key)
            place = (to_micros(centre.sent_at), seq)
            near = "session = ? AND messages.scope = ? AND deleted_at IS NULL AND (sent_at, seq)"
            earlier = self._select(
                f"{near} < (?, ?) ORDER BY sent_at DESC, seq DESC LIMIT ?", (*talk, *place, before)
            )
            later = self._select(f"{near} > (?, ?) ORDER BY sent_at, seq LIMIT ?", (*talk, *place, after))
        return [*reversed(earlier), *([centre] if centre.deleted_at is None else []), *later]

    def between(
        self, since: datetime | None = None, until: datetime | None = None, *, limit: int | None = None
    ) -> list[Message]:
        """What was sent at `since` or later and before `until`, in order, without what was deleted."""
        where = "deleted_at IS NULL"
        values: list[int] = []
        if since is not None:
            where, values = f"{where} AND sent_at >= ?", [*values, to_micros(since)]
        if until is not None:
            where, values = f"{where} AND sent_at < ?", [*values, to_micros(until)]
        return self._select(f"{where} ORDER BY sent_at, seq LIMIT ?", (*values, _limit(limit)))

    def last(self, n: int) -> list[Message]:
        """The latest `n`, in order, without what was deleted."""
        newest = self._select("deleted_at IS NULL ORDER BY sent_at DESC, seq DESC LIMIT ?", (_limit(n),))
        return newest[::-1]

    def count(self) -> int:
        """How many messages can be read from here, without those deleted."""
        where, values = self._mine()
        total: int = self._context.store.value(
            f"SELECT count(*) FROM messages WHERE {where} AND deleted_at IS NULL", values
        )
        return total

    def _mine(self) -> tuple[str, tuple[str, ...]]:
        scopes = self._context.readable
        marks = ", ".join("?" * len(scopes))
        return f"messages.persona = ? AND messages.scope IN ({marks})", (self._context.persona, *scopes)

    def _select(self, where: str, values: tuple[str | int, ...]) -> list[Message]:
        mine, bound = self._mine()
        rows = self._context.store.rows(
            f"SELECT {COLUMNS} FROM messages WHERE {mine} AND {where}", (*bound, *values)
        )
        return [message_of(row) for row in rows]

    def _found(self, message: object) -> tuple[int, Message]:
        mine, bound = self._mine()
        row = None
        if isinstance(message, str):
            row = self._context.store.row(
                f"SELECT seq, {COLUMNS} FROM messages WHERE {mine} AND id = ?", (*bound, message)
            )
        if row is None:
            raise NotFoundError(
                f"No message {message!r} here. Find its id with search.messages() or log.last()."
            )
        return row[0], message_of(row[1:])

    def _live(self, message: str) -> tuple[int, Message]:
        seq, found = self._found(message)
        if found.deleted_at is not None:
            raise NotFoundError(f"Message {message} was deleted, so it can't be edited.")
        return seq, found


def _limit(limit: int | None) -> int:
    if limit is not None and limit < 0:
        raise InputError(f"the number of messages must be 0 or more, found {limit}.")
    return -1 if limit is None else limit


def _taken(pairs: Iterator[tuple[NewMessage, Vector | None]]) -> list[tuple[NewMessage, Vector | None]]:
    return list(islice(pairs, BATCH))
