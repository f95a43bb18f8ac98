"""How people and days are told in every prompt: by name, and against the reader's today."""

from __future__ import annotations

from datetime import date, datetime

from echovessel.clock import day_of
from echovessel.memory.memory import Memory
from echovessel.memory.records import Node
from echovessel.mind.fence import quoted
from echovessel.text import Language
from echovessel.timewords import day_in_words, days_in_words


def names(memory: Memory) -> tuple[str, str]:
    """What the persona and who it talks with are called, fit for a prompt; the second is empty in the shared scope."""
    persona = memory.personas.get(memory.context.persona)
    audience = memory.personas.audience(memory.context.scope)
    return (
        quoted(persona.name or persona.id, limit=80),
        quoted(audience.name or audience.scope.name, limit=80),
    )


def when(moment: datetime, today: date, zone: str, language: Language) -> str:
    """A moment as a day in words."""
    return day_in_words(day_of(moment, zone), today, language)


def when_it_was(node: Node, today: date, zone: str, language: Language) -> str:
    """The days on which a memory happened, in words; the day on which it was told where it names none."""
    days = days_in_words(node.occurred_from, node.occurred_to, today, language)
    return days or when(node.known_at, today, zone, language)
