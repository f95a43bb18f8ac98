"""HTML put together from plain text, so that what people wrote can never become a tag."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = frozenset({"br", "hr", "input", "meta"})


class Html(str):
    """Text that is HTML already; everything else is escaped when it becomes part of HTML."""

    __slots__ = ()


def text(value: object) -> Html:
    """A value as HTML that shows it as it is; `Html` passes unchanged, None is nothing."""
    if isinstance(value, Html):
        return value
    return Html("" if value is None else escape(str(value), quote=True))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after another, each escaped unless it is `Html`."""
    return Html(escape(between).join(text(part) for part in parts))


def el(name: str, *children: object, **attributes: object) -> Html:
    """One element.

    Parameters
    ----------
    name : str
        The tag. Never from data.
    *children
        What stands inside; escaped unless `Html`. None is left out.
    **attributes
        ``class_`` is class, and ``data_id`` data-id. None and False leave an attribute out, True gives it
        without a value.
    """
    said = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{escape(str(value), quote=True)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{said}>" if name in _VOID else f"<{name}{said}>{join(children)}</{name}>")
