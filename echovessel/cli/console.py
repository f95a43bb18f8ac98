"""How commands print."""

from __future__ import annotations

from rich.console import Console

# A pipe or a file has no width of its own; tables of numbers shouldn't be folded for it.
PIPE_WIDTH = 200


def out() -> Console:
    """Where results go."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def err() -> Console:
    """Where progress goes."""
    return Console(stderr=True, highlight=False)
