"""Plain search: every word of the query occurs, in Chinese, English and both at once; newest first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime

from echovessel.clock import to_micros
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.message_rows import COLUMNS, message_of
from echovessel.memory.node_rows import COLUMNS as NODE_COLUMNS
from echovessel.memory.node_rows import nodes_of
from echovessel.memory.records import Message, Node, NodeKind, Sender
from echovessel.text import EMOJI, HAN, fold

MAX_TERMS = 200

# A run of Han, a word of any other script, or one emoji. Underscores and apostrophes part words on both
# sides, so that "Scott" finds "Scott's".
_TERMS = re.compile(f"[{HAN}]+|[^\\W_{HAN}]+|[{EMOJI}]")
_HAN_RUN = re.compile(f"[{HAN}]")
_ACCENTS = re.compile("[\u0300-\u036f]")


def _terms(text: str) -> list[str]:
    folded = fold(text)
    if not folded.isascii():
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))
    return _TERMS.findall(folded)


def cut(text: str) -> str:
    """The text as tokens joined by spaces, as it is indexed.

    Folded; accents off Latin letters. A run of Han becomes one token per character: the character with the
    one after it, the last one alone. So a character is the start of exactly one token, two characters are a
    token, and longer words are phrases.

    >>> cut("用React写部署流程")
    '用 react 写部 部署 署流 流程 程'
    """
    tokens: list[str] = []
    for term in _terms(text):
        if _HAN_RUN.match(term):
            tokens.extend(term[i : i + 2] for i in range(len(term)))
        else:
            tokens.append(term)
    return " ".join(tokens)


def expression(query: str) -> str:
    """The query in FTS5's language; empty when there is nothing to look for.

    Every term is quoted, so that nothing in it is an operator.

    Raises
    ------
    InputError
        Blank, or more than 200 different terms.
    """
    if not query.strip():
        raise InputError("The search is empty. Give at least one word.")
    wanted = list(dict.fromkeys(_terms(query)))
    if len(wanted) > MAX_TERMS:
        raise InputError(
            f"The search has {len(wanted)} words; at most {MAX_TERMS} can be looked for at once. Shorten it."
        )
    parts: list[str] = []
    for term in wanted:
        if not _HAN_RUN.match(term):
            parts.append(f'"{term}"')
        elif len(term) == 1:
            parts.append(f'"{term}" *')
        else:
            parts.append(f'"{" ".join(term[i : i + 2] for i in range(len(term) - 1))}"')
    return " AND ".join(parts)


class Search:
    """Full-text search over L2 to L4. Ranking by relevance is recall's work."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def messages(
        self,
        query: str,
        *,
        limit: int = 20,
        sender: Sender | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> list[Message]:
        """Messages that hold every word of the query, newest first.

        Parameters
        ----------
        query : str
            Words in any script. Characters of one Chinese run must stand in that order, side by side. Quotes,
            stars and operators are punctuation: they mean nothing and match nothing.
        limit : int
            At most so many; 1 or more.
        sender : Sender, optional
            Only what they wrote.
        since, until : datetime, optional
            Sent at `since` or later, and before `until`.

        Raises
        ------
        InputError
            The query is blank or has more than 200 words, `limit` is below 1, or a time has no zone.
        """
        match = self._match(query, limit)
        if not match:
            return []
        where, values = self._where("messages")
        where += " AND messages.deleted_at IS NULL"
        if sender is not None:
            where, values = f"{where} AND sender = ?", [*values, str(Sender(sender))]
        if since is not None:
            where, values = f"{where} AND sent_at >= ?", [*values, to_micros(since)]
        if until is not None:
            where, values = f"{where} AND sent_at < ?", [*values, to_micros(until)]
        rows = self._context.store.rows(
            f"SELECT {COLUMNS} FROM message_search JOIN messages ON messages.seq = message_search.rowid"
            f" WHERE message_search MATCH ? AND {where} ORDER BY sent_at DESC, seq DESC LIMIT ?",
            (match, *values, limit),
        )
        return [message_of(row) for row in rows]

    def nodes(
        self,
        query: str,
        *,
        limit: int = 20,
        kinds: Iterable[NodeKind] | None = None,
        include_superseded: bool = False,
    ) -> list[Node]:
        """Nodes (L3 and L4) that hold every word of the query, newest first; the rest as in `messages`."""
        match = self._match(query, limit)
        if not match:
            return []
        where, values = self._where("n")
        if kinds is not None:
            wanted = [str(NodeKind(kind)) for kind in kinds]
            where, values = f"{where} AND kind IN ({', '.join('?' * len(wanted))})", [*values, *wanted]
        if not include_superseded:
            where += " AND superseded_at IS NULL"
        rows = self._context.store.rows(
            f"SELECT {NODE_COLUMNS} FROM node_search JOIN nodes AS n ON n.seq = node_search.rowid"
            f" WHERE node_search MATCH ? AND {where} ORDER BY known_at DESC, n.seq DESC LIMIT ?",
            (match, *values, limit),
        )
        return nodes_of(self._context, rows)

    def index_message(self, seq: int, text: str) -> None:
        """Make a message findable under this text alone; inside the writer's transaction."""
        self.drop_message(seq)
        self.index_messages([(seq, text)])

    def index_messages(self, texts: Iterable[tuple[int, str]]) -> None:
        """Index messages that have no row yet, many at once."""
        self._context.store.run_many(
            "INSERT INTO message_search (rowid, text) VALUES (?, ?)",
            ((seq, cut(text)) for seq, text in texts),
        )

    def drop_message(self, seq: int) -> None:
        """Take a message out of the index."""
        self._context.store.run("DELETE FROM message_search WHERE rowid = ?", (seq,))

    def index_node(self, seq: int, text: str) -> None:
        """Make a node findable under this text alone; inside the writer's transaction."""
        self.drop_node(seq)
        self._context.store.run("INSERT INTO node_search (rowid, text) VALUES (?, ?)", (seq, cut(text)))

    def drop_node(self, seq: int) -> None:
        """Take a node out of the index."""
        self._context.store.run("DELETE FROM node_search WHERE rowid = ?", (seq,))

    def _match(self, query: str, limit: int) -> str:
        if limit < 1:
            raise InputError(f"limit must be 1 or more, found {limit}.")
        return expression(query)

    def _where(self, table: str) -> tuple[str, list[str | int]]:
        scopes = self._context.readable
        marks = ", ".join("?" * len(scopes))
        return f"{table}.persona = ? AND {table}.scope IN ({marks})", [self._context.persona, *scopes]
