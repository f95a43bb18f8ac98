"""Times as exports write them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any


def iso(value: Any, *, zone: tzinfo = UTC) -> datetime | None:
    """An ISO time; `zone` where it names none; None where it is no time."""
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def epoch(value: Any) -> datetime | None:
    """Seconds or, from the year 5138 on, milliseconds since 1970; None where it is no number."""
    try:
        seconds = float(value)
        return datetime.fromtimestamp(seconds / 1000 if abs(seconds) > 1e11 else seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
