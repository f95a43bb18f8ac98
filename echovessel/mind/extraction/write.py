"""Writing what a talk left behind, inside the caller's one transaction: all of it or nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from echovessel.errors import InputError, NotFoundError
from echovessel.memory.aliases import normal
from echovessel.memory.memory import Memory
from echovessel.memory.records import NodeStatus, Subject
from echovessel.memory.tombstones import Tombstones
from echovessel.mind.extraction.records import Draft, Extraction, Named, Refusal, Written


def write(memory: Memory, extraction: Extraction) -> Written:
    """Write nodes with vectors, sources and entities, aliases, supersession, mentions, statuses, answers and the mood.

    To be called inside ``memory.context.store.write()``. What became impossible since the talk was read (its source
    deleted, its fact forgotten) is left out and named in `Written.dropped`.
    """
    return _Writer(memory, extraction).run()


@dataclass
class _Writer:
    memory: Memory
    extraction: Extraction
    entities: dict[str, str] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    dropped: list[Refusal] = field(default_factory=list)
    max_impact: float = 0.0

    def run(self) -> Written:
        memory = self.memory
        for answer in self.extraction.settled:
            if answer.question in {question.id for question in memory.directory.questions()}:
                memory.directory.settle(answer.question, same=answer.same)
        with memory.directory.batch():
            for named in self.extraction.entities:
                self._entity(named)
        for place, draft in enumerate(self.extraction.drafts):
            try:
                self._draft(place, draft)
            except InputError as error:
                self.dropped.append(Refusal(str(error), draft.node.text))
        self._became()
        if self.extraction.mood is not None:
            memory.moods.set(self.extraction.mood)
        return Written(
            added=tuple(self.added),
            mentioned=tuple(self.mentioned),
            superseded=tuple(self.superseded),
            closed=tuple(self.closed),
            entities=tuple(dict.fromkeys(self.entities.values())),
            max_impact=self.max_impact,
            dropped=tuple(self.dropped),
        )

    def _entity(self, named: Named) -> None:
        """Find or make a third party. Two that one talk tells apart are never merged for being alike."""
        directory = self.memory.directory
        lower, upper = self.extraction.apart
        entity = self._still(named.entity)
        if entity is None:
            vector, taken = named.vector, set(self.entities.values())
            if vector is not None:
                like = directory.resolve(named.name, vector=vector, kind=named.kind, upper=upper, lower=lower)
                if like.how != "alias" and any(each.entity.id in taken for each in like.candidates):
                    vector = None
            found = directory.ensure(named.name, vector=vector, kind=named.kind, upper=upper, lower=lower)
            entity = None if found.entity is None else directory.root(found.entity.id)
        if entity is None:
            return
        for name in (named.name, *named.aliases):
            self.entities[normal(name)] = entity
            # A name that somebody goes by already is not made ambiguous on a model's word.
            if not directory.find(name):
                directory.add_alias(entity, name)

    def _still(self, entity: str | None) -> str | None:
        """Whom an entity that was shown stands for now; None when it is gone."""
        if entity is None:
            return None
        try:
            return self.memory.directory.root(self.memory.directory.get(entity).id)
        except NotFoundError:
            return None

    def _draft(self, place: int, draft: Draft) -> None:
        memory, context = self.memory, self.memory.context
        if draft.repeats is not None:
            for source in draft.node.sources:
                self.nodes[place] = memory.nodes.mention(draft.repeats, source).id
            self.mentioned.append(self.nodes[place])
            return
        tombstones = Tombstones(context)
        if tombstones.hold(tombstones.of_node(context.scope.key, draft.node.kind, draft.node.text)):
            self.dropped.append(Refusal("it was forgotten on purpose", draft.node.text))
            return
        about = self.entities.get(normal(draft.about)) if draft.about else None
        node = replace(
            draft.node,
            about=about if draft.node.subject is Subject.OTHER else None,
            # Of whom it is can't be told, so it replaces nothing and nothing replaces it.
            attribute=draft.node.attribute if about is not None or not draft.about else "",
            entities=tuple(
                dict.fromkeys(
                    self.entities[key] for name in draft.names if (key := normal(name)) in self.entities
                )
            ),
            supersedes=(),
        )
        stored = memory.nodes.add(node, vector=draft.vector)
        self.nodes[place] = stored.id
        self.added.append(stored.id)
        self.max_impact = max(self.max_impact, abs(stored.impact))
        replaced = [
            *draft.node.supersedes,
            *(self.nodes[each] for each in draft.follows if each in self.nodes),
        ]
        for old in dict.fromkeys(replaced):
            self._supersede(old, stored.id)

    def _supersede(self, old: str, new: str) -> None:
        """Let the later of two facts stand: an old talk that is read late doesn't undo what was said since."""
        nodes = self.memory.nodes
        try:
            before, after = nodes.get(old), nodes.get(new)
            if before.superseded_at is not None:
                return
            if before.known_at > after.known_at:
                old, new = new, old
            nodes.supersede(old, new)
            self.superseded.append(old)
        except InputError as error:
            self.dropped.append(Refusal(str(error), new))

    def _became(self) -> None:
        nodes = self.memory.nodes
        for each in self.extraction.became:
            try:
                if nodes.get(each.node).status is NodeStatus.OPEN:
                    nodes.set_status(each.node, each.status)
                    self.closed.append(each.node)
            except InputError as error:
                self.dropped.append(Refusal(str(error), each.node))
