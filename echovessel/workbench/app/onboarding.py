"""A persona written by hand: what was typed, the prompt that it makes, and its vessel."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from echovessel.clock import SystemClock
from echovessel.embedding import Embedder
from echovessel.errors import InputError
from echovessel.memory.memory import Memory
from echovessel.memory.records import Actor, CoreLabel, NewMessage, Scope
from echovessel.mind.prompt import Prompt, assemble
from echovessel.runtime import config
from echovessel.runtime.home import FILE, make_home
from echovessel.runtime.vessel import Vessel
from echovessel.workbench.app.samples import opened_sample, opened_vessel, personas_in
from echovessel.workbench.app.shelf import Opened, Shelf

LONGEST_ID = 40
LONGEST_NAME = 80


@dataclass(frozen=True)
class Draft:
    """A persona as it is typed; each text but the name may be empty."""

    name: str
    user: str = ""
    persona: str = ""
    self_: str = ""
    style: str = ""
    about_user: str = ""
    relationship: str = ""

    @property
    def blocks(self) -> dict[CoreLabel, str]:
        """What goes into the core blocks."""
        texts = {
            CoreLabel.PERSONA: self.persona,
            CoreLabel.SELF: self.self_,
            CoreLabel.STYLE: self.style,
            CoreLabel.USER: self.about_user,
            CoreLabel.RELATIONSHIP: self.relationship,
        }
        return {label: text.strip() for label, text in texts.items() if text.strip()}

    @property
    def id(self) -> str:
        """The name as a key."""
        return id_of(self.name)


def id_of(name: str) -> str:
    """A name as a key: letters and digits, joined by hyphens."""
    found = re.sub(r"[^\w]+|_+", "-", name.casefold()).strip("-")
    return found[:LONGEST_ID].strip("-") or "persona"


def preview(draft: Draft, embedder: Embedder, greeting: str) -> Prompt:
    """The prompt of the first reply, from a memory that is thrown away.

    Raises
    ------
    InputError
        A text is too long.
    """
    scope = Scope.user("owner")
    with Memory.open(
        ":memory:", persona="draft", scope=scope, embedder=embedder.identity, clock=SystemClock()
    ) as memory:
        _write(memory, draft)
        heard = memory.log.add(NewMessage(greeting))
        return assemble(memory, None, [heard], now=memory.context.clock.now())


def write(draft: Draft, shelf: Shelf) -> Opened:
    """Make the persona: in the page's folder, or in a temporary one where the page has none.

    Raises
    ------
    InputError
        It has no name, or a text is too long; nothing was made.
    """
    if not draft.name.strip():
        raise InputError("The persona has no name yet. Give it one.")
    embedder = shelf.embedder()
    preview(draft, embedder, "?")  # what can't be written is told before anything is made
    if shelf.home is None:
        folder = TemporaryDirectory(prefix="echovessel-new-", ignore_cleanup_errors=True)
        vessel = Vessel.open(folder.name, persona=draft.id, embedder=embedder)
        opened = replace(opened_vessel(vessel, home=Path(folder.name)), folder=folder)
    else:
        vessel = opened_in(shelf.home, _new(shelf.home, draft.id), embedder)
        opened = opened_vessel(vessel, home=shelf.home)
    _write(vessel.memory, draft)
    opened.name = draft.name.strip()[:LONGEST_NAME]
    return opened


def sample(name: str, shelf: Shelf) -> Opened:
    """A sample persona, in a folder that goes when the page closes."""
    folder = TemporaryDirectory(prefix="echovessel-sample-", ignore_cleanup_errors=True)
    return replace(opened_sample(name, Path(folder.name), embedder=shelf.embedder()), folder=folder)


def opened_in(home: Path, persona: str, embedder: Embedder) -> Vessel:
    """A persona in a folder, made where it isn't there; the first one becomes the one opened when none is named."""
    if not (home / FILE).exists() and not (home / config.FILE).exists():
        make_home(home)
        config.save(home, {"persona": persona})
    return Vessel.open(home, persona=persona, embedder=embedder)


def _new(home: Path, persona: str) -> str:
    """A key that no persona of the folder has yet."""
    known = personas_in(home)
    taken, number = persona, 2
    while taken in known:
        taken, number = f"{persona}-{number}", number + 1
    return taken


def _write(memory: Memory, draft: Draft) -> None:
    memory.personas.set_name(draft.name.strip()[:LONGEST_NAME])
    if draft.user.strip():
        memory.personas.set_name(draft.user.strip()[:LONGEST_NAME], scope=memory.context.scope)
    for label, text in draft.blocks.items():
        memory.core.set(label, text, actor=Actor.MANUAL)
