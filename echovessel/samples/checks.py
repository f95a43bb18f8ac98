"""What must hold between the labels of a conversation, beyond the types of its fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from echovessel.errors import InputError
from echovessel.memory.aliases import alias_key
from echovessel.samples.conversation import Conversation, GoldMemory, Turn
from echovessel.samples.query_checks import check_queries, matcher_of, mentions

MIN_SESSIONS = 4
MIN_DAYS = 21
BREAK_SECONDS = 30 * 60
MAX_CARD = 5000
# A lost character, control characters, space at an end or twice in a row: left over from writing by machine.
_LEFTOVER = re.compile("\ufffd|[\x00-\x09\x0b-\x1f]|  |^[ \n]|[ \n]$")


def faults(talk: Conversation) -> list[str]:
    """Every fault of a conversation's labels, one sentence each; empty when all holds."""
    return [fault for check in CHECKS for fault in check(talk)]


def check_ids(talk: Conversation) -> Iterator[str]:
    """Every id is used once in its list."""
    groups = {
        "speaker": [s.id for s in talk.speakers],
        "session": [s.id for s in talk.sessions],
        "turn": [t.id for s in talk.sessions for t in s.turns],
        "entity": [e.id for e in talk.entities],
        "memory": [m.id for m in talk.memories],
        "query": [q.id for q in talk.queries],
    }
    for noun, ids in groups.items():
        yield from (f"{noun} id {name} is used {n} times" for name, n in Counter(ids).items() if n > 1)


def check_card(talk: Conversation) -> Iterator[str]:
    """The labels of L1 are filled and fit, and the speakers fit the kind of talk."""
    labels = {
        **talk.persona.model_dump(exclude={"name"}),
        "about_user": talk.about_user,
        "relationship": talk.relationship,
    }
    for label, text in labels.items():
        if not text.strip():
            yield f"{label} is empty"
        if len(text) > MAX_CARD:
            yield f"{label} has {len(text)} characters; {MAX_CARD} fit"
    roles = Counter(speaker.role for speaker in talk.speakers)
    humans = roles["user"] + roles["other"]
    if (talk.kind == "group") != (humans > 1):
        yield f"kind is {talk.kind} but {humans} people talk with the persona"
    if roles["persona"] != 1:
        yield f"{roles['persona']} speakers have the role persona; one must"
    if talk.kind == "solo" and roles["user"] != 1:
        yield f"{roles['user']} speakers have the role user; one must in a solo talk"


def check_turns(talk: Conversation) -> Iterator[str]:
    """Turns are in order, by known speakers, at the clock of the talk's zone, and clean."""
    try:
        zone = ZoneInfo(talk.zone)
    except (KeyError, ValueError):
        yield f"zone {talk.zone!r} is not an IANA time zone"
        return
    seen: dict[str, Turn] = {}
    last: Turn | None = None
    for turn in (t for s in talk.sessions for t in s.turns):
        if turn.speaker not in talk.speaker:
            yield f"turn {turn.id} has an unknown speaker {turn.speaker}"
        if turn.reply_to is not None and turn.reply_to not in seen:
            yield f"turn {turn.id} replies to {turn.reply_to}, which does not come before it"
        if _LEFTOVER.search(turn.text):
            yield f"turn {turn.id} holds stray space or a character that can't be shown"
        seen[turn.id] = turn
        if turn.at.tzinfo is None:
            yield f"turn {turn.id} has a time without an offset"
            continue
        if turn.at.utcoffset() != turn.at.astimezone(zone).utcoffset():
            yield f"turn {turn.id} has another offset than {talk.zone} had then"
        if last is not None and turn.at < last.at:
            yield f"turn {turn.id} is earlier than {last.id} before it"
        last = turn


def check_sessions(talk: Conversation) -> Iterator[str]:
    """Sessions stand apart by a break, and the talk runs over weeks."""
    if any(turn.at.tzinfo is None for turn in talk.turns.values()):
        return  # already told, and such times can't be compared
    for before, after in zip(talk.sessions, talk.sessions[1:], strict=False):
        if (after.turns[0].at - before.turns[-1].at).total_seconds() < BREAK_SECONDS:
            yield f"session {after.id} starts less than 30 minutes after {before.id} ends"
    days = {turn.at.date() for turn in talk.turns.values()}
    if len(talk.sessions) < MIN_SESSIONS or (max(days) - min(days)).days < MIN_DAYS:
        yield f"a talk needs at least {MIN_SESSIONS} sessions over at least {MIN_DAYS} days"


def check_entities(talk: Conversation) -> Iterator[str]:
    """Every entity and alias is a name the engine can find, and is used."""
    spoken = "\n".join(turn.text for turn in talk.turns.values())
    asked = "\n".join(query.text for query in talk.queries)
    written = "\n".join(memory.text for memory in talk.memories)
    for entity in talk.entities:
        for name in entity.names:
            try:
                alias_key(name)
            except InputError as error:
                yield f"entity {entity.id}: {error}"
        matcher = matcher_of((name, entity.id) for name in entity.names)
        if not matcher.match(spoken) and not matcher.match(written):
            yield f"entity {entity.id} is named nowhere in the talk"
        for alias in entity.aliases:
            if alias.kind != "typo" and not mentions(spoken, alias.text) and not mentions(asked, alias.text):
                yield f"alias {alias.text!r} of {entity.id} is never used"


def check_memories(talk: Conversation) -> Iterator[str]:
    """Memories rest on words of the talk, link what exists, and have the dates their kind needs."""
    known = {entity.id for entity in talk.entities}
    for memory in talk.memories:
        if not memory.sources and memory.scope != "shared":
            yield f"memory {memory.id} has no source"
        for source in memory.sources:
            turn = talk.turns.get(source.turn)
            if turn is None:
                yield f"memory {memory.id} rests on {source.turn}, which is no turn"
            elif not source.quote or source.quote not in turn.text:
                yield f"memory {memory.id} quotes {source.quote!r}, which is not in turn {turn.id}"
        strangers = [entity for entity in memory.entities if entity not in known]
        yield from (f"memory {memory.id} links {entity}, which is no entity" for entity in strangers)
        spans = ((memory.occurred_from, memory.occurred_to), (memory.valid_from, memory.valid_to))
        if any(begin and end and end < begin for begin, end in spans):
            yield f"memory {memory.id} ends before it begins"
        if memory.kind == "event" and memory.occurred_from is None and memory.valid_from is None:
            yield f"event {memory.id} has no date"
        if memory.kind == "intention" and (memory.subject != "persona" or memory.status is None):
            yield f"intention {memory.id} must be the persona's and have a status"
        if memory.kind == "expectation" and memory.status is None:
            yield f"expectation {memory.id} has no status"
        yield from _check_supersession(talk, memory)


def _check_supersession(talk: Conversation, memory: GoldMemory) -> Iterator[str]:
    if memory.superseded_by is None:
        return
    if memory.valid_to is None:
        yield f"memory {memory.id} is superseded but has no valid_to"
    newer = talk.memory.get(memory.superseded_by)
    if newer is None:
        yield f"memory {memory.id} is superseded by {memory.superseded_by}, which is no memory"
    elif not memory.attribute or (newer.subject, newer.attribute) != (memory.subject, memory.attribute):
        yield f"memory {memory.id} is superseded by {newer.id} on another subject or attribute"
    elif memory.sources and newer.sources:
        order = list(talk.turns)
        said = [m.sources[0].turn for m in (memory, newer)]
        if set(said) <= set(order) and order.index(said[1]) < order.index(said[0]):
            yield f"memory {memory.id} is superseded by {newer.id}, which was said earlier"


CHECKS = (
    check_ids,
    check_card,
    check_turns,
    check_sessions,
    check_entities,
    check_memories,
    check_queries,
)
