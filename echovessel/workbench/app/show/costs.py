"""What the models cost, against the limits; and what the persona thought while nobody talked, or was refused."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from echovessel.clock import aware, zone
from echovessel.errors import NotFoundError
from echovessel.markup import Html, el, join
from echovessel.memory.calls import Call, Total
from echovessel.memory.cycles import Cycle, CycleOutcome, Refusal
from echovessel.mind import narrative
from echovessel.models.language import Purpose
from echovessel.runtime.costs import Spent, spent
from echovessel.workbench.app.shelf import Opened
from echovessel.workbench.app.show.parts import act, chip, empty, fold
from echovessel.workbench.app.words import Words

# The rules as the audit holds them, and their keys in the table of strings.
RULES = (
    (r"thinking between talks is switched off", "why_off"),
    (r"no language model is set", "why_no_model"),
    (r"nothing new to think about", "why_nothing"),
    (r"the day's limit of (\d+) .+", "why_day"),
    (r"the last one is less than (\d+) minutes ago", "why_cool"),
    (r"it has not the form asked for", "why_form"),
    (r"longer than (\d+) characters", "why_long"),
    (r"it rests on nothing that was shown", "why_ground"),
    (r"it only repeats a memory", "why_repeats"),
    (r"it was forgotten before", "why_forgotten"),
    (r"the slow tick may not write a (.+)", "why_kind"),
    (r"more than (\d+) (?:items|thoughts)", "why_many"),
    (r"a first self-narrative longer than (\d+) characters", "why_first"),
    (r"a self-narrative that changes more than (\S+) of the last", "why_drift"),
)
LATEST = 30
CYCLES = 40


def costs(opened: Opened, words: Words) -> Html:
    """What was spent against the limits, by purpose, and the latest calls."""
    periods = join(_period(opened, words, one) for one in spent(opened.memory, opened.vessel.config.spending))
    limits = opened.vessel.config.spending
    limited = limits.day is not None or limits.month is not None
    then = (
        words("limits_then", then=words(f"at_limit_{limits.at_limit}")) if limited else words("limits_none")
    )
    return el(
        "article",
        el("h2", words("costs_title")),
        el("div", periods, class_="purse"),
        el("p", then, class_="hint"),
        el("section", el("h3", words("costs_by_purpose")), _purposes(opened, words)),
        _latest(opened, words),
        class_="card detail",
    )


def thinking(opened: Opened, words: Words) -> Html:
    """Every round of thinking: what it read, spent, wrote and was refused."""
    cycles = opened.memory.cycles.list(limit=CYCLES)
    about = el("p", words("thinking_about"), class_="about")
    shown = el("ol", join(_cycle(opened, words, one) for one in cycles), class_="cycles")
    off = None if opened.vessel.config.mind.slow_tick else el("p", words("thinking_off"), class_="hint")
    return el(
        "article",
        el("h2", words("thinking_title")),
        about,
        _drift(opened, words),
        off,
        shown if cycles else empty(words, "thinking_empty"),
        class_="card detail",
    )


def _drift(opened: Opened, words: Words) -> Html | None:
    """How far the self-narrative has moved from its first version."""
    if narrative.current(opened.memory) is None:
        return None
    return el("p", words("narrative_drift", share=f"{narrative.drift(opened.memory):.0%}"), class_="hint")


def reason(words: Words, said: str) -> str:
    """A rule of the audit in the page's language; as it is where it is no known one."""
    for pattern, key in RULES:
        found = re.fullmatch(pattern, said)
        if found is not None:
            return words(key, value=found[1] if found.groups() else "")
    return said


def _period(opened: Opened, words: Words, one: Spent) -> Html:
    share = one.share
    said = words("of_limit", limit=f"{one.limit:.2f}") if one.limit is not None else words("no_limit")
    state = " reached" if one.reached else " near" if one.near else ""
    return el(
        "div",
        el("small", words(f"period_{one.period}")),
        el("strong", f"${one.cost:.2f}"),
        el("span", said),
        el("span", el("i", style=f"width:{min(share, 1.0) * 100:.1f}%"), class_=f"gauge{state}")
        if share is not None
        else None,
        el("small", words("unpriced", count=one.unpriced)) if one.unpriced else None,
    )


def _purposes(opened: Opened, words: Words) -> Html:
    since = _month(opened)
    rows = [(purpose, opened.memory.calls.total(since, purpose=str(purpose))) for purpose in Purpose]
    used = [(words(f"purpose_{purpose}"), total) for purpose, total in rows if total.calls]
    if not used:
        return el("p", words("costs_empty"), class_="hint")
    used.append((words("costs_sum"), opened.memory.calls.total(since)))
    keys = ("costs_for", "costs_calls", "costs_in", "costs_out", "cost")
    head = el("tr", join(el("th", words(key), scope="col") for key in keys))
    body = join(_purpose(name, total) for name, total in used)
    return el("div", el("table", el("thead", head), el("tbody", body)), class_="table")


def _purpose(name: str, total: Total) -> Html:
    known = f"${total.cost:.4f}" if total.unpriced < total.calls else "?"
    numbers = (f"{total.calls:,}", f"{total.input_tokens:,}", f"{total.output_tokens:,}", known)
    return el("tr", el("th", name, scope="row"), join(el("td", number) for number in numbers))


def _month(opened: Opened) -> datetime:
    now = opened.memory.context.clock.now().astimezone(ZoneInfo(opened.zone))
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _latest(opened: Opened, words: Words) -> Html:
    calls = opened.memory.calls.list(limit=LATEST)
    if not calls:
        return Html("")
    return fold(
        words("costs_latest"), el("ol", join(_call(opened, words, one) for one in calls), class_="calls")
    )


def _call(opened: Opened, words: Words, call: Call) -> Html:
    when = _at(opened, words, call.at) if call.at else ""
    return el(
        "li",
        el("span", when, class_="when"),
        el("span", words.or_same("purpose", call.purpose)),
        el("code", call.model) if call.model else None,
        el("span", f"{call.input_tokens:,} → {call.output_tokens:,}", class_="number"),
        el("span", "?" if call.cost is None else f"${call.cost:.4f}", class_="number"),
        chip(words.or_same("outcome", call.outcome), kind="past") if call.outcome != "ok" else None,
    )


def _cycle(opened: Opened, words: Words, cycle: Cycle) -> Html:
    outcome = chip(words(f"cycle_{cycle.outcome}"), kind="" if cycle.outcome is CycleOutcome.DONE else "past")
    spent_ = words("cycle_spent", tokens_in=f"{cycle.input_tokens:,}", tokens_out=f"{cycle.output_tokens:,}")
    return el(
        "li",
        el(
            "div",
            el("b", words(f"cycle_{cycle.kind}")),
            el("span", _at(opened, words, cycle.at), class_="when"),
            outcome,
            el("small", f"{words('cycle_read', count=len(cycle.read))} · {spent_}"),
            class_="head",
        ),
        el("p", reason(words, cycle.reason), _times(opened, words, cycle), class_="hint")
        if cycle.reason
        else None,
        el("ul", join(_wrote(opened, words, node) for node in cycle.wrote), class_="wrote")
        if cycle.wrote
        else None,
        el("ul", join(_refused(words, one) for one in cycle.refused), class_="refused")
        if cycle.refused
        else None,
    )


def _times(opened: Opened, words: Words, cycle: Cycle) -> str:
    """How often a guard held in a row, and until when."""
    if cycle.until is None:
        return ""
    return words("cycle_times", times=cycle.times, until=_at(opened, words, cycle.until))


def _wrote(opened: Opened, words: Words, node: str) -> Html:
    try:
        found = opened.memory.nodes.get(node)
    except NotFoundError:
        return el("li", el("small", words("turn_gone")))
    return el("li", el("b", words("wrote")), " ", act(found.text, "open", found.id))


def _refused(words: Words, one: Refusal) -> Html:
    why = reason(words, one.rule)
    return el(
        "li", el("b", words("refused")), " ", el("q", one.text) if one.text else None, " ", el("small", why)
    )


def _at(opened: Opened, words: Words, at: datetime) -> str:
    local = aware(at).astimezone(zone(opened.zone))
    return f"{words.day(local.date(), opened.today).partition(' · ')[0]} {local:%H:%M}"
