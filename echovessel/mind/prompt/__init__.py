"""The prompt of a reply: sections in a fixed order, within a budget, with a ledger."""

from echovessel.mind.prompt.assemble import BUDGET, Prompt, Row, assemble, recent_talk, surely_told
from echovessel.mind.prompt.sections import Cut, Entry, Section

__all__ = ["BUDGET", "Cut", "Entry", "Prompt", "Row", "Section", "assemble", "recent_talk", "surely_told"]
