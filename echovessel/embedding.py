"""What the store must know of an embedder: who made the vectors, and what their cosines mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from echovessel.errors import ConfigError

Vectors = NDArray[np.float32]
TextKind = Literal["query", "passage"]


@dataclass(frozen=True, slots=True)
class Logit:
    """Constants of ``relevance = sigmoid(intercept + cosine * cos + lexical * lex)``."""

    intercept: float
    cosine: float
    lexical: float

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.intercept, self.cosine, self.lexical))):
            raise ConfigError(
                f"calibration constants must be finite numbers, found {self}. Measure them with evals/calibrate.py."
            )
        if self.cosine < 0 or self.lexical < 0:
            raise ConfigError(
                f"cosine and lexical constants must not be negative, found {self}. "
                "Measure them with evals/calibrate.py."
            )


@dataclass(frozen=True, slots=True)
class Calibration:
    """How cosine and lexical overlap turn into relevance, for one embedder.

    `pairs` overrides `default` by language of query and memory, such as ``"zh-en"`` for a Chinese
    question about an English memory. `unrelated` is the mean cosine of pairs that have nothing to do with each
    other; it stands in where a memory waits for its vector. `source` names the run that measured the numbers.
    """

    default: Logit
    pairs: Mapping[str, Logit] = field(default_factory=dict)
    source: str = ""
    unrelated: float = 0.0

    def of(self, pair: str) -> Logit:
        """The constants for a language pair."""
        return self.pairs.get(pair, self.default)


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Who made a vector. Two embedders whose vectors may not be compared differ in this.

    Name, version, dimensions and checksum decide whether two identities are the same maker
    (`same_vectors`); the calibration may be measured again without touching a vector.
    """

    name: str
    version: str
    dim: int
    checksum: str
    calibration: Calibration

    def same_vectors(self, other: EmbedderIdentity) -> bool:
        """Whether vectors of both may be compared."""
        return (self.name, self.version, self.dim, self.checksum) == (
            other.name,
            other.version,
            other.dim,
            other.checksum,
        )


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors, stored with them."""

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), identity.dim)."""
