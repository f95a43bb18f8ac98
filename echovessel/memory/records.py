"""What goes into the store and what comes out: frozen, typed, times aware."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal

from echovessel.errors import InputError
from echovessel.memory.ids import checked_name


class ScopeKind(StrEnum):
    """Whose memory it is."""

    SHARED = "shared"
    USER = "user"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Scope:
    """Shared (the persona's own life), one user, or one group. Nothing derives across scopes."""

    kind: ScopeKind
    name: str = ""

    @classmethod
    def shared(cls) -> Scope:
        """The persona's own life, which every talk may read."""
        return cls(ScopeKind.SHARED)

    @classmethod
    def user(cls, name: str) -> Scope:
        """What one user and the persona share."""
        return cls(ScopeKind.USER, checked_name(name, "user"))

    @classmethod
    def group(cls, name: str) -> Scope:
        """What one group and the persona share."""
        return cls(ScopeKind.GROUP, checked_name(name, "group"))

    @classmethod
    def parse(cls, key: str) -> Scope:
        """The scope of a stored key."""
        if key == ScopeKind.SHARED:
            return cls.shared()
        kind, _, name = key.partition(":")
        if kind == ScopeKind.USER:
            return cls.user(name)
        if kind == ScopeKind.GROUP:
            return cls.group(name)
        raise InputError(f"{key!r} is no scope. Use shared, user:NAME or group:NAME.")

    @property
    def key(self) -> str:
        """``shared``, ``user:NAME`` or ``group:NAME``: the form in which it is stored."""
        return str(self.kind) if self.kind is ScopeKind.SHARED else f"{self.kind}:{self.name}"


class Sender(StrEnum):
    """Who wrote a message."""

    USER = "user"
    PERSONA = "persona"
    OTHER = "other"
    SYSTEM = "system"


class NodeKind(StrEnum):
    """L3 is `event`; the rest is L4."""

    EVENT = "event"
    THOUGHT = "thought"
    INTENTION = "intention"
    EXPECTATION = "expectation"


class Subject(StrEnum):
    """Whom a memory is about."""

    USER = "user"
    PERSONA = "persona"
    OTHER = "other"


class RelationalTag(StrEnum):
    """The closed list of tags that earn the relational bonus."""

    IDENTITY = "identity-bearing"
    UNRESOLVED = "unresolved"
    VULNERABILITY = "vulnerability"
    TURNING_POINT = "turning-point"
    COMMITMENT = "commitment"
    CORRECTION = "correction"


class NodeStatus(StrEnum):
    """Where a promise or an expectation stands."""

    OPEN = "open"
    KEPT = "kept"
    BROKEN = "broken"
    FULFILLED = "fulfilled"
    EXPIRED = "expired"


class Origin(StrEnum):
    """Who wrote a node. Only an import or a person may write one that rests on no source."""

    EXTRACTION = "extraction"
    REFLECTION = "reflection"
    SLOW_TICK = "slow_tick"
    IMPORT = "import"
    PERSON = "person"


class CoreLabel(StrEnum):
    """The five core blocks: three of the persona's own, two per user."""

    PERSONA = "persona"
    SELF = "self"
    STYLE = "style"
    USER = "user"
    RELATIONSHIP = "relationship"


class Actor(StrEnum):
    """Who may change a core block; the engine is not among them."""

    MANUAL = "manual"
    ADMIN = "admin"
    IMPORT = "import"


class SessionState(StrEnum):
    """`pending` is closed and waits for a model to extract it; `settled` needs nothing more."""

    OPEN = "open"
    PENDING = "pending"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Message:
    """L2: what exactly was said."""

    id: str
    scope: Scope
    session: str
    sender: Sender
    sender_name: str
    text: str
    sent_at: datetime
    recorded_at: datetime
    zone: str
    channel: str
    conversation: str
    turn: int
    external_id: str | None = None
    reply_to: str | None = None
    attachments: tuple[dict[str, Any], ...] = ()
    edited_at: datetime | None = None
    deleted_at: datetime | None = None
    import_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored. `sent_at` defaults to now, `zone` to the scope's.

    `external_id` makes a redelivery a no-op: the channel's own id, or what a file reader hashed.
    """

    text: str
    sender: Sender = Sender.USER
    sender_name: str = ""
    sent_at: datetime | None = None
    zone: str | None = None
    channel: str = "local"
    conversation: str = "main"
    external_id: str | None = None
    reply_to: str | None = None
    attachments: tuple[dict[str, Any], ...] = ()
    session: str | None = None


class Outcome(StrEnum):
    """What became of a message that was handed to the store."""

    STORED = "stored"
    KNOWN = "known"
    REVIVED = "revived"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message handed to the store, and what became of it.

    `known` was stored before and is given back unchanged; `forgotten` was deleted for good before, is not stored
    again, and carries no message.
    """

    outcome: Outcome
    message: Message | None


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch of talk that closes when it has been idle, long or large.

    `name` is set when the writer of the messages decides where the session begins and ends. `settled_at` is when
    its extraction was last done: messages recorded after it have not been extracted yet.
    """

    id: str
    scope: Scope
    channel: str
    conversation: str
    opened_at: datetime
    last_at: datetime
    messages: int
    tokens: int
    state: SessionState
    closed_at: datetime | None = None
    close_reason: str | None = None
    settled_at: datetime | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a node rests on: a message or another node, with the words quoted."""

    message: str | None = None
    node: str | None = None
    quote: str = ""

    def __post_init__(self) -> None:
        if (self.message is None) == (self.node is None):
            raise InputError("a source names either a message or a node.")


@dataclass(frozen=True, slots=True)
class NewNode:
    """A memory to be stored. `known_at` defaults to its latest source's, else now.

    `about` is the entity a fact with subject `other` belongs to. `supersedes` lists ids of nodes that this one
    replaces; each must have the same kind, subject, attribute and `about`.
    """

    text: str
    kind: NodeKind = NodeKind.EVENT
    subject: Subject = Subject.USER
    about: str | None = None
    attribute: str = ""
    impact: float = 0.0
    emotions: tuple[str, ...] = ()
    tags: tuple[RelationalTag, ...] = ()
    occurred_from: date | None = None
    occurred_to: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    due_on: date | None = None
    status: NodeStatus | None = None
    confidence: float = 1.0
    pinned: bool = False
    known_at: datetime | None = None
    origin: Origin = Origin.PERSON
    sources: tuple[Source, ...] = ()
    entities: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """L3 or L4 as stored.

    `known_at` moves on when the fact is restated; `first_known_at` does not, and decides what was known at a time.
    """

    id: str
    scope: Scope
    kind: NodeKind
    subject: Subject
    about: str | None
    attribute: str
    text: str
    impact: float
    emotions: tuple[str, ...]
    tags: tuple[RelationalTag, ...]
    occurred_from: date | None
    occurred_to: date | None
    valid_from: date | None
    valid_to: date | None
    due_on: date | None
    status: NodeStatus | None
    confidence: float
    mentions: int
    pinned: bool
    known_at: datetime
    recorded_at: datetime
    origin: Origin
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    import_id: str | None = None
    sources: tuple[Source, ...] = ()
    entities: tuple[str, ...] = ()
    first_known_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """L5: a third party, with every name it goes by. `merged_into` is set while it stands for another."""

    id: str
    scope: Scope
    kind: str
    name: str
    aliases: tuple[str, ...]
    created_at: datetime
    merged_into: str | None = None

    def _repr_html_(self) -> str:
        from echovessel.memory.display import entity_html

        return entity_html(self)


@dataclass(frozen=True, slots=True)
class EntityChange:
    """A merge (`other` now stands for `entity`) or a split (`other` was taken out of `entity`); can be undone."""

    id: str
    kind: Literal["merge", "split"]
    entity: str
    other: str
    at: datetime
    undone_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a name may mean; `similarity` is the cosine of the contexts, 1 for an equal name."""

    entity: Entity
    similarity: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """Whom a name means, and how that was told.

    ``alias``: one entity goes by that name. ``ambiguous``: several do, and `entity` is None. ``similar``: the
    context is near enough to one. ``uncertain``: somewhere between, so the persona asks. ``new``: nobody known.
    """

    how: Literal["alias", "ambiguous", "similar", "uncertain", "new"]
    entity: Entity | None
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Two entities that may be one; the persona asks in passing."""

    id: str
    one: Entity
    other: Entity
    similarity: float
    raised_at: datetime


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona of the file. `kind` says where it comes from, such as ``written`` or ``distilled``."""

    id: str
    name: str
    kind: str
    zone: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Audience:
    """A user or a group: the name to show, and the zone in which its days are counted, if it has its own."""

    scope: Scope
    name: str
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Mood:
    """L6: how the persona feels towards a scope; `energy` in 0..1."""

    mood: str
    energy: float
    last_user_signal: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """L1: who the persona is now."""

    label: CoreLabel
    scope: Scope
    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Revision:
    """One change of a core block."""

    id: str
    label: CoreLabel
    scope: Scope
    actor: Actor
    at: datetime
    before: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a deletion takes (dry run) or took: counts per table, and the ids of what derives from it.

    `derived` are nodes that rest on what goes; `orphans` are entities that nothing names afterwards, which stay
    until they are forgotten themselves.
    """

    counts: dict[str, int] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    done: bool = False
