"""How much the whole file holds, layer by layer: for the upkeep of the file, never for a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from echovessel.memory.engine import MEMORY, Store


@dataclass(frozen=True, slots=True)
class Held:
    """How many rows of each layer one persona has, over all its users and groups.

    `events` and `thoughts` count replaced memories too; `thoughts` are all of L4. `people` are the users and
    groups it has talked with.
    """

    persona: str
    core_blocks: int
    messages: int
    events: int
    thoughts: int
    entities: int
    moods: int
    people: int
    open_sessions: int


_COUNTS = (
    "SELECT count(*) FROM core_blocks WHERE persona = p.id",
    "SELECT count(*) FROM messages WHERE persona = p.id AND deleted_at IS NULL",
    "SELECT count(*) FROM nodes WHERE persona = p.id AND kind = 'event'",
    "SELECT count(*) FROM nodes WHERE persona = p.id AND kind <> 'event'",
    "SELECT count(*) FROM entities WHERE persona = p.id AND merged_into IS NULL",
    "SELECT count(*) FROM moods WHERE persona = p.id",
    "SELECT count(DISTINCT scope) FROM sessions WHERE persona = p.id AND scope <> 'shared'",
    "SELECT count(*) FROM sessions WHERE persona = p.id AND state = 'open'",
)


def census(store: Store) -> list[Held]:
    """What each persona of the file holds, by id."""
    columns = ", ".join(f"({count})" for count in _COUNTS)
    return [Held(*row) for row in store.rows(f"SELECT id, {columns} FROM personas AS p ORDER BY id")]


def scopes(store: Store, persona: str) -> list[str]:
    """Keys of the users and groups that a persona has talked with, such as ``user:owner``."""
    rows = store.rows(
        "SELECT scope FROM sessions WHERE persona = ? UNION SELECT scope FROM nodes WHERE persona = ? ORDER BY scope",
        (persona, persona),
    )
    return [row[0] for row in rows if row[0] != "shared"]


def size(store: Store) -> int:
    """Bytes on the disk, the log included."""
    if store.path == MEMORY:
        return 0
    parts = (Path(store.path + ending) for ending in ("", "-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())
