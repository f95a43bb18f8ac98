"""The six layers over HTTP: read, write, search, recall, forget."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from echovessel.memory.recall import Weights
from echovessel.memory.records import (
    Actor,
    CoreBlock,
    CoreLabel,
    Entity,
    Forgotten,
    Message,
    Mood,
    NewNode,
    Node,
    NodeKind,
    NodeStatus,
    RelationalTag,
    Revision,
    Source,
    Subject,
)
from echovessel.memory.targets import Target
from echovessel.runtime.api.asked import Asked, theirs

router = APIRouter(prefix="/api/personas/{persona}")
Limit = Annotated[int, Query(ge=1, le=1000)]
DryRun = Annotated[bool, Query(description="Only tell what would go.")]
Derived = Annotated[
    Literal["drop", "keep"],
    Query(description="Whether what rests on it goes too, or stays without its quotes."),
]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Text(_Body):
    """A text to be stored."""

    text: str = Field(min_length=1)


class Block(_Body):
    """A core block's new text; empty to clear it."""

    text: str
    note: str = ""


class NewMemory(_Body):
    """A memory written by hand."""

    text: str = Field(min_length=1)
    kind: NodeKind = NodeKind.EVENT
    subject: Subject = Subject.USER
    attribute: str = ""
    impact: float = Field(0.0, ge=-10, le=10)
    emotions: list[str] = []
    tags: list[RelationalTag] = []
    occurred_from: date | None = None
    occurred_to: date | None = None
    due_on: date | None = None
    pinned: bool = False
    entities: list[str] = Field([], description="Ids of entities it is about.")
    supersedes: list[str] = Field([], description="Ids of memories it replaces.")
    sources: list[str] = Field([], description="Ids of messages it rests on.")

    def node(self) -> NewNode:
        """The same as the memory takes it."""
        plain: dict[str, Any] = self.model_dump(exclude={"sources"})
        for name in ("emotions", "tags", "entities", "supersedes"):
            plain[name] = tuple(plain[name])
        return NewNode(**plain, sources=tuple(Source(message=one) for one in self.sources))


class Change(_Body):
    """What changes in a memory; what is left out stays."""

    text: str | None = Field(None, min_length=1)
    impact: float | None = Field(None, ge=-10, le=10)
    emotions: list[str] | None = None
    tags: list[RelationalTag] | None = None
    occurred_from: date | None = None
    occurred_to: date | None = None
    due_on: date | None = None
    pinned: bool | None = None
    status: NodeStatus | None = None


class NewEntity(_Body):
    """A third party with its names."""

    name: str = Field(min_length=1)
    kind: str = "person"
    aliases: list[str] = []


@dataclass(frozen=True, slots=True)
class Found:
    """What a plain search found, the newest first."""

    messages: list[Message]
    memories: list[Node]


@router.get("/recall", tags=["recall"])
def recall(
    vessel: Asked,
    query: str,
    k: Annotated[int, Query(ge=1, le=200)] = 10,
    preset: Annotated[str | None, Query(description="Weights: default or seed.")] = None,
    as_of: AwareDatetime | None = None,
    include_superseded: bool = False,
) -> dict[str, Any]:
    """What the persona would remember about this: hits with every factor, and why others were left out."""
    weights = Weights.preset(preset) if preset else None
    found = vessel.recall(query, k=k, weights=weights, as_of=as_of, include_superseded=include_superseded)
    return {
        "hits": found.rows(),
        "dropped": dict(found.dropped_counts),
        "considered": found.considered,
        "ms": {name: round(spent, 3) for name, spent in found.timings.items()},
    }


@router.get("/search", tags=["recall"])
def search(vessel: Asked, query: str, limit: Limit = 20) -> Found:
    """Every word of the query occurs: plain search, in Chinese and English."""
    look = vessel.memory.search
    return Found(look.messages(query, limit=limit), look.nodes(query, limit=limit))


@router.get("/messages", tags=["messages"])
def messages(
    vessel: Asked,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: Limit = 100,
) -> list[Message]:
    """What was said, in order: the latest, or, with `since`, the first from then on."""
    log = vessel.memory.log
    return log.last(limit) if since is None and until is None else log.between(since, until, limit=limit)


@router.get("/messages/{message}", tags=["messages"])
def message(vessel: Asked, message: str) -> Message:
    """One message."""
    return vessel.memory.log.get(message)


@router.patch("/messages/{message}", tags=["messages"])
def edit_message(request: Request, vessel: Asked, message: str, new: Text) -> Message:
    """Correct what was said; the old text is found no more."""
    theirs(request, vessel.memory.log.get(message).scope)
    changed = vessel.memory.log.edit(message, new.text)
    vessel.wake()
    return changed


@router.delete("/messages/{message}", tags=["messages"])
def forget_message(
    request: Request, vessel: Asked, message: str, dry_run: DryRun = False, derived: Derived = "drop"
) -> Forgotten:
    """Forget a message for good."""
    theirs(request, vessel.memory.log.get(message).scope)
    return vessel.memory.forget(Target.message(message), dry_run=dry_run, derived=derived)


@router.get("/memories", tags=["memories"])
def memories(
    vessel: Asked,
    kind: Annotated[list[NodeKind] | None, Query()] = None,
    entity: str | None = None,
    status: NodeStatus | None = None,
    as_of: AwareDatetime | None = None,
    include_superseded: bool = False,
    limit: Limit = 100,
) -> list[Node]:
    """Events, thoughts, intentions and expectations, the latest known first."""
    return vessel.memory.nodes.list(
        kinds=kind,
        entity=entity,
        status=status,
        as_of=as_of,
        include_superseded=include_superseded,
        limit=limit,
    )


@router.post("/memories", tags=["memories"], status_code=201)
def add_memory(vessel: Asked, new: NewMemory) -> Node:
    """Write a memory by hand; it can be recalled at once."""
    return vessel.add(new.node())


@router.get("/memories/{memory}", tags=["memories"])
def memory(vessel: Asked, memory: str) -> Node:
    """One memory, with its sources."""
    return vessel.memory.nodes.get(memory)


@router.patch("/memories/{memory}", tags=["memories"])
def change_memory(request: Request, vessel: Asked, memory: str, change: Change) -> Node:
    """Correct a memory. A day that is given as null goes."""
    theirs(request, vessel.memory.nodes.get(memory).scope)
    given = change.model_dump(exclude_unset=True)
    nullable = ("occurred_from", "occurred_to", "due_on")
    given = {name: value for name, value in given.items() if value is not None or name in nullable}
    pinned, status = given.pop("pinned", None), given.pop("status", None)
    nodes = vessel.memory.nodes
    # One transaction: half a correction would be worse than none.
    with vessel.memory.context.store.write():
        found = nodes.edit(memory, **given) if given else nodes.get(memory)
        found = nodes.pin(memory, pinned) if pinned is not None else found
        found = nodes.set_status(memory, status) if status is not None else found
    vessel.wake()
    return found


@router.delete("/memories/{memory}", tags=["memories"])
def forget_memory(
    request: Request, vessel: Asked, memory: str, dry_run: DryRun = False, derived: Derived = "drop"
) -> Forgotten:
    """Forget a memory for good; the messages it rests on stay."""
    theirs(request, vessel.memory.nodes.get(memory).scope)
    return vessel.memory.forget(Target.node(memory), dry_run=dry_run, derived=derived)


@router.get("/entities", tags=["entities"])
def entities(vessel: Asked, name: str | None = None) -> list[Entity]:
    """Third parties with every name; with `name` those who go by it."""
    directory = vessel.memory.directory
    return directory.list() if name is None else directory.find(name)


@router.post("/entities", tags=["entities"], status_code=201)
def add_entity(vessel: Asked, new: NewEntity) -> Entity:
    """Add a third party."""
    with vessel.memory.context.store.write():
        return vessel.memory.directory.add(new.name, kind=new.kind, aliases=new.aliases)


@router.get("/entities/{entity}", tags=["entities"])
def entity(vessel: Asked, entity: str) -> Entity:
    """One third party."""
    return vessel.memory.directory.get(entity)


@router.post("/entities/{entity}/aliases", tags=["entities"])
def add_alias(request: Request, vessel: Asked, entity: str, new: Text) -> Entity:
    """Let it also be found by another name."""
    theirs(request, vessel.memory.directory.get(entity).scope)
    return vessel.memory.directory.add_alias(entity, new.text)


@router.delete("/entities/{entity}", tags=["entities"])
def forget_entity(
    request: Request, vessel: Asked, entity: str, dry_run: DryRun = False, derived: Derived = "drop"
) -> Forgotten:
    """Forget somebody under all names, with the memories about them; messages that name them stay."""
    theirs(request, vessel.memory.directory.get(entity).scope)
    return vessel.memory.forget(Target.entity(entity), dry_run=dry_run, derived=derived)


@router.get("/core", tags=["core"])
def core(vessel: Asked) -> list[CoreBlock]:
    """Who the persona is: the five core blocks, as far as they are written."""
    return vessel.memory.core.all()


@router.put("/core/{label}", tags=["core"])
def set_core(request: Request, vessel: Asked, label: CoreLabel, new: Block) -> CoreBlock:
    """Write a core block; the change can be undone."""
    theirs(request, vessel.memory.core.scope_of(label))
    return vessel.memory.core.set(label, new.text, actor=Actor.MANUAL, note=new.note)


@router.get("/core/{label}/history", tags=["core"])
def core_history(vessel: Asked, label: CoreLabel) -> list[Revision]:
    """All changes of a core block, the oldest first."""
    return vessel.memory.core.history(label)


@router.post("/core/{label}/undo", tags=["core"])
def undo_core(request: Request, vessel: Asked, label: CoreLabel) -> CoreBlock:
    """Take the last change of a core block back."""
    theirs(request, vessel.memory.core.scope_of(label))
    return vessel.memory.core.undo(label)


@router.get("/mood", tags=["mood"])
def mood(vessel: Asked) -> Mood:
    """How the persona feels now."""
    return vessel.memory.moods.get()
