"""How a row of `messages` becomes a record."""

from __future__ import annotations

import json

from echovessel.clock import from_micros
from echovessel.memory.engine import Row
from echovessel.memory.records import Message, Scope, Sender

COLUMNS = (
    "messages.id, messages.scope, messages.session, messages.sender, messages.sender_name, messages.text,"
    " messages.sent_at, messages.recorded_at, messages.zone, messages.channel, messages.conversation,"
    " messages.turn, messages.external_id, messages.reply_to, messages.attachments, messages.edited_at,"
    " messages.deleted_at, messages.import_id"
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
