"""Arms of the benchmark, one per file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from echovessel.errors import NotFoundError
from echovessel.workbench.arms.base import Arm, Case, Ranked, Ranker, Ranking
from echovessel.workbench.arms.bm25 import BM25
from echovessel.workbench.arms.chance import Chance
from echovessel.workbench.arms.dense import Dense
from echovessel.workbench.arms.recency import Recency
from echovessel.workbench.arms.rrf import Fusion

__all__ = ["ARMS", "Arm", "Case", "Ranked", "Ranker", "Ranking", "arms_named"]


def _recalled(name: str) -> Arm:
    from echovessel.memory.recall import Weights
    from echovessel.workbench.arms.recalled import Recalled

    return Recalled(name, Weights.seed() if name == "seed" else Weights.preset(name))


ARMS: dict[str, Callable[[], Arm]] = {
    "random": Chance,
    "recency": Recency,
    "bm25": BM25,
    "dense": Dense,
    "rrf": Fusion,
    "seed": lambda: _recalled("seed"),
    "default": lambda: _recalled("default"),
}


def arms_named(names: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of those names; any other name is a preset of `Weights`.

    Raises
    ------
    NotFoundError
        Neither an arm nor a preset.
    """
    try:
        return tuple(ARMS[name]() if name in ARMS else _recalled(name) for name in dict.fromkeys(names))
    except NotFoundError as error:
        raise NotFoundError(f"{error} Arms besides the presets: {', '.join(ARMS)}.") from error
