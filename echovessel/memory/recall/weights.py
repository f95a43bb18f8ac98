"""Weights: what each factor counts for, and what may compete."""

from __future__ import annotations

import math
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any, Self

from echovessel.errors import NotFoundError, WeightError
from echovessel.memory.recall.factors import FACTORS

MESSAGE = "message"
NODE_KINDS = ("event", "thought", "intention", "expectation")
KINDS = (*NODE_KINDS, MESSAGE)


@dataclass(frozen=True, slots=True)
class Weights:
    """A way to score.

    Attributes
    ----------
    recency, relevance, impact, relational_bonus, entity_anchor : float
        What each factor counts for; not negative.
    half_life : float
        Days after which recency has halved; greater than 0.
    min_relevance : float, in [0, 1]
        The gate: what is less relevant is dropped before scoring, unless the query names its entity.
    blend : float, in [0, 1]
        0 is lexical alone, 0.5 as the embedder was calibrated, 1 dense alone.
    anchored_share : float, in [0, 1]
        The part of k that anchored hits may take while others pass the gate.
    share_spares_relevant : bool
        Whether anchored hits that pass the gate by themselves are free of that share, so that it holds back only
        what is there for its name alone.
    kinds : tuple of str
        Which memories compete: ``event``, ``thought``, ``intention``, ``expectation``, ``message``. Without
        ``message``, messages step in only where no memory of these kinds exists.
    message_relevance : float
        What relevance counts for in a raw message. A memory says in one sentence what a message leaves to its
        neighbours, so that an equal relevance is worth less in a message.
    message_impact : float
        What impact counts for in a raw message, where it is only an estimate of how much the message says.
    speaker_anchor : float, in [0, 1)
        The entity anchor of a message of whom the query names: they said it, which is less than being its matter.
    when_asked : float
        Added to the log-odds of a message that holds words of time, where the query asks when.
    source : str
        The run or page that justifies the numbers.
    """

    recency: float = 0.5
    relevance: float = 3.0
    impact: float = 2.0
    relational_bonus: float = 1.0
    entity_anchor: float = 1.5
    half_life: float = 14.0
    min_relevance: float = 0.4
    blend: float = 0.5
    anchored_share: float = 0.5
    share_spares_relevant: bool = False
    kinds: tuple[str, ...] = NODE_KINDS
    message_relevance: float = 3.0
    message_impact: float = 2.0
    speaker_anchor: float = 0.0
    when_asked: float = 0.0
    source: str = ""

    def __post_init__(self) -> None:
        plain = (*FACTORS, "message_relevance", "message_impact", "when_asked", "half_life")
        for name in (*plain, "min_relevance", "blend", "anchored_share", "speaker_anchor"):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not math.isfinite(value)
                or value < 0
            ):
                raise WeightError(f"weight {name} must be a number of at least 0, found {value!r}.")
        for name in ("min_relevance", "blend", "anchored_share"):
            if getattr(self, name) > 1:
                raise WeightError(f"{name} must be between 0 and 1, found {getattr(self, name)}.")
        if self.speaker_anchor >= 1:
            raise WeightError(
                f"speaker_anchor must be below 1, which is an entity's, found {self.speaker_anchor}."
            )
        if self.half_life == 0:
            raise WeightError("half_life must be greater than 0 days, found 0.")
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown or not self.kinds:
            raise WeightError(
                f"kinds must name some of {', '.join(KINDS)}, found {', '.join(unknown) or 'none'}."
            )

    @classmethod
    def seed(cls) -> Self:
        """The formula of the design, to the letter."""
        return cls.preset("seed")

    @classmethod
    def default(cls) -> Self:
        """What ships: the preset used when none is named."""
        return cls.preset("default")

    @classmethod
    def preset(cls, name: str) -> Self:
        """A named preset.

        Raises
        ------
        NotFoundError
            No such preset; names the known ones.
        """
        known = preset_names()
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise NotFoundError(f"no preset {name!r}. Known: {', '.join(known)}.{hint}")
        return cls.from_dict(_preset(name))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Weights from plain values, as they stand in a preset's TOML.

        Raises
        ------
        WeightError
            A key is unknown, or a value out of range.
        """
        known = {f.name for f in fields(cls)}
        for key in values:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                raise WeightError(
                    f"unknown weight {key!r}." + (f" Did you mean {near[0]!r}?" if near else "")
                )
        plain: dict[str, Any] = dict(values)
        if "kinds" in plain:
            plain["kinds"] = tuple(plain["kinds"])
        return cls(**plain)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they stand in a preset's TOML."""
        return asdict(self) | {"kinds": list(self.kinds)}

    def with_(self, **changes: Any) -> Self:
        """The same with some values changed."""
        return replace(self, **changes)


@cache
def preset_names() -> tuple[str, ...]:
    """Names of the presets that ship."""
    folder = resources.files("echovessel.memory.recall") / "presets"
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    )


@cache
def _preset(name: str) -> dict[str, Any]:
    """A preset's plain values; every recall asks for one, so the file is read once."""
    file = resources.files("echovessel.memory.recall") / "presets" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
