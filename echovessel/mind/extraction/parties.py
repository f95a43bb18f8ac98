"""The third parties of a talk: names that stand in it, never those of the two who talk."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from echovessel.errors import InputError
from echovessel.memory.aliases import alias_key, normal
from echovessel.memory.memory import Memory
from echovessel.memory.records import Entity
from echovessel.mind.extraction.quotes import stands_in
from echovessel.mind.extraction.records import Named, Refusal
from echovessel.mind.extraction.schema import Party
from echovessel.mind.extraction.shown import Shown
from echovessel.mind.extraction.talk import Talk
from echovessel.text import is_han

# Words that stand for a party without naming it.
_NOBODY = regex.compile(
    r"i|me|my|mine|you|your|we|us|he|she|they|him|her|them|it|(?:the )?(?:users?|persona|assistant)"
    r"|every(?:one|body)|some(?:one|body)|我们?|[你您他她它]们?|用户|对方|自己|大家|别人|有人|人家"
)
_UNSAID = "its name stands nowhere in the talk"
_ALIVE = frozenset({"person", "pet", "animal", "人", "宠物", "动物"})


class Parties:
    """Collects them over the chunks of one talk.

    Attributes
    ----------
    dropped : list of Refusal
        Names that were refused, and why.
    """

    def __init__(self, memory: Memory, talk: Talk) -> None:
        self._memory = memory
        self._talk = talk
        self._found: dict[str, Named] = {}
        self._who: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        self._speakers = {normal(line.speaker) for line in talk.lines if line.named} if talk.group else set()
        self._two = {normal(talk.persona)} | (set() if talk.group else {normal(talk.speaker)})
        self._speakers -= self._two
        self._texts = [line.message.text for line in talk.lines]
        named = {entity for text in self._texts for entity in memory.directory.mentioned(text)}
        self._mentioned = [memory.directory.get(entity) for entity in sorted(named)]
        self.dropped: list[Refusal] = []

    def add(self, item: Party, shown: Shown) -> None:
        """Take in a party that the model named, with those of its names that stand in the talk."""
        said = next((alias for alias in item.aliases if not self.refusal(alias)), None)
        rule = self.refusal(item.name)
        if rule == _UNSAID and said is not None:
            # The model spelled a name out; it goes by one that was said.
            self._spelled[normal(item.name)] = said
            item, rule = item.model_copy(update={"name": said}), ""
        if rule:
            self.dropped.append(Refusal(rule, item.name))
            return
        entity = shown.entities.get(item.known)
        if item.known and entity is None:
            self.dropped.append(Refusal(f"{item.known} was never shown", item.name))
        if entity is not None and not self._linked(item.name, entity):
            self.dropped.append(Refusal(f"nothing said shows that this is {entity.name}", item.name))
            entity = None
        aliases = []
        for alias in dict.fromkeys(item.aliases):
            rule = self.refusal(alias)
            if not rule and entity is None and (found := self._memory.directory.find(alias)):
                # A known name among the aliases says who it is; two of them say too much.
                rule = (
                    ""
                    if len(found) == 1 and self._linked(item.name, found[0])
                    else "somebody else goes by it"
                )
                entity = found[0] if not rule else None
            if rule:
                self.dropped.append(Refusal(rule, alias))
            else:
                aliases.append(alias)
        self._put(item.name, item.kind or "person", aliases, entity, item.who)

    def speaker(self, name: str) -> None:
        """Take in somebody who speaks in a talk of several."""
        if normal(name) not in self._found:
            self._found[normal(name)] = Named(name, "person", (), None)

    def refusal(self, name: str) -> str:
        """Why a name stands for no third party; empty where it does."""
        try:
            key = alias_key(name)
        except InputError:
            return "no name can be so short or so long"
        if key in self._found or key in self._spelled or key in self._speakers:
            return ""
        if _NOBODY.fullmatch(key) or key in self._two:
            return "it is no third party"
        if self._memory.directory.find(name) or any(stands_in(name, text) for text in self._texts):
            return ""
        # "Mei's mother", where the talk says "my mother".
        owned = any(key.startswith((f"{owner}'s ", f"{owner}的")) for owner in self._two)
        return "" if owned else _UNSAID

    def take(self, name: str) -> str:
        """As `refusal`; a name that stands for a third party is one from now on."""
        rule, key = self.refusal(name), normal(name)
        if not rule and key not in self._found and key not in self._spelled:
            self._put(name, "person", (), None, "")
        return rule

    def shown_as(self, name: str) -> str:
        """The name that a party goes by in the talk."""
        return self._spelled.get(normal(name), name)

    def names_of(self, name: str) -> tuple[str, ...]:
        """All names of a party, known ones too."""
        found = self._found.get(normal(name))
        entities = self._memory.directory.find(name)
        known = [alias for entity in entities for alias in entity.aliases]
        return tuple(dict.fromkeys((name, *(found.aliases if found else ()), *known)))

    def people(self) -> tuple[str, ...]:
        """Names of the persons and pets of the talk, and of those known that it names."""
        return tuple(
            name
            for kind, names in (
                *((each.kind, (each.name, *each.aliases)) for each in self._found.values()),
                *((each.kind, each.aliases) for each in self._mentioned),
            )
            if kind.casefold() in _ALIVE
            for name in names
        )

    def known(self, name: str) -> str | None:
        """The id of the stored entity that a name means; None where it is new or several go by it."""
        found = self._found.get(normal(name))
        if found is not None and found.entity is not None:
            return self._memory.directory.root(found.entity)
        stored = self._memory.directory.find(name)
        return stored[0].id if len(stored) == 1 else None

    def all(self) -> list[tuple[Named, str]]:
        """Each with who it is said to be."""
        return [(named, self._who.get(key, "")) for key, named in self._found.items()]

    def _put(self, name: str, kind: str, aliases: Iterable[str], entity: Entity | None, who: str) -> None:
        key = normal(name)
        before = self._found.get(key)
        merged = tuple(dict.fromkeys((*(before.aliases if before else ()), *aliases)))
        ident = entity.id if entity is not None else before.entity if before else None
        self._found[key] = Named(name, kind if who or before is None else before.kind, merged, ident)
        self._who[key] = who or self._who.get(key, "")

    def _linked(self, name: str, entity: Entity) -> bool:
        """Whether a name is one of the entity's, is part of one, or stands beside one in a message."""
        key, known = normal(name), [normal(alias) for alias in entity.aliases]
        if key in known or any(_part(key, alias) or _part(alias, key) for alias in known):
            return True
        return any(
            stands_in(name, text) and any(stands_in(alias, text) for alias in entity.aliases)
            for text in self._texts
        )


def _part(short: str, long: str) -> bool:
    """Whether one name is part of another: a whole word, or two Han characters."""
    if any(map(is_han, short)):
        return len(short) >= 2 and short in long
    return len(short) >= 3 and short in long.split()
