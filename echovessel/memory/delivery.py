"""How a batch of messages is stored: the known stays, the forgotten stays away, the rest commits at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from echovessel.clock import from_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.drafts import Draft, draft
from echovessel.memory.entities import Entities
from echovessel.memory.message_rows import COLUMNS, message_of
from echovessel.memory.personas import Personas
from echovessel.memory.placing import Placing
from echovessel.memory.records import Delivery, Message, NewMessage, Outcome
from echovessel.memory.search import Search
from echovessel.memory.tombstones import Tombstones
from echovessel.memory.vectors import Vectors
from echovessel.text import count_tokens

_INSERT = (
    "INSERT INTO messages (seq, id, persona, scope, session, turn, channel, conversation, sender,"
    " sender_name, text, sent_at, zone, recorded_at, reply_to, attachments, external_id, import_id)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

Vector = NDArray[np.floating]
Key = tuple[str, str, str]
New = tuple[Draft, Vector | None]


class Deliveries:
    """Stores batches of messages, each in one transaction."""

    def __init__(self, context: Context, directory: Entities) -> None:
        self._context = context
        self._directory = directory
        self._search = Search(context)
        self._vectors = Vectors(context)
        self._tombstones = Tombstones(context)

    def store(self, batch: Sequence[tuple[NewMessage, Vector | None]], *, revive: bool) -> list[Delivery]:
        """Store a batch; all of it is kept, or nothing."""
        now = self._context.now()
        home = Personas(self._context).zone_of(self._context.scope)
        drafts = [(draft(new, now=now, home=home), vector) for new, vector in batch]
        with self._context.store.write():
            known = self._known(made for made, _ in drafts)
            graves = self._tombstones.any()
            outcomes: list[Outcome | None] = []
            fresh: dict[int, New] = {}
            first: dict[Key, int] = {}
            revived: dict[Key, Message] = {}
            for place, (made, vector) in enumerate(drafts):
                key = _key(made)
                stored = known.get(key) if key else None
                if (
                    stored is not None
                    and stored.deleted_at is not None
                    and revive
                    and key
                    and key not in revived
                ):
                    revived[key] = self._revived(stored, made, vector)
                    known[key] = revived[key]
                    outcomes.append(Outcome.REVIVED)
                elif stored is not None or (key and key in first):
                    outcomes.append(Outcome.KNOWN)
                elif graves and self._stays_away(made, revive=revive):
                    outcomes.append(Outcome.FORGOTTEN)
                else:
                    outcomes.append(Outcome.STORED)
                    fresh[place] = (made, vector)
                    if key:
                        first[key] = place
            written = dict(zip(fresh, self._insert(list(fresh.values()), now), strict=True))
        deliveries = []
        for place, ((made, _), outcome) in enumerate(zip(drafts, outcomes, strict=True)):
            key = _key(made)
            message = written.get(place)
            if message is None and key and outcome is not Outcome.FORGOTTEN:
                message = known.get(key) or written[first[key]]
            deliveries.append(Delivery(outcome or Outcome.STORED, message))
        return deliveries

    def link(self, message: str, text: str) -> None:
        """Link a message to the entities it names, and to no others; inside the writer's transaction."""
        self._context.store.run("DELETE FROM message_entities WHERE message = ?", (message,))
        self._link([(message, text)])

    def _known(self, drafts: Iterable[Draft]) -> dict[Key, Message]:
        """Rows already stored under the external ids of a batch."""
        talks: dict[tuple[str, str], list[str]] = {}
        for made in drafts:
            if made.external_id is not None:
                talks.setdefault((made.channel, made.conversation), []).append(made.external_id)
        found: dict[Key, Message] = {}
        for talk, names in talks.items():
            rows = self._context.store.rows(
                f"SELECT {COLUMNS} FROM messages WHERE persona = ? AND channel = ? AND conversation = ?"
                " AND external_id IN (SELECT value FROM json_each(?))",
                (self._context.persona, *talk, json.dumps(names)),
            )
            for message in map(message_of, rows):
                if message.scope.key not in self._context.readable:
                    raise InputError(
                        f"{talk[0]}/{talk[1]} {message.external_id!r} belongs to another user or group."
                        " Give this conversation a name of its own."
                    )
                found[*talk, message.external_id or ""] = message
        return found

    def _stays_away(self, made: Draft, *, revive: bool) -> bool:
        digests = self._tombstones.of_message(
            self._context.scope.key,
            made.channel,
            made.conversation,
            made.external_id,
            made.sender,
            made.sent_at,
            made.text,
        )
        if revive:
            self._tombstones.lift(digests)
            return False
        return self._tombstones.hold(digests)

    def _revived(self, stored: Message, made: Draft, vector: Vector | None) -> Message:
        """Give a deleted message its text back, in its old place."""
        self._stays_away(made, revive=True)
        store = self._context.store
        store.run(
            "UPDATE messages SET text = ?, attachments = ?, deleted_at = NULL, edited_at = NULL WHERE id = ?",
            (made.text, made.attachments, stored.id),
        )
        row = store.row(f"SELECT seq, {COLUMNS} FROM messages WHERE id = ?", (stored.id,))
        assert row is not None
        self._search.index_message(row[0], made.text)
        self.link(stored.id, made.text)
        if vector is not None:
            self._vectors.put_message(row[0], vector)
        return message_of(row[1:])

    def _insert(self, fresh: list[New], now: int) -> list[Message]:
        if not fresh:
            return []
        context, store = self._context, self._context.store
        persona, scope, import_id = context.persona, context.scope, context.import_id
        placing = Placing(context)
        recorded = from_micros(now)
        last: int = store.value("SELECT coalesce(max(seq), 0) FROM messages")
        rows, messages, texts, vectors = [], [], [], []
        for seq, (made, vector) in enumerate(fresh, start=last + 1):
            ident = context.new_id()
            session, turn = placing.put(
                made.channel, made.conversation, made.sent_at, count_tokens(made.text), made.session
            )
            rows.append(
                (seq, ident, persona, scope.key, session, turn, made.channel, made.conversation,
                str(made.sender),
                 made.sender_name, made.text, made.sent_at, made.zone, now, made.reply_to, made.attachments,
                 made.external_id, import_id)
            )  # fmt: skip
            messages.append(
                Message(
                    ident, scope, session, made.sender, made.sender_name, made.text,
                    from_micros(made.sent_at), recorded, made.zone, made.channel, made.conversation, turn,
                    made.external_id, made.reply_to, () if made.attachments == "[]" else
                    tuple(json.loads(made.attachments)), import_id=import_id,
                )
            )  # fmt: skip
            texts.append((seq, made.text))
            if vector is not None:
                vectors.append((seq, vector))
        store.run_many(_INSERT, rows)
        placing.flush()
        self._search.index_messages(texts)
        self._link((message.id, message.text) for message in messages)
        if vectors:
            self._vectors.put_messages(vectors)
        return messages

    def _link(self, texts: Iterable[tuple[str, str]]) -> None:
        self._context.store.run_many(
            "INSERT INTO message_entities (message, entity) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [
                (message, entity)
                for message, text in texts
                for entity in sorted(self._directory.mentioned(text))
            ],
        )


def _key(made: Draft) -> Key | None:
    return None if made.external_id is None else (made.channel, made.conversation, made.external_id)
