"""The queries of the hot index. `{whose}` is filled in by `everything` or `changed`."""

from __future__ import annotations

MESSAGES = """
    SELECT m.seq, m.id, m.session, m.sender_name, m.text, m.sent_at, m.recorded_at, m.zone, v.vector
    FROM messages m LEFT JOIN message_vectors v ON v.message = m.seq AND v.embedder = ?
    WHERE {whose} AND m.deleted_at IS NULL AND m.sender <> 'system'
    ORDER BY m.sent_at, m.seq"""
NODES = """
    SELECT n.seq, n.id, n.kind, n.text, n.impact, n.tags, coalesce(n.occurred_to, n.occurred_from), n.known_at,
           n.first_known_at, n.recorded_at, n.superseded_at, coalesce(s.recorded_at, n.superseded_at), v.vector
    FROM nodes n LEFT JOIN node_vectors v ON v.node = n.seq AND v.embedder = ?
                 LEFT JOIN nodes s ON s.id = n.superseded_by
    WHERE {whose}
    ORDER BY n.seq"""
COUNT = """
    SELECT (SELECT count(*) FROM messages WHERE persona = ? AND scope = ?)
         + (SELECT count(*) FROM nodes WHERE persona = ? AND scope = ?)"""
SOURCES = """
    SELECT n.seq, m.seq FROM node_sources s JOIN nodes n ON n.id = s.node JOIN messages m ON m.id = s.message
    WHERE {whose}"""
LINKS = """
    SELECT l.entity, t.seq FROM {layer}_entities l JOIN {layer}s t ON t.id = l.{layer}
    WHERE {whose}"""


def everything(table: str) -> str:
    """Everything of a persona and scope."""
    return f"{table}.persona = ? AND {table}.scope = ?"


def changed(table: str, by: str) -> str:
    """Of a persona and scope, what belongs to changed rows.

    The joined empty strings keep the database from reading the whole scope by its index and looking for the few
    changed rows in it: one new turn among 100,000 took 130 ms.
    """
    return (
        f"{table}.persona || '' = ? AND {table}.scope || '' = ?"
        f" AND {by}.seq IN (SELECT value FROM json_each(?))"
    )
