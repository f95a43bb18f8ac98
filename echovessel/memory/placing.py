"""Which session a message falls into: the rules by which sessions are continued, filled and opened."""

from __future__ import annotations

from dataclasses import dataclass

from echovessel.memory.context import Context
from echovessel.memory.rows import insert

IDLE_MINUTES = 30
MAX_MESSAGES = 200
MAX_TOKENS = 20_000

IDLE = IDLE_MINUTES * 60 * 1_000_000  # in microseconds, as times are stored


@dataclass(slots=True)
class Slot:
    """A session while messages are being put into it; what changed is written by `Placing.flush`."""

    id: str
    opened_at: int
    last_at: int
    messages: int
    tokens: int
    state: str
    name: str | None
    dirty: bool = False

    def takes(self, at: int) -> bool:
        """Whether a message sent then may follow without looking further."""
        if self.name is not None:
            return True
        return self.state == "open" and not self.full and self.opened_at <= at <= self.last_at + IDLE

    @property
    def full(self) -> bool:
        """Whether the session has reached a limit."""
        return self.name is None and (self.messages >= MAX_MESSAGES or self.tokens >= MAX_TOKENS)


_SLOT = "id, opened_at, last_at, messages, tokens, state, name"
_TALK = "persona = ? AND scope = ? AND channel = ? AND conversation = ?"
_SPANS = "opened_at <= ? AND last_at >= ? ORDER BY opened_at DESC LIMIT 1"


class Placing:
    """Puts a batch of messages into sessions, inside one transaction: few look-ups, one update each."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._latest: dict[tuple[str, str, str | None], Slot] = {}

    def put(self, channel: str, conversation: str, at: int, tokens: int, name: str | None) -> tuple[str, int]:
        """Count a message in; gives its session and its number there, from 1."""
        slot = self.find(channel, conversation, at, name)
        slot.opened_at, slot.last_at = min(slot.opened_at, at), max(slot.last_at, at)
        slot.messages += 1
        slot.tokens += tokens
        slot.state = "pending" if slot.state == "settled" else slot.state
        slot.dirty = True
        return slot.id, slot.messages

    def find(self, channel: str, conversation: str, at: int, name: str | None = None) -> Slot:
        """The session a message falls into, opened when there is none."""
        key = (channel, conversation, name)
        slot = self._latest.get(key)
        if slot is None or not slot.takes(at):
            self.flush()
            slot = self._stored(key, at) or self._opened(key, at)
            self._latest[key] = slot
        return slot

    def flush(self) -> None:
        """Write the counts, and close what has become full."""
        for slot in self._latest.values():
            if slot.dirty:
                closed = slot.full and slot.state == "open"
                slot.state = "pending" if closed else slot.state
                self._context.store.run(
                    "UPDATE sessions SET opened_at = ?, last_at = ?, messages = ?, tokens = ?, state = ?"
                    " WHERE id = ?",
                    (slot.opened_at, slot.last_at, slot.messages, slot.tokens, slot.state, slot.id),
                )
                if closed:
                    self._context.store.run(
                        "UPDATE sessions SET closed_at = ?, close_reason = 'full' WHERE id = ?",
                        (self._context.now(), slot.id),
                    )
                slot.dirty = False

    def _stored(self, key: tuple[str, str, str | None], at: int) -> Slot | None:
        channel, conversation, name = key
        talk = (self._context.persona, self._context.scope.key, channel, conversation)
        select = f"SELECT {_SLOT} FROM sessions WHERE {_TALK}"
        row = self._context.store.row
        if name is not None:
            found = row(f"{select} AND name = ?", (*talk, name))
            return None if found is None else Slot(*found)
        select += f" AND name IS NULL AND messages < {MAX_MESSAGES} AND tokens < {MAX_TOKENS}"
        # The one it was sent during; else an open one near enough; else one that silence closed too early.
        for which, slack in (("true", 0), ("state = 'open'", IDLE), ("close_reason = 'idle'", IDLE)):
            found = row(f"{select} AND {which} AND {_SPANS}", (*talk, at + slack, at - slack))
            if found is not None:
                return Slot(*found)
        return None

    def _opened(self, key: tuple[str, str, str | None], at: int) -> Slot:
        channel, conversation, name = key
        context = self._context
        talk = (context.persona, context.scope.key, channel, conversation)
        if name is None:
            context.store.run(
                "UPDATE sessions SET state = 'pending', closed_at = ?, close_reason = 'idle'"
                f" WHERE {_TALK} AND state = 'open' AND name IS NULL AND last_at < ?",
                (context.now(), *talk, at - IDLE),
            )
        slot = Slot(context.new_id(), at, at, 0, 0, "open", name)
        insert(
            context.store,
            "sessions",
            id=slot.id,
            persona=context.persona,
            scope=context.scope.key,
            channel=channel,
            conversation=conversation,
            opened_at=at,
            last_at=at,
            state="open",
            name=name,
        )
        return slot
