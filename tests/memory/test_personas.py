from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echovessel.errors import InputError, NotFoundError
from echovessel.memory import personas as module
from echovessel.memory.context import Context
from echovessel.memory.personas import Personas, machine_zone
from echovessel.memory.records import Scope

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_a_new_persona_is_made_once(context: Context) -> None:
    personas = Personas(replace(context, persona="ada"))

    first = personas.require()
    again = personas.require()

    assert first == again
    assert [persona.id for persona in personas.list()] == ["ada", "lin"]


def test_an_unknown_persona_is_refused_with_those_there_are(context: Context) -> None:
    with pytest.raises(NotFoundError, match=r"No persona 'nobody' .* Known: lin\."):
        Personas(replace(context, persona="nobody")).require(create=False)


def test_a_taken_id_and_an_odd_id_are_refused(context: Context) -> None:
    personas = Personas(context)
    with pytest.raises(InputError, match="already"):
        personas.add("lin")
    with pytest.raises(InputError, match="can't be used"):
        personas.add('{"$ne": ""}')
    assert len(personas.list()) == 1


def test_add_keeps_name_kind_and_zone(context: Context) -> None:
    added = Personas(context).add("ada", name="Ada", kind="distilled", zone="Europe/Berlin")

    assert (added.name, added.kind, added.zone) == ("Ada", "distilled", "Europe/Berlin")
    assert added.created_at == NOW


def test_the_nearest_zone_wins(context: Context) -> None:
    personas = Personas(replace(context, zone="Asia/Tokyo"))
    group, user = Scope.group("book-club"), Scope.user("mei")
    assert personas.zone_of(user) == "Asia/Tokyo"

    personas.set_zone("Europe/Berlin")
    assert [personas.zone_of(s) for s in (user, group, Scope.shared())] == ["Europe/Berlin"] * 3

    personas.set_zone("Asia/Shanghai", scope=user)
    personas.set_zone("America/Lima", scope=group)
    assert personas.zone_of(user) == "Asia/Shanghai"
    assert personas.zone_of(group) == "America/Lima"
    assert personas.zone_of(Scope.shared()) == "Europe/Berlin"

    personas.set_zone(None, scope=user)
    assert personas.zone_of(user) == "Europe/Berlin"


def test_a_zone_that_does_not_exist_is_refused(context: Context) -> None:
    with pytest.raises(InputError, match="no time zone"):
        Personas(context).set_zone("Mars/Olympus")


def test_an_audience_has_a_name_of_its_own(context: Context) -> None:
    personas = Personas(context)
    assert personas.audience(Scope.user("mei")).name == "mei"

    personas.set_name("小梅", scope=Scope.user("mei"))
    personas.set_name("林")

    assert personas.audience(Scope.user("mei")).name == "小梅"
    assert personas.audience(Scope.user("tom")).name == "tom"
    assert personas.get("lin").name == "林"


def test_the_machine_zone_comes_from_tz_then_localtime_then_the_offset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TZ", ":Asia/Shanghai")
    assert machine_zone(NOW) == "Asia/Shanghai"

    monkeypatch.delenv("TZ")
    zones = tmp_path / "zoneinfo" / "Europe"
    zones.mkdir(parents=True)
    (zones / "Berlin").touch()
    (tmp_path / "localtime").symlink_to(zones / "Berlin")
    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "localtime")
    assert machine_zone(NOW) == "Europe/Berlin"

    monkeypatch.setattr(module, "_LOCALTIME", tmp_path / "absent")
    hours = NOW.astimezone().utcoffset().total_seconds() / 3600  # type: ignore[union-attr]
    assert machine_zone(NOW) == ("UTC" if hours == 0 or hours % 1 else f"Etc/GMT{-int(hours):+d}")
