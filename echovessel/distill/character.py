"""A character card becomes a persona: its blocks, and its lorebook as shared memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from echovessel.distill.cards import Card, Entry, read_card
from echovessel.distill.consent import Kind, consent, record
from echovessel.distill.writing import write_blocks
from echovessel.errors import FormatError, InputError, WasForgotten
from echovessel.memory.context import Context
from echovessel.memory.core_blocks import MAX_CHARACTERS
from echovessel.memory.entities import Entities
from echovessel.memory.memory import Memory
from echovessel.memory.nodes import Nodes
from echovessel.memory.records import CoreLabel, NewNode, Origin, Scope, Subject
from echovessel.mind.fence import quoted

_SUFFIXES = (".json", ".png")
_USER = "the user"


@dataclass(frozen=True, slots=True)
class Became:
    """What a card brought.

    Attributes
    ----------
    imported : str
        The import's id, by which it can be taken back; empty when the card brought nothing new.
    written, kept : tuple of str
        Blocks that changed, and those left as a person wrote them.
    lore : int
        Entries of the lorebook that were stored.
    left_out : tuple of str
        What was not taken, each with the reason.
    """

    imported: str
    written: tuple[str, ...]
    kept: tuple[str, ...]
    lore: int
    left_out: tuple[str, ...]


def card_in(path: str | os.PathLike[str]) -> Card | None:
    """The card in a file, or None when there is none."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in _SUFFIXES or not path.is_file():
        return None
    try:
        return read_card(path)
    except FormatError:
        return None


def become(
    memory: Memory,
    path: str | os.PathLike[str],
    card: Card,
    *,
    kind: str = Kind.FICTIONAL,
    consent_note: str = "",
) -> Became:
    """Make the memory's persona of a card. All of it is one import and one transaction.

    A card is somebody else's text. What its maker writes as instructions is kept as quoted notes on style, one line
    each, and never becomes part of the program's own instructions.

    Parameters
    ----------
    path : path
        The card's file; its content tells whether it was imported before.

    Raises
    ------
    InputError
        No such kind of persona, or no note where one is needed; nothing is written then.
    """
    given = consent(kind, consent_note)
    path = Path(path).expanduser()
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    shared = memory.within(Scope.shared())
    with shared.context.store.write():
        record(shared.context, given)
        if shared.imports.find(content):
            return Became("", (), (), 0, ())
        persona = shared.personas.get(shared.context.persona)
        if persona.name == persona.id:
            shared.personas.set_name(card.nickname or card.name)
        began = shared.imports.start(path.name, content)
        context = shared.imports.context_of(began.id)
        texts, left_out = _blocks(card)
        written, kept = write_blocks(context, texts, f"from the card {path.name}")
        lore = sum(1 for entry in card.lore if _stored(context, card, entry, left_out))
        shared.imports.finish(began.id)
        if not (written or lore):
            shared.imports.discard(began.id)
        ident = began.id if written or lore else ""
    return Became(ident, tuple(map(str, written)), tuple(map(str, kept)), lore, tuple(left_out))


def _blocks(card: Card) -> tuple[dict[CoreLabel, str], list[str]]:
    left_out: list[str] = []
    lines = {
        CoreLabel.PERSONA: [("description", card.description), ("scenario", card.scenario)],
        CoreLabel.SELF: [("personality", card.personality)],
        CoreLabel.STYLE: list(_style(card)),
    }
    texts = {}
    for label, parts in lines.items():
        filled = [(what, card.filled(text, user=_USER)) for what, text in parts if text]
        text = "\n".join(_fitting(filled, left_out))
        if text:
            texts[label] = text
    return texts, left_out


def _style(card: Card) -> Iterator[tuple[str, str]]:
    """What the maker asked for, and how the character talks; each one quoted line, so that none opens a section."""
    for what, text in (("system prompt", card.system), ("post-history note", card.post_history)):
        if text:
            yield what, f'The card\'s maker wrote ({what}, a note on style): "{quoted(text)}"'
    for number, greeting in enumerate(card.greetings):
        yield "greeting", f'{"Opens a talk" if not number else "Or opens"} with: "{quoted(greeting)}"'
    for example in card.examples.split("<START>"):
        if example.strip():
            yield "example talk", f'Example: "{quoted(example)}"'


def _fitting(parts: Iterable[tuple[str, str]], left_out: list[str]) -> Iterator[str]:
    room = MAX_CHARACTERS
    for what, text in parts:
        if room < 2:
            left_out.append(f"{what}: the block is full")
            continue
        if len(text) > room:
            left_out.append(f"{what}: {len(text) - room + 1} characters over what a block holds")
            text = text[: room - 1].rstrip() + "…"
        room -= len(text) + 1
        yield text


def _stored(context: Context, card: Card, entry: Entry, left_out: list[str]) -> bool:
    """Store an entry as a shared memory of whom or what its keys name; one switched off is left out."""
    name = entry.name or next(iter(entry.keys), "")
    shown = name or entry.content[:30]
    if not entry.enabled:
        left_out.append(f"lore {shown!r}: switched off in the card")
        return False
    directory = Entities(context)
    linked: tuple[str, ...] = ()
    names = list(dict.fromkeys(each for each in (name, *entry.keys) if each))
    for each in names:
        try:
            found = directory.find(each)
            if not linked:
                linked = ((found[0] if len(found) == 1 else directory.add(each, kind="lore")).id,)
            elif not found:
                directory.add_alias(linked[0], each)
        except InputError:
            left_out.append(f"key {each!r} of lore {shown!r}: it would be found everywhere")
    draft = NewNode(
        card.filled(entry.content, user=_USER), subject=Subject.PERSONA, origin=Origin.IMPORT, entities=linked
    )
    try:
        Nodes(context, directory).add(draft)
    except WasForgotten:
        left_out.append(f"lore {shown!r}: it was forgotten here")
        return False
    return True
