"""Personas, and the users and groups they talk with: names and time zones."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

from echovessel.clock import from_micros, zone
from echovessel.errors import InputError, NotFoundError
from echovessel.memory.context import Context
from echovessel.memory.engine import Row
from echovessel.memory.ids import checked_name
from echovessel.memory.records import Audience, Persona, Scope, ScopeKind
from echovessel.memory.rows import insert
from echovessel.text import clean

_LOCALTIME = Path("/etc/localtime")
_COLUMNS = "id, name, kind, zone, created_at"


class Personas:
    """Who lives in the file, and whom they talk with."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def require(self, *, create: bool = True) -> Persona:
        """The context's persona, made when the file doesn't know it yet.

        Raises
        ------
        NotFoundError
            No such persona, and `create` is false; the message lists those there are.
        """
        store, persona = self._context.store, self._context.persona
        if not create or store.row("SELECT 1 FROM personas WHERE id = ?", (persona,)):
            return self.get(persona)  # without the write lock, which another process may hold
        with store.write():
            store.run(
                "INSERT INTO personas (id, name, kind, created_at) VALUES (?, ?, 'written', ?)"
                " ON CONFLICT (id) DO NOTHING",
                (persona, persona, self._context.now()),
            )
            return self.get(persona)

    def add(self, persona: str, *, name: str = "", kind: str = "written", zone: str | None = None) -> Persona:
        """A new persona in the same file.

        Raises
        ------
        InputError
            The id is taken or can't be used, or there is no such time zone.
        """
        store = self._context.store
        checked_name(persona, "persona")
        shown, kind, where = _named(name, persona), _named(kind, "written"), _checked_zone(zone)
        with store.write():
            if store.row("SELECT 1 FROM personas WHERE id = ?", (persona,)):
                raise InputError(f"There is a persona {persona!r} already. Choose another id.")
            now = self._context.now()
            insert(store, "personas", id=persona, name=shown, kind=kind, zone=where, created_at=now)
            return self.get(persona)

    def get(self, persona: str) -> Persona:
        """The persona of that id.

        Raises
        ------
        NotFoundError
            No such persona.
        """
        row = self._context.store.row(f"SELECT {_COLUMNS} FROM personas WHERE id = ?", (persona,))
        if row is None:
            known = ", ".join(found.id for found in self.list()) or "none"
            raise NotFoundError(f"No persona {persona!r} in {self._context.store.path}. Known: {known}.")
        return _persona(row)

    def list(self) -> list[Persona]:
        """All personas of the file, by id."""
        rows = self._context.store.rows(f"SELECT {_COLUMNS} FROM personas ORDER BY id")
        return [_persona(row) for row in rows]

    def set_name(self, name: str, *, scope: Scope | None = None) -> None:
        """Name the persona, or a user or group when `scope` is one."""
        self._set("name", _named(name, self._context.persona if scope is None else scope.name), scope)

    def set_zone(self, zone: str | None, *, scope: Scope | None = None) -> None:
        """Where the persona lives, or a user or group counts its days; None follows the next wider zone.

        Raises
        ------
        InputError
            No such time zone.
        """
        self._set("zone", _checked_zone(zone), scope)

    def audience(self, scope: Scope) -> Audience:
        """Name and own zone of a user or group; its key name where none was given."""
        row = self._context.store.row(
            "SELECT name, zone FROM audiences WHERE persona = ? AND scope = ?",
            (self._context.persona, scope.key),
        )
        return Audience(scope, scope.name) if row is None else Audience(scope, row[0], row[1])

    def zone_of(self, scope: Scope) -> str:
        """Where a scope's days are counted: its own zone, the persona's, the context's or the machine's."""
        store, persona = self._context.store, self._context.persona
        own = None if scope.kind is ScopeKind.SHARED else self.audience(scope).zone
        if own is None:
            own = store.value("SELECT zone FROM personas WHERE id = ?", (persona,))
        return own or self._context.zone or machine_zone(self._context.clock.now())

    def _set(self, column: str, value: str | None, scope: Scope | None) -> None:
        store, persona = self._context.store, self._context.persona
        with store.write():
            if scope is None or scope.kind is ScopeKind.SHARED:
                store.run(f"UPDATE personas SET {column} = ? WHERE id = ?", (value, persona))
                return
            store.run(
                "INSERT INTO audiences (persona, scope, name, created_at) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (persona, scope) DO NOTHING",
                (persona, scope.key, scope.name, self._context.now()),
            )
            store.run(
                f"UPDATE audiences SET {column} = ? WHERE persona = ? AND scope = ?",
                (value, persona, scope.key),
            )


def machine_zone(now: datetime) -> str:
    """The IANA zone of this machine, from ``TZ`` or ``/etc/localtime``.

    Where neither names one (Windows), the zone of the present whole-hour offset, such as ``Etc/GMT-8``, and
    ``UTC`` where the offset is none: a config names the zone there.
    """
    named = os.environ.get("TZ", "").removeprefix(":")
    if not named and _LOCALTIME.exists():
        named = _LOCALTIME.resolve().as_posix().partition("zoneinfo/")[2]
    try:
        return zone(named).key if named else _by_offset(now)
    except InputError:
        return _by_offset(now)


def _by_offset(now: datetime) -> str:
    hours, rest = divmod(now.astimezone().utcoffset() or timedelta(0), timedelta(hours=1))
    # POSIX signs: Etc/GMT-8 lies east.
    return "UTC" if rest or not hours else f"Etc/GMT{-hours:+d}"


def _checked_zone(name: str | None) -> str | None:
    return None if name is None else zone(name).key


def _named(name: str, otherwise: str) -> str:
    return clean(name).strip() or otherwise


def _persona(row: Row) -> Persona:
    name, shown, kind, zone_name, created = row
    return Persona(name, shown, kind, zone_name, from_micros(created))
