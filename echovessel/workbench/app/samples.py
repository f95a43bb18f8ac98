"""The memories that the page can open: samples, vessels, and talks loaded to look at."""

from __future__ import annotations

from pathlib import Path

from echovessel.embedding import Embedder
from echovessel.memory.personas import Personas
from echovessel.runtime.home import FILE
from echovessel.runtime.upkeep import whole_file
from echovessel.runtime.vessel import Vessel
from echovessel.samples.load import SAMPLES, sample_named
from echovessel.workbench.app.shelf import Opened

# One question of each of these types of the labelled set shows what recall can do, and where it is silent.
SHOWN_TYPES = ("alias", "updated", "cross_language", "temporal", "decoy", "off_topic")


def opened_vessel(vessel: Vessel, *, home: Path | None = None) -> Opened:
    """A vessel of somebody's own, to be shown on the page."""
    context = vessel.memory.context
    name = vessel.memory.personas.get(context.persona).name or context.persona
    where = "" if home is None else f"{str(home)!r}, "
    code = f"Vessel.open({where}persona={context.persona!r}, user={context.scope.name!r})"
    return Opened(name, vessel, code)


def personas_in(home: Path) -> list[str]:
    """Ids of the personas in a folder or memory file; none where there is no memory yet."""
    if not home.is_file() and not (home / FILE).exists():
        return []
    with whole_file(home) as context:
        return [persona.id for persona in Personas(context).list()]


def opened_home(home: Path) -> list[Opened]:
    """Every persona of a folder or memory file, as its configured user talks with it."""
    opened: list[Opened] = []
    for persona in personas_in(home):
        shared = opened[0].vessel.embedder if opened else None
        opened.append(
            opened_vessel(Vessel.open(home, persona=persona, embedder=shared, create=False), home=home)
        )
    return opened


def opened_samples(home: Path, *, embedder: Embedder | str | None = None) -> list[Opened]:
    """Both sample personas, each in a folder of its own below `home`."""
    return [opened_sample(name, home / name, embedder=embedder) for name in SAMPLES]


def opened_sample(name: str, home: Path, *, embedder: Embedder | str | None = None) -> Opened:
    """One sample persona, with questions to begin with."""
    talk = sample_named(name)
    first = {query.type: query.text for query in reversed(talk.queries)}
    return Opened(
        talk.persona.name,
        Vessel.sample(name, home=home, embedder=embedder),
        f"Vessel.sample({name!r})",
        tuple(first[kind] for kind in SHOWN_TYPES if kind in first),
        brought="sample",
    )
