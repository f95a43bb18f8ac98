"""What must hold of a question: its evidence, and the rule of its type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from echovessel.errors import InputError
from echovessel.memory.aliases import AliasMatcher, alias_key, normal
from echovessel.samples.conversation import UNANSWERABLE, Conversation, GoldMemory, Query
from echovessel.text import is_han, language_of

STRONG = 7
WEAK = 3


def matcher_of(pairs: Iterable[tuple[str, str]]) -> AliasMatcher:
    """The engine's matcher over (name, entity id) pairs, without the names it would refuse."""
    return AliasMatcher((key, entity) for name, entity in pairs if (key := _key(name)) is not None)


def _key(name: str) -> str | None:
    try:
        return alias_key(name)
    except InputError:
        return None


@lru_cache(maxsize=4096)
def _matcher(name: str) -> AliasMatcher:
    return matcher_of([(name, name)])


def mentions(text: str, name: str) -> bool:
    """Whether the engine would find `name` in `text`: case, width and traditional characters folded."""
    return bool(_matcher(name).match(text))


def check_queries(talk: Conversation) -> Iterator[str]:
    """Every question holds by itself, and none is asked twice."""
    for query in talk.queries:
        yield from (f"query {query.id}: {fault}" for fault in _faults_of(talk, query))
    texts = Counter(normal(query.text) for query in talk.queries)
    yield from (
        f"query {query.id}: the same text is asked twice"
        for query in talk.queries
        if texts[normal(query.text)] > 1
    )


def _faults_of(talk: Conversation, query: Query) -> Iterator[str]:
    turns, memories = query.evidence.turns, query.evidence.memories
    yield from (f"evidence {t} is no turn" for t in turns if t not in talk.turns)
    yield from (
        f"evidence {name} is listed twice" for name, n in Counter([*turns, *memories]).items() if n > 1
    )
    named = [*memories, *query.stale, *([query.decoy] if query.decoy else [])]
    missing = [name for name in named if name not in talk.memory]
    yield from (f"{name} is no memory" for name in missing)
    if missing:
        return
    if language_of(query.text) != query.language:
        yield f"is labelled {query.language} but reads as {language_of(query.text)}"
    yield from _faults_of_fields(query)
    if query.type in UNANSWERABLE:
        yield from _faults_of_unanswerable(talk, query)
        return
    if not memories or not (turns or all(talk.memory[m].scope == "shared" for m in memories)):
        yield "is answerable but names no evidence turn or memory"
    if not query.answer:
        yield "is answerable but has no answer"
    for name in memories:
        sources = {source.turn for source in talk.memory[name].sources}
        if sources and not sources & set(turns):
            yield f"evidence memory {name} rests on none of its evidence turns"
    yield from _faults_of_type(talk, query)


def _faults_of_fields(query: Query) -> Iterator[str]:
    """Fields that belong to one type stand in no other."""
    if query.alias is not None and query.type not in ("alias", "alias_cross"):
        yield f"is {query.type} but names an alias"
    if query.stale and query.type != "updated":
        yield f"is {query.type} but names stale memories"
    if query.decoy is not None and query.type != "decoy":
        yield f"is {query.type} but names a decoy"


def _faults_of_unanswerable(talk: Conversation, query: Query) -> Iterator[str]:
    if query.evidence.turns or query.evidence.memories or query.answer:
        yield f"is {query.type} but has an answer or evidence"
    if query.type == "off_topic":
        names = [name for entity in talk.entities for name in entity.names if mentions(query.text, name)]
        yield from (f"is off_topic but names {name!r}" for name in names)


def _faults_of_type(talk: Conversation, query: Query) -> Iterator[str]:
    evidence = [talk.memory[name] for name in query.evidence.memories]
    if query.type == "multi" and len(evidence) < 2:
        yield "is multi but rests on fewer than 2 memories"
    if query.type == "cross_language" and any(language_of(m.text) == query.language for m in evidence):
        yield "is cross_language but a memory of its evidence is in the same language"
    if query.type in ("alias", "alias_cross"):
        yield from _faults_of_alias(talk, query, evidence)
    if query.type == "updated":
        yield from _faults_of_updated(talk, query)
    if query.type == "decoy":
        yield from _faults_of_decoy(talk, query, evidence)
    if query.type != "temporal" and any(m.superseded_by for m in evidence):
        yield "rests on a superseded memory, which only a temporal question may"


def _faults_of_updated(talk: Conversation, query: Query) -> Iterator[str]:
    if not query.stale:
        yield "is updated but names no stale memory"
    for name in query.stale:
        newest, passed = talk.memory[name], {name}
        if newest.superseded_by is None:
            yield f"stale memory {name} is not superseded"
            continue
        while newest.superseded_by in talk.memory and newest.superseded_by not in passed:
            newest = talk.memory[newest.superseded_by]
            passed.add(newest.id)
        if newest.id not in query.evidence.memories:
            yield f"stale memory {name} gave way to {newest.id}, which is not its evidence"


def _faults_of_decoy(talk: Conversation, query: Query, evidence: list[GoldMemory]) -> Iterator[str]:
    if query.decoy is None:
        yield "is decoy but names none"
    elif abs(talk.memory[query.decoy].impact) < STRONG or query.decoy in query.evidence.memories:
        yield f"decoy {query.decoy} must be a strong memory (|impact| >= {STRONG}) outside the evidence"
    too_strong = [m.id for m in evidence if abs(m.impact) > WEAK]
    yield from (f"evidence {name} is too strong for a decoy question" for name in too_strong)


def _faults_of_alias(talk: Conversation, query: Query, evidence: list[GoldMemory]) -> Iterator[str]:
    if query.alias is None:
        yield "names no alias"
        return
    key = normal(query.alias)
    owners = [entity for entity in talk.entities if key in map(normal, entity.names)]
    if not owners:
        yield f"alias {query.alias!r} belongs to no entity"
        return
    # With every name of the talk in play: a longer one may cover the alias.
    known = matcher_of((name, entity.id) for entity in talk.entities for name in entity.names)
    if not any(mention.alias == key for mention in known.match(query.text)):
        yield f"does not name the alias {query.alias!r} in its text"
    for memory in evidence:
        if not {entity.id for entity in owners} & set(memory.entities):
            yield f"evidence {memory.id} is not linked to the owner of {query.alias!r}"
        if mentions(memory.text, query.alias):
            yield f"evidence {memory.id} holds the alias itself, so nothing is asked of the alias table"
    han = any(map(is_han, query.alias))
    if query.type == "alias" and han != (query.language == "zh"):
        yield "is alias but the alias is in another script than the question"
    if query.type == "alias_cross":
        names = [name for entity in owners for name in entity.names]
        used = [name for name in names if any(mentions(m.text, name) for m in evidence)]
        if used and all(any(map(is_han, name)) == han for name in used):
            yield "is alias_cross but the memory uses a name in the same script"
