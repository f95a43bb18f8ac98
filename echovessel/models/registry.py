"""Embedders by name: the four that ship, and those that other packages offer."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from echovessel.embedding import Embedder
from echovessel.errors import ConfigError

GROUP = "echovessel.embedders"
"""Entry points of other packages: each a callable without arguments that returns an `Embedder`."""


def _usem3() -> Embedder:
    from echovessel.models.usem3 import Usem3Embedder

    return Usem3Embedder()


def _e5() -> Embedder:
    from echovessel.models.e5 import E5Embedder

    return E5Embedder()


def _hash() -> Embedder:
    from echovessel.models.hash import HashEmbedder

    return HashEmbedder()


def _st(model: str) -> Embedder:
    from echovessel.models.sentence_transformers import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(model)


BUILT_IN: dict[str, Callable[[], Embedder]] = {"usem3": _usem3, "e5": _e5, "hash": _hash}


def embedder(spec: str) -> Embedder:
    """Load an embedder by name.

    Parameters
    ----------
    spec : str
        ``"usem3"`` (the default of EchoVessel), ``"e5"``, ``"hash"`` (no model, for tests), ``"st:NAME"`` or
        ``"st:/path"`` for a sentence-transformers model, or a name that an installed package offers under
        the entry point group ``echovessel.embedders``.

    Raises
    ------
    ConfigError
        No embedder has this name; the message lists those that exist.
    MissingExtra
        Its package is not installed; the message has the pip line.
    """
    if spec in BUILT_IN:
        return BUILT_IN[spec]()
    family, _, model = spec.partition(":")
    if family == "st":
        if not model.strip():
            raise ConfigError(f"embedder = {spec!r} names no model. Write st:NAME or st:/path/to/folder.")
        return _st(model.strip())
    plugins = _plugins()
    if spec in plugins:
        return _from_plugin(plugins[spec])
    raise ConfigError(_unknown(spec))


def embedder_names() -> list[str]:
    """The names that `embedder` knows, those of other packages last."""
    return [*BUILT_IN, "st:NAME", *sorted(set(_plugins()) - set(BUILT_IN))]


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _from_plugin(point: EntryPoint) -> Embedder:
    made = point.load()()
    if not hasattr(made, "embed") or not hasattr(made, "identity"):
        raise ConfigError(
            f"The entry point {point.name!r} ({point.value}) made a {type(made).__name__}, which is no "
            f"embedder: it needs `identity` and `embed`. Tell its authors, or choose another embedder."
        )
    return cast("Embedder", made)


def _unknown(spec: str) -> str:
    from difflib import get_close_matches

    names = embedder_names()
    near = get_close_matches(spec.casefold(), names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no embedder {spec!r}.{hint} Known: {', '.join(names)}."
