"""One clock, passed in; aware UTC inside; days in the reader's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from echovessel.errors import InputError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


class FixedClock:
    """A clock that moves only when told to: for tests and simulated months."""

    def __init__(self, start: datetime) -> None:
        self._now = aware(start, "start")

    def now(self) -> datetime:
        """The moment last set."""
        return self._now

    def set(self, moment: datetime) -> None:
        """Jump to a moment."""
        self._now = aware(moment, "moment")

    def advance(self, step: timedelta) -> None:
        """Move on by a step."""
        self._now += step


def aware(moment: datetime, what: str = "time") -> datetime:
    """The same moment in UTC.

    Raises
    ------
    InputError
        `moment` has no time zone; `what` names it in the message.
    """
    if not isinstance(moment, datetime):
        raise InputError(f"{what} must be a datetime with a time zone, found {moment!r}.")
    if moment.utcoffset() is None:
        raise InputError(
            f"{what} has no time zone: {moment.isoformat()}. Give one, such as datetime(2026, 3, 1, tzinfo=UTC)."
        )
    return moment.astimezone(UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC: the form in which times are stored."""
    return (aware(moment) - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The aware moment of a stored time."""
    return _EPOCH + micros * _MICROSECOND


def zone(name: str) -> ZoneInfo:
    """The IANA zone of that name.

    Raises
    ------
    InputError
        No such zone.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise InputError(
            f"{name!r} is no time zone. Use an IANA name such as Asia/Shanghai or Europe/Berlin."
        ) from error


def day_of(moment: datetime, zone_name: str) -> date:
    """The calendar day on which a moment falls, where the reader lives."""
    return aware(moment).astimezone(zone(zone_name)).date()


def start_of_day(day: str | date, zone_name: str) -> int:
    """When a calendar day begins where the reader lives, as a stored time."""
    wanted = date.fromisoformat(day) if isinstance(day, str) else day
    return to_micros(datetime(wanted.year, wanted.month, wanted.day, tzinfo=zone(zone_name)))
