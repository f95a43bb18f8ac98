"""`echovessel chat`: a talk in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from echovessel.cli.console import err, out
from echovessel.cli.options import DEFAULT_HOME, Home, Persona, User

if TYPE_CHECKING:
    from rich.console import Console

    from echovessel.runtime.vessel import Vessel

QUIT = ("/quit", "/exit", "/q")


def chat(persona: Persona = None, user: User = None, home: Home = DEFAULT_HOME) -> None:
    """Talk with the persona. /quit ends the talk, and what was said becomes memories.

    Lines of a pipe are answered one by one. Ctrl+C stops a reply; what was said so far is kept.
    """
    from echovessel.runtime.home import memory_file
    from echovessel.runtime.vessel import Vessel

    logging.getLogger("echovessel").addHandler(logging.NullHandler())  # what failed is told in the talk
    file = memory_file(home)
    # Each turn is run by itself, in one event loop, so that Ctrl+C at the prompt ends nothing halfway.
    with (
        Vessel.open(file, persona=persona, user=user, create=persona is None) as vessel,
        asyncio.Runner() as runner,
    ):
        _welcome(vessel)
        warned = 0
        for line in _lines():
            try:
                runner.run(_turn(vessel, line))
            except KeyboardInterrupt:
                _told(out(), "\n(stopped; what was said is kept)")
            warned = _spending(vessel, warned)
        _end(vessel, runner)


def _lines() -> Iterator[str]:
    """What is typed or piped in, until the end or /quit."""
    asked = sys.stdin.isatty()
    if asked:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - arrow keys and a history, where the system has it
    while True:
        try:
            line = input("> ") if asked else next(sys.stdin)
        except (EOFError, StopIteration, KeyboardInterrupt):
            return
        if line.strip() in QUIT:
            return
        if line.strip():
            yield line.strip()


async def _turn(vessel: Vessel, line: str) -> None:
    """One turn, as it comes."""
    from echovessel.runtime.turns import StepKind

    console, begun = out(), False
    async for step in vessel.turns.say(line):
        if step.kind is StepKind.PIECE:
            if not begun and console.is_terminal:
                console.print(f"{_name(vessel)}: ", style="bold", end="", markup=False)
            begun = True
            console.print(step.text, end="", markup=False, emoji=False, soft_wrap=True)
            console.file.flush()
        elif step.kind is StepKind.FAILED:
            _told(err(), ("\n" if begun else "") + step.text)
            begun = False
    if begun:
        console.print()


def _end(vessel: Vessel, runner: asyncio.Runner) -> None:
    """Close the talk; what was said becomes memories, or waits."""
    told = err().status("Making memories of the talk ... (Ctrl+C leaves that for later)")
    try:
        with told if vessel.model is not None else contextlib.nullcontext():
            became = runner.run(vessel.turns.close_session())
    except KeyboardInterrupt:
        _told(err(), "Left for later.")
        return
    for why in {one.why for one in became if one.why and vessel.model is not None}:
        _told(err(), f"{why} The talk is kept, and is made into memories later.")


def _welcome(vessel: Vessel) -> None:
    """Who is there, and who speaks for them."""
    if not sys.stdin.isatty():
        return
    model = vessel.config.model.main or vessel.config.model.fast
    voice = (
        f"{model} speaks"
        if model
        else "no language model is set, so memory alone speaks; set `main` under [model] in config.toml"
    )
    _told(out(), f"{_name(vessel)} is an AI persona; {voice}. /quit ends the talk.")


def _spending(vessel: Vessel, told: int) -> int:
    """Say once that a limit is near, and once that it is reached; gives how much was said so far."""
    from echovessel.runtime.costs import spent

    stage, said = told, ""
    for period in spent(vessel.memory, vessel.config.spending):
        now = 2 if period.reached else 1 if period.near else 0
        if now > stage and period.limit is not None:
            stage, said = now, f"Spent: {period}."
    if said:
        _told(err(), said)
    return stage


def _name(vessel: Vessel) -> str:
    context = vessel.memory.context
    return vessel.memory.personas.get(context.persona).name


def _told(console: Console, text: str) -> None:
    console.print(text, style="dim", markup=False, emoji=False, soft_wrap=True)
