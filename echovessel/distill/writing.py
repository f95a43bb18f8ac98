"""A draft goes into memory: its blocks, what it remembers, and the people in it, all under one import."""

from __future__ import annotations

from collections.abc import Mapping as Table
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

import regex

from echovessel.distill.archive import Line
from echovessel.distill.claims import Claim, Remembered, wording
from echovessel.distill.drafting import Draft
from echovessel.distill.facts import ONE_AT_A_TIME, Fact, facts
from echovessel.distill.history import Mapping
from echovessel.distill.own import own_life
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.entities import Entities
from echovessel.memory.nodes import Nodes
from echovessel.memory.personas import Personas
from echovessel.memory.records import (
    Actor,
    CoreLabel,
    NewNode,
    NodeKind,
    Origin,
    Scope,
    ScopeKind,
    Source,
    Subject,
)
from echovessel.memory.tombstones import Tombstones
from echovessel.text import fold

_PER_TALK = (CoreLabel.USER, CoreLabel.RELATIONSHIP)
_QUOTED = regex.compile(r"“(.*)”$", regex.DOTALL)


def write_blocks(
    context: Context, texts: dict[CoreLabel, str], note: str
) -> tuple[tuple[CoreLabel, ...], tuple[CoreLabel, ...]]:
    """Write core blocks, except those that a person wrote; gives which were written, and which kept.

    Those of a talk need one: in the shared scope they are passed over.
    """
    core = CoreBlocks(context)
    written, kept = [], []
    for label, text in texts.items():
        if label in _PER_TALK and context.scope.kind is not ScopeKind.USER:
            continue
        before = core.get(label)
        if before is not None and before.text == text:
            continue
        changed = [revision for revision in core.history(label) if revision.before != revision.after]
        if before is not None and before.text and changed and changed[-1].actor is not Actor.IMPORT:
            kept.append(label)
            continue
        core.set(label, text, actor=Actor.IMPORT, note=note)
        written.append(label)
    return tuple(written), tuple(kept)


@dataclass(frozen=True, slots=True)
class _Held:
    """A memory that an import wrote before: its id, when it was known, and what it says."""

    node: str
    known_at: datetime
    value: str


@dataclass
class Writer:
    """Writes what a draft remembers.

    What is the persona's own life goes to the shared scope, what concerns a talk to the scope of that talk. Of what
    holds one value at a time, a later one takes the place of the one before. A message that a memory of this kind
    rests on already is passed over, so that a second run adds nothing.

    Parameters
    ----------
    context : Context
        Of the import, in the scope of the talk.
    mapping : Mapping
    ids : mapping
        The message of each line that is quoted.
    """

    context: Context
    mapping: Mapping
    ids: Table[Line, str]
    _held: dict[tuple[str, str], dict[str, _Held]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.context.within(Scope.shared())
        self._directory = Entities(self.context)
        self._here = Nodes(self.context, self._directory)
        self._own = Nodes(own, Entities(own))

    def facts(self, found: Draft) -> int:
        """Facts found by pattern, of accepted claims, as events; one said again counts as a mention."""
        said, name = (
            wording(found.voice.language)["said"],
            Personas(self.context).get(self.context.persona).name,
        )
        refused = {
            (claim.kind, quote.line) for claim in found.claims if not claim.accepted for quote in claim.quotes
        }
        added = 0
        for fact in found.facts:
            message = self.ids.get(fact.line)
            if message is None or (fact.attribute, fact.line) in refused:
                continue
            if any(node.attribute == fact.attribute for node in self._here.derived_from(message)):
                continue
            with self.context.store.write():
                added += self._fact(fact, said.format(name=name, quote=fact.quote), message)
        return added

    def claims(self, found: Draft) -> int:
        """What a model found, of accepted claims; the earliest first, so that the later takes the earlier's place."""
        wanted = [claim for claim in found.claims if claim.accepted and claim.memory is not None]
        added = 0
        for claim in sorted(wanted, key=_last_said):
            with self.context.store.write():
                assert claim.memory is not None
                added += self._claim(claim, claim.memory)
        return added

    def people(self, found: Draft) -> int:
        """Third parties become entities of the talk's scope, each with the other names it goes by."""
        directory, added = self._directory, 0
        with directory.batch():
            for each in found.names:
                if directory.find(each.name):
                    continue
                # A name that would be found everywhere, such as "." or an emoji, is refused.
                with suppress(InputError):
                    free = [alias for alias in each.aliases if not directory.find(alias)]
                    directory.add(each.name, kind=each.kind, aliases=free)
                    added += 1
        return added

    def _fact(self, fact: Fact, text: str, message: str) -> bool:
        own = own_life([fact.quote], [fact.line], self.mapping)
        nodes = self._own if own else self._here
        scope = Scope.shared() if own else self.context.scope
        held = self._known(scope, fact.attribute)
        rests, value = Source(message=message, quote=fact.quote), fold(fact.value)
        if value in held:
            node = nodes.mention(held[value].node, rests)
            held[value] = _Held(node.id, node.known_at, value)
            return False
        if self._forgotten(scope, NodeKind.EVENT, text):
            return False
        when = fact.line.sent_at
        older = [
            each.node
            for each in held.values()
            if fact.attribute in ONE_AT_A_TIME and when is not None and each.known_at <= when
        ]
        node = nodes.add(
            NewNode(
                text,
                subject=Subject.PERSONA,
                attribute=fact.attribute,
                origin=Origin.IMPORT,
                sources=(rests,),
                supersedes=tuple(older),
            )
        )
        for gone in [each for each in held.values() if each.node in older]:
            del held[gone.value]
        held[value] = _Held(node.id, node.known_at, value)
        return True

    def _known(self, scope: Scope, attribute: str) -> dict[str, _Held]:
        """Live facts of an attribute that imports brought, by what they say; read once."""
        key = (scope.key, attribute)
        if key not in self._held:
            found = self._here.list(subject=Subject.PERSONA, attribute=attribute, origin=Origin.IMPORT)
            self._held[key] = {
                value: _Held(node.id, node.known_at, value)
                for node in reversed(found)
                if node.scope == scope
                for value in _values(attribute, node.text)
            }
        return self._held[key]

    def _claim(self, claim: Claim, memory: Remembered) -> bool:
        sources = tuple(
            Source(message=self.ids[quote.line], quote=quote.text)
            for quote in claim.quotes
            if quote.line in self.ids
        )
        if not sources or self._said_before(memory, sources):
            return False
        nodes = self._own if memory.shared else self._here
        scope = Scope.shared() if memory.shared else self.context.scope
        if self._forgotten(scope, memory.kind, claim.text):
            return False
        context = self.context.within(scope)
        linked = tuple(entity for name in memory.names if (entity := self._entity(context, name)) is not None)
        new = NewNode(
            claim.text,
            kind=memory.kind,
            subject=memory.subject,
            about=self._entity(context, memory.about) if memory.about else None,
            attribute=memory.attribute,
            impact=memory.impact,
            emotions=memory.emotions,
            tags=memory.tags,
            occurred_from=memory.first,
            occurred_to=memory.last,
            confidence=claim.confidence,
            origin=Origin.IMPORT,
            sources=sources,
            entities=linked,
        )
        older = (
            [node.id for node in nodes.conflicting(new) if node.origin is Origin.IMPORT]
            if memory.kind is NodeKind.EVENT and memory.attribute in ONE_AT_A_TIME
            else []
        )
        nodes.add(replace(new, supersedes=tuple(older)))
        return True

    def _forgotten(self, scope: Scope, kind: NodeKind, text: str) -> bool:
        tombstones = Tombstones(self.context)
        return tombstones.hold(tombstones.of_node(scope.key, kind, text))

    def _said_before(self, memory: Remembered, sources: tuple[Source, ...]) -> bool:
        """Whether words of these bear out a memory of this kind already."""
        for source in sources:
            assert source.message is not None
            for node in self._here.derived_from(source.message):
                same = (node.kind, node.subject, node.attribute) == (
                    memory.kind,
                    memory.subject,
                    memory.attribute,
                )
                quotes = [fold(each.quote) for each in node.sources if each.message == source.message]
                if same and any(
                    fold(source.quote) in quote or quote in fold(source.quote) for quote in quotes
                ):
                    return True
        return False

    def _entity(self, context: Context, name: str) -> str | None:
        """The one who goes by a name in a scope, made where nobody does; None where it can't be told."""
        directory = self._directory if context.scope == self.context.scope else Entities(context)
        known = directory.find(name)
        if known:
            return known[0].id if len(known) == 1 else None
        with suppress(InputError):
            return directory.add(name).id
        return None


def _last_said(claim: Claim) -> tuple[bool, float]:
    said = [quote.line.sent_at for quote in claim.quotes if quote.line.sent_at is not None]
    return bool(said), max(said).timestamp() if said else 0.0


def _values(attribute: str, text: str) -> set[str]:
    """What a stored fact says, read again from the words it quotes."""
    found = _QUOTED.search(text)
    quoted = Line(found[1] if found else text, "")
    return {fold(fact.value) for fact in facts([quoted]) if fact.attribute == attribute}
