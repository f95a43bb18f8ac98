"""EchoVessel: digital personas that remember you, on your own machine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echovessel.memory.memory import Memory
    from echovessel.memory.recall import Recall, Weights
    from echovessel.memory.records import Scope
    from echovessel.runtime.vessel import Vessel

__version__ = "0.1.0"

__all__ = ["Memory", "Recall", "Scope", "Vessel", "Weights", "__version__"]

# Loaded when first asked for, so that `import echovessel` costs next to nothing.
_HOMES = {
    "Memory": "echovessel.memory.memory",
    "Recall": "echovessel.memory.recall",
    "Scope": "echovessel.memory.records",
    "Vessel": "echovessel.runtime.vessel",
    "Weights": "echovessel.memory.recall",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
