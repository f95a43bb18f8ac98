"""The memories that the page can open: samples, vessels, and talks loaded to look at."""

from __future__ import annotations

from pathlib import Path

from echovessel.embedding import Embedder
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
    )
