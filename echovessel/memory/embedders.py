"""Embedders as the file knows them: whose vectors it holds, and how they are calibrated."""

from __future__ import annotations

import json
from dataclasses import asdict

from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.memory.context import Context

_COLUMNS = "name, version, dim, checksum, calibration"


def active_embedder(context: Context) -> EmbedderIdentity | None:
    """Who makes the vectors of the file; None while nobody has."""
    row = context.store.row(f"SELECT {_COLUMNS} FROM embedders WHERE active = 1")
    if row is None:
        return None
    name, version, dim, checksum, calibration = row
    return EmbedderIdentity(name, version, dim, checksum, _calibration(calibration))


def register(context: Context, identity: EmbedderIdentity) -> None:
    """Note an embedder in the file, with its latest calibration; inside a transaction."""
    context.store.run(
        f"INSERT INTO embedders ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (name, version, dim, checksum) DO UPDATE SET calibration = excluded.calibration",
        (identity.name, identity.version, identity.dim, identity.checksum, _stored(identity.calibration)),
    )


def embedder_id(context: Context, identity: EmbedderIdentity) -> int | None:
    """The row of an embedder, if the file knows it."""
    found: int | None = context.store.value(
        "SELECT id FROM embedders WHERE name = ? AND version = ? AND dim = ? AND checksum = ?",
        (identity.name, identity.version, identity.dim, identity.checksum),
    )
    return found


def _stored(calibration: Calibration) -> str:
    pairs = {pair: asdict(logit) for pair, logit in calibration.pairs.items()}
    return json.dumps(
        {
            "default": asdict(calibration.default),
            "pairs": pairs,
            "source": calibration.source,
            "unrelated": calibration.unrelated,
        }
    )


def _calibration(stored: str) -> Calibration:
    found = json.loads(stored)
    pairs = {pair: Logit(**logit) for pair, logit in found["pairs"].items()}
    return Calibration(Logit(**found["default"]), pairs, found["source"], found.get("unrelated", 0.0))


def shown(identity: EmbedderIdentity) -> str:
    """An embedder as an error message names it."""
    return f"{identity.name} {identity.version} ({identity.dim} dims, {identity.checksum[:8]})"
