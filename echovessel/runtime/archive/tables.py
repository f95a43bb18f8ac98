"""What an archive holds: one file per table, in the order in which they can be read back.

Not in it: search rows (made again from the text), the log of changes, and API tokens, which let somebody in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MANIFEST = "manifest.json"
FORMAT = "echovessel"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Table:
    """How one table is written and read back.

    Attributes
    ----------
    name : str
    layer : str
        The folder of its file, named after what it holds.
    key : tuple of str
        Columns by which a row is known: one that is there already stays as it is.
    owner : str
        Where its persona stands: ``persona``, ``id``, or a subquery's table that `via` points to.
    via : str
        The column that points to the owner.
    order : str
        In which order rows are written; imports keep it.
    parents : mapping of str to str
        Column to table: the row is left out when one of the rows it hangs on is missing.
    fresh : bool
        Whether it is left out too when none of them is new: a link that was cut here stays cut.
    loose : mapping of str to str
        Column to table: set to null when what it points to is missing.
    skip : tuple of str
        Columns that belong to one file only.
    """

    name: str
    layer: str
    key: tuple[str, ...] = ("id",)
    owner: str = "persona"
    via: str = ""
    order: str = "rowid"
    parents: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    loose: Mapping[str, str] = field(default_factory=dict)
    skip: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The member of the zip."""
        return f"{self.layer}/{self.name}.jsonl"

    @property
    def where(self) -> str:
        """The rows of the personas whose ids stand in the JSON list ``?``."""
        listed = "IN (SELECT value FROM json_each(?))"
        if self.via:
            return f"{self.via} IN (SELECT id FROM {self.owner} WHERE persona {listed})"
        return f"{self.owner} {listed}"


_BY_SCOPE = ("persona", "scope")
_IMPORT = {"import_id": "imports"}

TABLES = (
    Table("personas", "who", owner="id"),
    Table("audiences", "who", _BY_SCOPE),
    Table("imports", "who"),
    Table("core_blocks", "L1-core", (*_BY_SCOPE, "label")),
    Table("core_block_revisions", "L1-core", loose={"undoes": "core_block_revisions", **_IMPORT}),
    Table("sessions", "L2-messages"),
    Table(
        "messages", "L2-messages", order="seq", parents={"session": "sessions"}, loose=_IMPORT, skip=("seq",)
    ),
    Table("entities", "L5-entities", loose={"merged_into": "entities", **_IMPORT}),
    Table(
        "aliases", "L5-entities", ("entity", "scope", "folded"), parents={"entity": "entities"}, skip=("id",)
    ),
    Table(
        "nodes",
        "L3-L4-nodes",
        order="seq",
        loose={"about": "entities", "superseded_by": "nodes", **_IMPORT},
        skip=("seq",),
    ),
    Table(
        "node_sources",
        "L3-L4-nodes",
        ("node", "message", "source_node"),
        "nodes",
        "node",
        parents={"node": "nodes", "message": "messages", "source_node": "nodes"},
        fresh=True,
    ),
    Table(
        "node_entities",
        "L5-entities",
        ("node", "entity"),
        "nodes",
        "node",
        parents={"node": "nodes", "entity": "entities"},
        fresh=True,
    ),
    Table(
        "message_entities",
        "L5-entities",
        ("message", "entity"),
        "messages",
        "message",
        parents={"message": "messages", "entity": "entities"},
        fresh=True,
    ),
    Table("entity_changes", "L5-entities"),
    Table("entity_questions", "L5-entities", parents={"one": "entities", "other": "entities"}),
    Table("moods", "L6-moods", _BY_SCOPE),
    Table("model_calls", "upkeep"),
    Table(
        "stages",
        "upkeep",
        ("session", "through", "stage"),
        "sessions",
        "session",
        parents={"session": "sessions"},
        fresh=True,
    ),
    Table(
        "troubles", "upkeep", ("session",), "sessions", "session", parents={"session": "sessions"}, fresh=True
    ),
    Table("cycles", "upkeep"),
    Table(
        "cycle_reads",
        "upkeep",
        ("cycle", "node"),
        "cycles",
        "cycle",
        parents={"cycle": "cycles", "node": "nodes"},
        fresh=True,
    ),
    Table(
        "cycle_writes",
        "upkeep",
        ("cycle", "node"),
        "cycles",
        "cycle",
        parents={"cycle": "cycles", "node": "nodes"},
        fresh=True,
    ),
    Table(
        "cycle_refusals",
        "upkeep",
        ("cycle", "rule", "text"),
        "cycles",
        "cycle",
        parents={"cycle": "cycles"},
        fresh=True,
    ),
    Table("shown", "upkeep", ("node",), "nodes", "node", parents={"node": "nodes"}, fresh=True),
    Table("notices", "upkeep", (*_BY_SCOPE, "kind")),
    Table("traces", "upkeep"),
)

# Of the whole file: read counts by the id of a message or node, and keyed hashes of what was forgotten.
COUNTS = "upkeep/access_counts.jsonl"
TOMBSTONES = "upkeep/tombstones.jsonl"
FILES = (*(table.file for table in TABLES), COUNTS, TOMBSTONES)


def is_time(column: str) -> bool:
    """Whether a column holds a moment, which is written as ISO text in UTC."""
    return column == "at" or column.endswith("_at")
