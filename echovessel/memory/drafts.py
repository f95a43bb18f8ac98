"""A message checked and made ready, before anything is written."""

from __future__ import annotations

import json
from dataclasses import dataclass

from echovessel.clock import to_micros, zone
from echovessel.errors import InputError
from echovessel.memory.ids import checked_name
from echovessel.memory.records import NewMessage, Sender
from echovessel.text import clean

MAX_LINE = 200


@dataclass(frozen=True, slots=True)
class Draft:
    """What will stand in the row."""

    text: str
    sender: Sender
    sender_name: str
    sent_at: int
    zone: str
    channel: str
    conversation: str
    external_id: str | None
    reply_to: str | None
    attachments: str
    session: str | None


def draft(new: NewMessage, *, now: int, home: str) -> Draft:
    """Check a message.

    Parameters
    ----------
    new : NewMessage
        As it was handed in.
    now : int
        When it was sent, if it doesn't say; microseconds.
    home : str
        The zone it was sent from, if it doesn't say.

    Raises
    ------
    InputError
        A field is of another type, a time has no zone, a zone doesn't exist, or an id can't be used.
    """
    if not isinstance(new.text, str):
        raise InputError(f"a message's text must be a string, found {type(new.text).__name__}.")
    try:
        sender = Sender(new.sender)
        attachments = (
            clean(json.dumps(list(new.attachments), ensure_ascii=False)) if new.attachments else "[]"
        )
    except ValueError as error:
        raise InputError(f"{new.sender!r} is no sender. Use one of: {', '.join(Sender)}.") from error
    except TypeError as error:
        raise InputError(
            f"an attachment can't be stored: {error}. Use dicts of strings, numbers and lists."
        ) from error
    return Draft(
        clean(new.text),
        sender,
        _line(new.sender_name, "sender_name") if new.sender_name else "",
        now if new.sent_at is None else to_micros(new.sent_at),
        home if new.zone is None else zone(new.zone).key,
        checked_name(new.channel, "channel"),
        _line(new.conversation, "conversation"),
        None if new.external_id is None else _line(new.external_id, "external_id"),
        None if new.reply_to is None else _line(new.reply_to, "reply_to"),
        attachments,
        None if new.session is None else _line(new.session, "session"),
    )


def _line(value: object, what: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_LINE:
        raise InputError(f"{what} must be a string of 1 to {MAX_LINE} characters, found {value!r:.80}.")
    return clean(value)
