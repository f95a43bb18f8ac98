"""What kind of persona it is, and who agreed to it: asked, and kept with its date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import regex

from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.records import Actor, CoreLabel, Revision, Scope
from echovessel.memory.rows import insert
from echovessel.text import clean


class Kind(StrEnum):
    """Whom a persona is made of."""

    FICTIONAL = "fictional"
    ORIGINAL = "original"
    SELF = "self"
    CONSENTED = "consented"
    MEMORIAL = "memorial"
    RESEARCH = "research"


# The first line is what holds; lines below tell what held before.
_WRITTEN = regex.compile(rf"^consent \(({'|'.join(Kind)})\):[^\S\n]*(.*)")


@dataclass(frozen=True, slots=True)
class Consent:
    """What was said of a persona's kind, and when.

    Attributes
    ----------
    kind : Kind
    note : str
        Who agreed, and how; needed where somebody else consented.
    at : datetime, optional
        When it was recorded; None before it is.
    """

    kind: Kind
    note: str = ""
    at: datetime | None = None


def consent(kind: str, note: str) -> Consent:
    """A checked answer.

    Raises
    ------
    InputError
        No such kind, or somebody else's consent without a word on who gave it and how.
    """
    try:
        known = Kind(kind)
    except ValueError as error:
        raise InputError(f"{kind!r} is no kind of persona. Say one of: {', '.join(Kind)}.") from error
    said = " ".join(clean(note).split())
    if known is Kind.CONSENTED and not said:
        raise InputError("Say in the note who consented, when and how: `consented` needs one.")
    return Consent(known, said)


def written(given: Consent) -> str:
    """The note of the revision that keeps it."""
    return f"consent ({given.kind}): {given.note}".rstrip()


def consent_of(context: Context) -> Consent | None:
    """What was last recorded of the persona; None where nobody was asked."""
    revision = _revision(context)
    found = None if revision is None else _WRITTEN.match(revision.note)
    return None if revision is None or found is None else Consent(Kind(found[1]), found[2], revision.at)


def record(context: Context, given: Consent) -> bool:
    """Keep an answer with today's date, in the history of the block `persona`; the same answer again changes nothing.

    The block's text stays as it is. The persona's kind follows. Another answer takes the place of the one before,
    which stays below it: a revision of its own would keep an import before it from being taken back.
    """
    store, now = context.store, context.now()
    with store.write():
        store.run("UPDATE personas SET kind = ? WHERE id = ?", (given.kind, context.persona))
        last, revision = consent_of(context), _revision(context)
        if last is not None and (last.kind, last.note) == (given.kind, given.note):
            return False
        if revision is not None:
            note = f"{written(given)}\nuntil then, since {revision.at:%Y-%m-%d}: {revision.note}"
            store.run(
                "UPDATE core_block_revisions SET note = ?, at = ? WHERE id = ?", (note, now, revision.id)
            )
            return True
        block = CoreBlocks(context).get(CoreLabel.PERSONA)
        text = "" if block is None else block.text
        insert(
            store,
            "core_block_revisions",
            id=context.new_id(),
            persona=context.persona,
            scope=Scope.shared().key,
            label=CoreLabel.PERSONA,
            actor=Actor.IMPORT,
            at=now,
            before=text,
            after=text,
            note=written(given),
        )
        return True


def _revision(context: Context) -> Revision | None:
    found = (r for r in CoreBlocks(context).history(CoreLabel.PERSONA) if _WRITTEN.match(r.note))
    return next(found, None)
