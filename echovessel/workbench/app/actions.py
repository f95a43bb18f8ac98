"""What can be done to a memory from the page, each with its way back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from echovessel.errors import InputError
from echovessel.memory.memory import Memory
from echovessel.memory.records import EntityChange, Forgotten, Message, NewNode, Node, Origin, RelationalTag
from echovessel.memory.targets import Target
from echovessel.workbench.app.shelf import Opened

Derived = Literal["drop", "keep"]


def home(opened: Opened, one: Node | Message) -> Memory:
    """The memory as the scope sees it to which a record belongs: only there may it be changed."""
    return opened.memory.within(one.scope)


def edit_node(
    opened: Opened,
    node: str,
    *,
    text: str,
    impact: float,
    tags: Sequence[str],
    occurred_from: date | None,
    occurred_to: date | None,
) -> None:
    """Correct a memory; its vector is made anew."""
    before = opened.memory.nodes.get(node)
    nodes = home(opened, before).nodes
    kept = [RelationalTag(tag) for tag in tags]
    nodes.edit(
        node, text=text, impact=impact, tags=kept, occurred_from=occurred_from, occurred_to=occurred_to
    )
    opened.vessel.embed_pending()

    def undo() -> None:
        nodes.edit(
            node,
            text=before.text,
            impact=before.impact,
            tags=before.tags,
            occurred_from=before.occurred_from,
            occurred_to=before.occurred_to,
        )
        opened.vessel.embed_pending()

    opened.did("did_edit", undo)


def edit_message(opened: Opened, message: str, text: str) -> None:
    """Correct what a message says."""
    before = opened.memory.log.get(message)
    log = home(opened, before).log
    log.edit(message, text)
    opened.vessel.embed_pending()

    def undo() -> None:
        log.edit(message, before.text)
        opened.vessel.embed_pending()

    opened.did("did_edit", undo)


def pin(opened: Opened, node: str) -> bool:
    """Pin a memory, or let go of it; gives whether it is pinned now."""
    before = opened.memory.nodes.get(node)
    nodes = home(opened, before).nodes
    nodes.pin(node, not before.pinned)
    opened.did("did_unpin" if before.pinned else "did_pin", lambda: nodes.pin(node, before.pinned))
    return not before.pinned


def replace(opened: Opened, node: str, text: str) -> Node:
    """Write what is true now in place of a memory; the old one is kept as the past.

    The new one is of the same kind and speaks of the same subject and attribute. Where there is no attribute, the
    memory is replaced because it was named here, and nothing else is taken to be meant.
    """
    old = opened.memory.nodes.get(node)
    memory = home(opened, old)
    new = memory.nodes.add(
        NewNode(
            text,
            kind=old.kind,
            subject=old.subject,
            about=old.about,
            attribute=old.attribute,
            impact=old.impact,
            tags=old.tags,
            valid_from=opened.today,
            due_on=old.due_on,
            status=old.status,
            origin=Origin.PERSON,
            supersedes=(node,),
        ),
        vector=opened.vessel.embedder.embed([text], kind="passage")[0],
    )

    def undo() -> None:
        # Forgetting the new one makes the old one current again.
        memory.forget(Target.node(new.id), tombstones=False)

    opened.did("did_replace", undo)
    return new


def target_of(item: Node | Message, *, session: bool) -> Target:
    """What forgetting a record means; `session` takes the whole session of a message."""
    if isinstance(item, Node):
        return Target.node(item.id)
    return Target.session(item.session) if session else Target.message(item.id)


def plan(opened: Opened, target: Target, *, derived: Derived) -> Forgotten:
    """What would go, and what derives from it; nothing is changed."""
    return opened.memory.forget(target, dry_run=True, derived=derived)


def forget(opened: Opened, target: Target, *, derived: Derived) -> Forgotten:
    """Forget for good. This can't be taken back, and neither can earlier steps."""
    done = opened.memory.forget(target, derived=derived)
    opened.forget_steps()
    opened.vessel.embed_pending()
    return done


def merge(opened: Opened, keep: str, absorb: str) -> EntityChange:
    """Let one entity stand for another."""
    if keep == absorb:
        raise InputError("an entity can't be merged with itself. Choose another one.")
    change = opened.memory.directory.merge(keep, absorb)
    opened.did("did_merge", lambda: opened.memory.directory.undo(change.id))
    return change


def split(
    opened: Opened, entity: str, *, aliases: Sequence[str], nodes: Sequence[str], name: str
) -> EntityChange:
    """Make some names and memories of an entity another's."""
    directory = opened.memory.directory
    change = directory.split(entity, aliases=aliases, nodes=nodes, name=name.strip() or None)
    opened.did("did_split", lambda: directory.undo(change.id))
    return change
