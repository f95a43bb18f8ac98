"""How a cosine of each embedder is read: the constants in calibration.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from echovessel.embedding import Calibration, Logit
from echovessel.errors import ConfigError


def calibration(name: str) -> Calibration:
    """The measured constants of an embedder.

    Parameters
    ----------
    name : str
        An embedder's identity name. One that begins with "st:" and has no table of its own takes the
        table "st".

    Raises
    ------
    ConfigError
        There is no table for it.
    """
    tables = _tables()
    if name in tables:
        return parse(name, tables[name])
    family = name.partition(":")[0]
    if family in tables:
        return parse(family, tables[family])
    raise ConfigError(f"calibration.toml has no table for {name!r}. Measure one with evals/calibrate.py.")


def parse(name: str, table: dict[str, Any]) -> Calibration:
    """One table of calibration.toml as a `Calibration`; `name` is for the message."""
    try:
        return Calibration(
            default=Logit(**table["default"]),
            pairs={pair: Logit(**constants) for pair, constants in table.get("pairs", {}).items()},
            source=table["source"],
            unrelated=table.get("unrelated", 0.0),
        )
    except (KeyError, TypeError) as e:
        raise ConfigError(
            f"calibration.toml: table {name!r} needs `source` and `default` with intercept, cosine and "
            f"lexical; {e}. Write it with evals/calibrate.py."
        ) from e


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("echovessel.models").joinpath("calibration.toml").read_text("utf-8"))
