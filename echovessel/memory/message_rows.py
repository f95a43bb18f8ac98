"""How a row of `messages` becomes a record."""

from __future__ import annotations

import json

from echovessel.clock import from_micros
from echovessel.memory.engine import Row
from echovessel.memory.records import Message, Scope, Sender

COLUMNS = ", ".join(
    f"messages.{name}"
    for name in (
        "id scope session sender sender_name text sent_at recorded_at zone channel conversation turn external_id"
        " reply_to attachments edited_at deleted_at import_id"
    ).split()
)


def message_of(row: Row) -> Message:
    """The record of a row selected by `COLUMNS`."""
    (ident, scope, session, sender, sender_name, text, sent, recorded, *rest) = row
    zone, channel, conversation, turn, external_id, reply_to, attachments, edited, deleted, import_id = rest
    return Message(
        ident,
        Scope.parse(scope),
        session,
        Sender(sender),
        sender_name,
        text,
        from_micros(sent),
        from_micros(recorded),
        zone,
        channel,
        conversation,
        turn,
        external_id,
        reply_to,
        () if attachments == "[]" else tuple(json.loads(attachments)),
        None if edited is None else from_micros(edited),
        None if deleted is None else from_micros(deleted),
        import_id,
    )
