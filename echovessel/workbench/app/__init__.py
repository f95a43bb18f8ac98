"""The workbench app: a page on which a memory can be seen, tried and mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echovessel.workbench.app.samples import opened_home, opened_samples, opened_vessel
    from echovessel.workbench.app.server import build, serve

__all__ = ["build", "opened_home", "opened_samples", "opened_vessel", "serve"]


def __getattr__(name: str) -> Any:
    if name in ("opened_home", "opened_samples", "opened_vessel"):
        from echovessel.workbench.app import samples

        return getattr(samples, name)
    if name in ("build", "serve"):
        try:
            from echovessel.workbench.app import server
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("gradio", "fastapi", "uvicorn"):
                raise
            from echovessel.errors import MissingExtra

            raise MissingExtra("The page", "app") from error
        return getattr(server, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
