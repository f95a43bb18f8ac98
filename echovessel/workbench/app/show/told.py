"""The turns to choose from: those that the page holds, and those kept in the file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from echovessel.clock import aware, zone
from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.records import Message
from echovessel.runtime.trace import trace_of
from echovessel.runtime.turn import Turn
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.hits import copyable
from echovessel.workbench.app.show.parts import chip, empty, fold
from echovessel.workbench.app.talking import STOPPED
from echovessel.workbench.app.words import Words

LISTED = 60


@dataclass(frozen=True)
class Told:
    """One turn: as a trace keeps it, and whole while the page still holds it."""

    id: str
    at: datetime
    body: dict[str, Any]
    turn: Turn | None = None


def turns_of(opened: Opened) -> list[Told]:
    """The turns that the page holds and those kept in the file, the newest first."""
    found = {
        trace.id: Told(trace.id, trace.at, trace.body) for trace in opened.memory.traces.list(limit=LISTED)
    }
    for turn in opened.talk.turns:
        if turn.heard:
            found[turn.id] = Told(turn.id, turn.heard[0].sent_at, trace_of(turn), turn)
    return sorted(found.values(), key=lambda one: one.id, reverse=True)


def turn_list(opened: Opened, words: Words, told: list[Told], chosen: str) -> Html:
    """The turns to choose from."""
    if not told:
        return empty(words, "turns_empty")
    rows = (
        el(
            "li",
            el(
                "button",
                el(
                    "span",
                    el("span", _when(opened, words, one.at), class_="when"),
                    chip(words("turn_stopped" if one.body["why"] == STOPPED else "turn_failed"), kind="past")
                    if one.body["why"]
                    else None,
                    el("span", f"{took(one.body, None):,.0f} ms", class_="number"),
                    class_="head",
                ),
                el("span", _heard(opened, words, one), class_="said"),
                type="button",
                class_="item",
                data_act="turn",
                data_id=one.id,
                aria_current="true" if one.id == chosen else None,
                tabindex=None if one.id == (chosen or told[0].id) else "-1",
            ),
        )
        for one in told
    )
    return el("ol", join(rows), class_="items")


def as_python(words: Words, opened: Opened) -> Html:
    """The kept turns as a frame."""
    code = f"from echovessel import Vessel\n\nv = {opened.code}\nprint(v.memory.traces.frame())"
    return fold(words("as_python"), copyable(words, code), class_="python")


def _heard(opened: Opened, words: Words, told: Told) -> str:
    messages = [message_of(opened, ident) for ident in told.body["heard"]]
    return "\n".join(one.text for one in messages if one is not None) or words("turn_gone")


def message_of(opened: Opened, ident: str | None) -> Message | None:
    """The message of that id; None where it is gone."""
    try:
        return opened.memory.log.get(ident) if ident else None
    except NotFoundError:
        return None


def took(body: dict[str, Any], names: tuple[str, ...] | None) -> float:
    """Milliseconds of some stages of a turn, or of all."""
    return sum(float(stage["ms"]) for stage in body["stages"] if names is None or stage["name"] in names)


def _when(opened: Opened, words: Words, at: datetime) -> str:
    local = aware(at).astimezone(zone(opened.zone))
    return f"{words.day(local.date(), opened.today).partition(' · ')[0]} {local:%H:%M}"
