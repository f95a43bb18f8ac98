"""Records as polars frames, with the same typed columns also when there are none.

`nodes`
    id, scope, kind, subject, about, attribute, text, impact (-10..10), emotions, tags, occurred_from,
    occurred_to, valid_from, valid_to, due_on (dates), status, confidence (0..1), mentions, pinned, known_at,
    first_known_at, recorded_at (UTC), origin, superseded_by, superseded_at, import_id, entities (ids),
    messages, source_nodes (ids it rests on), quotes
`messages`
    id, scope, session, turn, channel, conversation, sender, sender_name, text, sent_at, recorded_at (UTC),
    zone, external_id, reply_to, edited_at, deleted_at, import_id
`entities`
    id, scope, kind, name, aliases, created_at (UTC), merged_into
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from echovessel.memory.records import Entity, Message, Node

if TYPE_CHECKING:
    import polars as pl

# Column names to short names of polars types; polars is heavy, and is imported only for a frame.
_NODES = {
    **dict.fromkeys(("id", "scope", "kind", "subject", "about", "attribute", "text"), "text"),
    "impact": "number",
    **dict.fromkeys(("emotions", "tags"), "texts"),
    **dict.fromkeys(("occurred_from", "occurred_to", "valid_from", "valid_to", "due_on"), "date"),
    "status": "text",
    "confidence": "number",
    "mentions": "count",
    "pinned": "flag",
    **dict.fromkeys(("known_at", "first_known_at", "recorded_at"), "time"),
    **dict.fromkeys(("origin", "superseded_by"), "text"),
    "superseded_at": "time",
    "import_id": "text",
    **dict.fromkeys(("entities", "messages", "source_nodes", "quotes"), "texts"),
}
_MESSAGES = {
    **dict.fromkeys(("id", "scope", "session"), "text"),
    "turn": "count",
    **dict.fromkeys(("channel", "conversation", "sender", "sender_name", "text"), "text"),
    **dict.fromkeys(("sent_at", "recorded_at"), "time"),
    **dict.fromkeys(("zone", "external_id", "reply_to"), "text"),
    **dict.fromkeys(("edited_at", "deleted_at"), "time"),
    "import_id": "text",
}
_ENTITIES = {
    **dict.fromkeys(("id", "scope", "kind", "name"), "text"),
    "aliases": "texts",
    "created_at": "time",
    "merged_into": "text",
}


def nodes(records: Iterable[Node]) -> pl.DataFrame:
    """Events, thoughts, intentions or expectations, one a row, in the order given."""
    return _frame(_NODES, (_node(record) for record in records))


def messages(records: Iterable[Message]) -> pl.DataFrame:
    """Messages, one a row, in the order given."""
    return _frame(_MESSAGES, (_row(record, _MESSAGES) for record in records))


def entities(records: Iterable[Entity]) -> pl.DataFrame:
    """Entities, one a row, in the order given."""
    return _frame(_ENTITIES, (_row(record, _ENTITIES) for record in records))


def _node(record: Node) -> dict[str, Any]:
    return {
        **_row(record, (name for name in _NODES if name not in ("messages", "source_nodes", "quotes"))),
        "messages": [source.message for source in record.sources if source.message],
        "source_nodes": [source.node for source in record.sources if source.node],
        "quotes": [source.quote for source in record.sources if source.quote],
    }


def _row(record: Node | Message | Entity, names: Iterable[str]) -> dict[str, Any]:
    return {name: record.scope.key if name == "scope" else _plain(getattr(record, name)) for name in names}


def _plain(value: Any) -> Any:
    """Members of closed lists as their plain text, which is what polars takes."""
    if isinstance(value, tuple):
        return [str(each) for each in value]
    return str(value) if isinstance(value, str) else value


def _frame(columns: Mapping[str, str], rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    types: dict[str, Any] = {
        "text": pl.String,
        "texts": pl.List(pl.String),
        "number": pl.Float64,
        "count": pl.Int64,
        "flag": pl.Boolean,
        "date": pl.Date,
        "time": pl.Datetime("us", "UTC"),
    }
    return pl.DataFrame(
        list(rows), schema={name: types[kind] for name, kind in columns.items()}, orient="row"
    )
