"""A persona from an archive, without a model: history, blocks, facts and people, each with what bears it out."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from echovessel.distill.archive import Line, Options, Reader, Report
from echovessel.distill.blocks import blocks
from echovessel.distill.claims import Claim, Quote, of_exchanges, of_facts, of_style, wording
from echovessel.distill.consent import consent, record
from echovessel.distill.exemplars import exchanges, exemplars
from echovessel.distill.facts import ONE_AT_A_TIME, Fact, facts
from echovessel.distill.history import Mapping, Stored, conversation_of, digest, identified, store
from echovessel.distill.pseudonyms import Pseudonyms
from echovessel.distill.source import Source
from echovessel.distill.style import StyleProfile, profile
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import CoreBlocks
from echovessel.memory.entities import Entities
from echovessel.memory.imports import Import
from echovessel.memory.memory import Memory
from echovessel.memory.nodes import Nodes
from echovessel.memory.personas import Personas
from echovessel.memory.records import Actor, CoreLabel, NewNode, Node, NodeKind, Origin, Sender, Subject
from echovessel.memory.records import Source as Rests
from echovessel.text import fold

RECENT = 100_000  # lines a voice is measured on; of a longer archive, the last ones
FREQUENT = 10  # lines from which a third party is somebody to know
_NOTE = "distilled from {source}"


@dataclass(frozen=True, slots=True)
class Draft:
    """What an archive says of its speaker, before anything of it is written.

    Attributes
    ----------
    claims : tuple of Claim
    facts : tuple of Fact
        In the archive's order.
    voice : StyleProfile
    others : dict
        Lines by third party.
    """

    claims: tuple[Claim, ...]
    facts: tuple[Fact, ...]
    voice: StyleProfile
    others: dict[str, int]


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a run did.

    Attributes
    ----------
    stored : Stored
        Of the history.
    draft : Draft
        With each claim accepted or not.
    written : tuple of CoreLabel
        Blocks that changed.
    kept : tuple of CoreLabel
        Blocks that a person wrote, and that were left as they are.
    facts, entities : int
        How many were added.
    hidden : dict
        How often each kind of thing was hidden.
    """

    stored: Stored
    draft: Draft
    written: tuple[CoreLabel, ...]
    kept: tuple[CoreLabel, ...]
    facts: int
    entities: int
    hidden: dict[str, int]


def draft(
    lines: Iterable[Line],
    mapping: Mapping,
    *,
    name: str = "",
    zone: str = "UTC",
    most: int = 8,
    seed: int = 0,
) -> Draft:
    """What lines say of the speaker who becomes the persona; writes nothing.

    Parameters
    ----------
    lines : iterable of Line
        In their order; only those of the mapping's period count.
    name : str
        What the persona is called; the speaker's name in the archive when left out.
    zone : str
        Where the hours of the day are counted.
    most : int
        At most so many exchanges to show the voice by.
    seed : int
        Of their choice.

    Raises
    ------
    MissingExtra
        scikit-learn is not installed.
    """
    recent: deque[Line] = deque(maxlen=RECENT)
    found: list[Fact] = []
    others = Counter[str]()
    first: Line | None = None
    for line in lines:
        if not mapping.takes(line):
            continue
        recent.append(line)
        sender = mapping.sender(line)
        if sender is Sender.PERSONA:
            first = first or (line if line.text.strip() else None)
            found += facts([line])
        elif sender is Sender.OTHER and line.speaker:
            others[line.speaker] += 1
    mine = [line for line in recent if mapping.sender(line) is Sender.PERSONA]
    rest = [line for line in recent if mapping.sender(line) is not Sender.PERSONA]
    voice = profile(mine, rest, zone=zone)
    language = voice.language
    claims = of_facts(found, language=language)
    if first is not None and not any(claim.kind == "name" for claim in claims):
        # The archive itself names who said it.
        text = wording(language)["name"].format(value=name or first.speaker)
        claims.insert(0, Claim(CoreLabel.PERSONA, "name", text, (Quote(first.text, first),)))
    claims += of_style(voice, mine, language=language)
    claims += of_exchanges(
        exemplars(exchanges(recent, mapping.persona), most=most, seed=seed), language=language
    )
    return Draft(tuple(claims), tuple(found), voice, dict(others))


def distil(
    memory: Memory,
    source: Source,
    reader: Reader,
    mapping: Mapping,
    *,
    kind: str,
    consent_note: str = "",
    options: Options | None = None,
    review: Callable[[Claim], bool] = lambda claim: True,
    hide: Pseudonyms | None = None,
    progress: Callable[[int], None] | None = None,
    seed: int = 0,
) -> Distilled:
    """Make a persona of an archive's speaker, in the scope that `memory` is in.

    History, facts and third parties go to that scope; the blocks `persona`, `self` and `style` are the persona's
    own, and shared. All of it belongs to one import, so that undoing that import takes it back whole. Again with the
    same archive it adds nothing; a longer one adds what is new; a run that was killed goes on. What was forgotten
    doesn't come back, and nothing is said that rests on it.

    Parameters
    ----------
    kind : str
        ``fictional``, ``original``, ``self``, ``consented``, ``memorial`` or ``research``.
    consent_note : str
        Who agreed, and how; needed for ``consented``.
    options : Options, optional
        What the file doesn't say.
    review : callable, optional
        Whether a claim is accepted; all are when left out.
    hide : Pseudonyms, optional
        Whom to hide, before anything is stored.
    progress : callable, optional
        Called with the number of lines stored so far, about every thousand.

    Raises
    ------
    InputError
        No such kind, or no note where one is needed; nothing is written then.
    MissingExtra
        scikit-learn is not installed.
    """
    given = consent(kind, consent_note)
    options = options or Options()
    change = _as_it_is if hide is None else hide.hide
    record(memory.context, given)
    stored = store(memory, source, reader, mapping, options=options, progress=progress, change=change)
    hidden = {} if hide is None else dict(hide.report)  # before the lines are read again
    lines = map(change, filter(mapping.takes, reader.read(source, options, Report())))
    ids: dict[Line, str] = {}
    found = draft(
        _live(memory.context, reader.name, lines, mapping, ids), mapping, zone=options.zone, seed=seed
    )
    found = replace(found, claims=tuple(replace(claim, accepted=review(claim)) for claim in found.claims))
    under, ours = _import(memory, source, stored)
    context = memory.imports.context_of(under.id)
    texts = blocks(found.claims, language=found.voice.language)
    written, kept = write_blocks(context, texts, _NOTE.format(source=source.name))
    added = _write_facts(context, found, ids)
    people = _write_people(context, found)
    if ours:
        memory.imports.finish(under.id)
        if not (written or added or people):
            memory.imports.discard(under.id)
    return Distilled(stored, found, written, kept, added, people, hidden)


def _as_it_is(line: Line) -> Line:
    return line


def _live(
    context: Context, channel: str, lines: Iterable[Line], mapping: Mapping, ids: dict[Line, str]
) -> Iterator[Line]:
    """The lines that stand in memory word for word, with the ids of the persona's messages noted."""
    numbered = identified(lines)
    while batch := list(islice(numbered, 1_000)):
        wanted = sorted({external for external, _ in batch})
        rows = context.store.rows(
            "SELECT conversation, external_id, id, text FROM messages WHERE persona = ? AND scope = ?"
            " AND channel = ? AND deleted_at IS NULL AND external_id IN (SELECT value FROM json_each(?))",
            (context.persona, context.scope.key, channel, json.dumps(wanted)),
        )
        known = {(talk, external): (ident, text) for talk, external, ident, text in rows}
        for external, line in batch:
            ident, text = known.get((conversation_of(line), external), ("", ""))
            if ident and text == line.text:
                if mapping.sender(line) is Sender.PERSONA:
                    ids[line] = ident
                yield line


def _import(memory: Memory, source: Source, stored: Stored) -> tuple[Import, bool]:
    """The import that the history came by, or a new one when all of it came by others."""
    content = digest(source)
    known = {found.id: found for found in memory.imports.list()}
    if stored.imported.id in known:
        return known[stored.imported.id], False
    if earlier := memory.imports.find(content):
        return earlier[-1], False
    return memory.imports.start(source.name, content), True


def write_blocks(
    context: Context, texts: dict[CoreLabel, str], note: str
) -> tuple[tuple[CoreLabel, ...], tuple[CoreLabel, ...]]:
    """Write core blocks, except those that a person wrote; gives which were written, and which kept."""
    core = CoreBlocks(context)
    written, kept = [], []
    for label, text in texts.items():
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


def _write_facts(context: Context, found: Draft, ids: dict[Line, str]) -> int:
    """Facts of accepted claims as events, each resting on its message; one said again counts as a mention.

    Of what holds one value at a time, a later one takes the place of the one before. A message that a fact of this
    attribute rests on already is passed over.
    """
    nodes = Nodes(context, Entities(context))
    said, name = wording(found.voice.language)["said"], Personas(context).get(context.persona).name
    refused = {
        (claim.kind, quote.line) for claim in found.claims if not claim.accepted for quote in claim.quotes
    }
    added = 0
    for fact in found.facts:
        message = ids.get(fact.line)
        if message is None or (fact.attribute, fact.line) in refused:
            continue
        if any(node.attribute == fact.attribute for node in nodes.derived_from(message)):
            continue
        rests = Rests(message=message, quote=fact.quote)
        with context.store.write():
            held = [
                node
                for node in nodes.list(
                    subject=Subject.PERSONA, attribute=fact.attribute, origin=Origin.IMPORT
                )
                if node.scope == context.scope
            ]
            same = next((node for node in held if fold(fact.value) in _values(node)), None)
            if same is not None:
                nodes.mention(same.id, rests)
                continue
            older = [
                node.id
                for node in held
                if fact.attribute in ONE_AT_A_TIME
                and fact.line.sent_at is not None
                and node.known_at <= fact.line.sent_at
            ]
            nodes.add(
                NewNode(
                    said.format(name=name, quote=fact.quote),
                    kind=NodeKind.EVENT,
                    subject=Subject.PERSONA,
                    attribute=fact.attribute,
                    origin=Origin.IMPORT,
                    sources=(rests,),
                    supersedes=tuple(older),
                )
            )
            added += 1
    return added


def _values(node: Node) -> set[str]:
    """What a stored fact says, read again from its quotes."""
    quoted = (Line(source.quote, "") for source in node.sources)
    return {fold(fact.value) for fact in facts(quoted) if fact.attribute == node.attribute}


def _write_people(context: Context, found: Draft) -> int:
    """Third parties who say much become entities of the talk's scope."""
    directory, added = Entities(context), 0
    for name, lines in found.others.items():
        if lines >= FREQUENT and not directory.find(name):
            with suppress(InputError):  # a name that would be found everywhere, such as "." or an emoji
                directory.add(name)
                added += 1
    return added
