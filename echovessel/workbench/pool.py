"""What is ranked: the turns of a talk, its gold memories, or both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from echovessel.clock import zone
from echovessel.errors import FormatError, InputError
from echovessel.text import count_tokens, language_of
from echovessel.workbench.labelled import LabelledMemory, LabelledSet, Question, Talk, Turn


class Over(StrEnum):
    """What a run goes over.

    `messages`: raw turns. `events`: turns and the memories that rest on them, where a turn counts as found
    when it or such a memory is. `memory`: gold memories alone, found by themselves.
    """

    MESSAGES = "messages"
    EVENTS = "events"
    MEMORY = "memory"

    @property
    def level(self) -> Literal["turn", "memory"]:
        """What a piece of evidence is."""
        return "memory" if self is Over.MEMORY else "turn"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that may come back.

    Attributes
    ----------
    holds : tuple of str
        Evidence that is found when this is: a turn itself; the turns a memory rests on; or the memory itself.
    sessions : tuple of str
        Sessions it was said in.
    tokens : int
        What it costs in a prompt.
    """

    id: str
    layer: Literal["message", "node"]
    text: str
    speaker: str
    at: datetime
    holds: tuple[str, ...]
    sessions: tuple[str, ...]
    tokens: int

    def row(self, zone_name: str) -> str:
        """The text that the baselines index: date, speaker, text."""
        local = self.at.astimezone(zone(zone_name))
        if language_of(self.text) == "zh":
            day = f"{local.year}年{local.month}月{local.day}日"
        else:
            day = f"{local.day} {local:%B %Y}"
        return f"{day} {self.speaker}: {self.text}" if self.speaker else f"{day} {self.text}"


def pool(talk: Talk, over: Over) -> tuple[Item, ...]:
    """Everything that may come back for a question about a talk, in the order it was said.

    Raises
    ------
    InputError
        The set has no gold memories to go over.
    """
    if over is not Over.MESSAGES and not talk.memories:
        raise InputError(f"{talk.id} has no gold memories to go over. Use --over messages.")
    items = [] if over is Over.MEMORY else [_of_turn(turn, talk) for turn in talk.turns()]
    if over is not Over.MESSAGES:
        items += [_of_memory(memory, talk, over) for memory in talk.memories]
    repeated = [name for name, count in Counter(item.id for item in items).items() if count > 1]
    if repeated:
        raise FormatError(f"{talk.id} uses the id {repeated[0]} twice. Give every turn and memory its own.")
    return tuple(items)


def evidence_of(question: Question, over: Over) -> tuple[str, ...]:
    """What has to be found: turns, or gold memories."""
    return question.memories if over is Over.MEMORY else question.evidence


def _of_turn(turn: Turn, talk: Talk) -> Item:
    sessions = (talk.session_of[turn.id],)
    return Item(
        turn.id, "message", turn.said, turn.speaker, turn.at, (turn.id,), sessions, count_tokens(turn.said)
    )


def _of_memory(memory: LabelledMemory, talk: Talk, over: Over) -> Item:
    turns = tuple(turn for turn, _ in memory.sources)
    holds = (memory.id,) if over is Over.MEMORY else turns
    # The persona's own life was known before the talk began.
    at = max((talk.turn[turn].at for turn in turns), default=min(turn.at for turn in talk.turns()))
    sessions = tuple(dict.fromkeys(talk.session_of[turn] for turn in turns))
    text = memory.node.text
    return Item(memory.id, "node", text, "", at, holds, sessions, count_tokens(text))


def overs_named(names: Sequence[str] | None, labelled: LabelledSet) -> tuple[Over, ...]:
    """Pools by name; for our own set, raw messages and gold memory when none is named.

    Raises
    ------
    InputError
        No such pool, or the set has no gold memory to go over, or no question that names any.
    """
    if not names:
        return (Over.MESSAGES, Over.MEMORY) if labelled.name == "own" else (Over.MESSAGES,)
    unknown = [name for name in names if name not in set(Over)]
    if unknown:
        raise InputError(f"there is no pool {unknown[0]!r}. Use --over {', '.join(Over)}.")
    overs = tuple(dict.fromkeys(Over(name) for name in names))
    if Over.MEMORY in overs and not any(q.memories for talk in labelled.talks for q in talk.questions):
        raise InputError(f"the questions of {labelled.name} name turns, not memories. Use --over events.")
    return overs
