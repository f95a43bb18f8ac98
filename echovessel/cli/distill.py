"""`echovessel distill`: a persona from an archive, after a look at what is in it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echovessel.cli.options import DEFAULT_HOME, AsJson, Home
from echovessel.errors import InputError

if TYPE_CHECKING:
    from echovessel.distill.cards import Card
    from echovessel.distill.history import Preview
    from echovessel.distill.persona import Distilled

PLACES = 5  # shown for each reason to skip


def distill(
    file: Annotated[
        Path,
        typer.Argument(help="A chat export, diary, book, mail box or character card; a file, folder or zip."),
    ],
    speaker: Annotated[
        list[str] | None,
        typer.Option(help="Who becomes the persona, as the archive names them; again for each alias."),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option(help="Who of the archive talks with the persona; again for each alias."),
    ] = None,
    persona: Annotated[
        str | None, typer.Option(help="The persona's id; that of config.toml when left out.")
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="Read it as this; recognised when left out.")
    ] = None,
    zone: Annotated[str, typer.Option(help="The zone of times that name none.")] = "UTC",
    date_order: Annotated[
        str | None, typer.Option(help="day or month: what comes first in 03/04; found when left out.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="From this day on: 2023-07-12.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to this day, included.")] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="fictional, original, self, consented, memorial or research; asked when left out."),
    ] = None,
    note: Annotated[str, typer.Option(help="Who agreed, and how; needed for consented.")] = "",
    hide_others: Annotated[
        bool, typer.Option("--hide-others", help="Replace third parties' names, numbers and addresses.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what is in it.")] = False,
    as_json: AsJson = False,
    home: Home = DEFAULT_HOME,
) -> None:
    """Make a persona of one speaker of an archive. Nothing leaves this machine; no language model is asked."""
    from echovessel.clock import zone as zone_named
    from echovessel.distill.archive import Options
    from echovessel.distill.character import card_in
    from echovessel.distill.consent import consent
    from echovessel.distill.formats import reader_of
    from echovessel.distill.history import Mapping, preview
    from echovessel.distill.persona import distil
    from echovessel.distill.pseudonyms import Pseudonyms
    from echovessel.distill.source import Source
    from echovessel.memory.records import Scope
    from echovessel.runtime.archive import is_archive
    from echovessel.runtime.vessel import Vessel

    if date_order not in (None, "day", "month"):
        raise InputError(f"--date-order is day or month, found {date_order!r}.")
    if is_archive(file):
        raise InputError(f"{file} is a whole vessel, not a talk. Read it in with: echovessel import {file}")
    if format_ is None and not speaker and (found_card := card_in(file)) is not None:
        _card(file, found_card, persona, kind, note, dry_run=dry_run, as_json=as_json, home=home)
        return
    source = Source(file)
    reader = reader_of(source, name=format_)
    options = Options(zone=zone_named(zone).key, date_order=date_order)  # type: ignore[arg-type]
    found = preview(source, reader, options)
    if found.report.ambiguous_dates and not as_json and sys.stdin.isatty():
        first = typer.prompt("In 03/04, what comes first? day or month", default="day")
        options = replace(options, date_order="month" if first.strip().lower().startswith("m") else "day")
        found = preview(source, reader, options)
    if dry_run:
        typer.echo(json.dumps(_told(found), ensure_ascii=False, indent=2) if as_json else _shown(found))
        return
    names = _known(found, speaker or [], "--speaker")
    mapping = Mapping(
        frozenset(names), frozenset(_known(found, user or [], "--user")), _day(since), _day(until)
    )
    if kind is None and sys.stdin.isatty() and not as_json:
        kind = typer.prompt("fictional, original, self, consented, memorial or research?").strip()
        note = note or typer.prompt("Who agreed, and how?", default="", show_default=False)
    if kind is None:
        raise InputError(
            "Say what kind of persona it is: --kind fictional, original, self, consented, memorial or research."
        )
    consent(kind, note)
    keep = mapping.persona | mapping.user
    hidden = Pseudonyms([one.name for one in found.speakers], keep=keep) if hide_others else None
    alone = {one.name for one in found.speakers} <= mapping.persona
    with Vessel.open(home, persona=persona) as vessel:
        # What somebody wrote alone is the persona's own; a talk belongs to those who had it.
        memory = vessel.memory.within(Scope.shared()) if alone else vessel.memory
        progress = None if as_json or not sys.stderr.isatty() else _progress
        done = distil(
            memory,
            source,
            reader,
            mapping,
            kind=kind,
            consent_note=note,
            options=options,
            hide=hidden,
            progress=progress,
        )
        vessel.embed_pending()
        result = _result(done, memory.context.persona)
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else _summary(result))


def _card(
    file: Path,
    card: Card,
    persona: str | None,
    kind: str | None,
    note: str,
    *,
    dry_run: bool,
    as_json: bool,
    home: Path,
) -> None:
    from dataclasses import asdict

    from echovessel.distill.character import become
    from echovessel.runtime.vessel import Vessel

    told: dict[str, Any] = {
        "format": f"character card V{card.spec}",
        "name": card.name,
        "greetings": len(card.greetings),
        "lore": len(card.lore),
    }
    holds = f"{len(card.greetings)} greetings, {len(card.lore)} lore entries"
    shown = f"Character card V{card.spec} of {card.name}: {holds}"
    if dry_run:
        typer.echo(json.dumps(told, ensure_ascii=False) if as_json else f"{shown}\nNothing has been written.")
        return
    if kind is None and sys.stdin.isatty() and not as_json:
        kind = typer.prompt("What kind of persona is it?", default="fictional").strip()
    with Vessel.open(home, persona=persona) as vessel:
        done = become(vessel.memory, file, card, kind=kind or "fictional", consent_note=note)
        vessel.embed_pending()
    if as_json:
        typer.echo(json.dumps(told | asdict(done), ensure_ascii=False))
        return
    typer.echo(
        f"{shown}; blocks written: {', '.join(done.written) or 'none'}; {done.lore} lore entries stored."
    )
    if done.kept:
        typer.echo(f"Left as a person wrote them: {', '.join(done.kept)}.")
    if done.left_out:
        typer.echo(f"Left out, as it has no room or can't be used: {'; '.join(done.left_out)}.")
    if done.imported:
        typer.echo(f"To take it back: echovessel forget --import {done.imported}")
    else:
        typer.echo("All of it was here already.")


def _progress(done: int) -> None:
    typer.echo(f"{done} lines", err=True)


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r} is no day. Write 2026-03-02.") from error


def _known(found: Preview, names: Sequence[str], option: str) -> Sequence[str]:
    """Names, each of which speaks in the archive."""
    there = [one.name for one in found.speakers if one.name]
    listed = ", ".join(there[:10]) or "nobody"
    if option == "--speaker" and not names:
        raise InputError(f"Name who becomes the persona with --speaker. In {found.format} speak: {listed}.")
    for name in names:
        if name not in there:
            raise InputError(f"{option} {name!r} says nothing in this archive. There are: {listed}.")
    return names


def _told(found: Preview) -> dict[str, Any]:
    return {
        "format": found.format,
        "lines": found.report.lines,
        "since": None if found.since is None else found.since.isoformat(),
        "until": None if found.until is None else found.until.isoformat(),
        "languages": found.languages,
        "tokens": found.tokens,
        "speakers": [{"name": s.name, "lines": s.lines, "characters": s.characters} for s in found.speakers],
        "first": [
            {
                "place": line.place,
                "speaker": line.speaker,
                "sent_at": None if line.sent_at is None else line.sent_at.isoformat(),
                "text": line.text,
                "attachment": line.attachment,
            }
            for line in found.first
        ],
        "skipped": dict(found.report.skipped),
        "skips": [{"place": skip.place, "reason": skip.reason} for skip in found.report.skips],
        "notes": found.report.notes,
    }


def _shown(found: Preview) -> str:
    told = _told(found)
    rows = [f"{found.format}: {told['lines']} messages, about {found.tokens} tokens"]
    if found.since and found.until:
        rows.append(f"From {found.since:%Y-%m-%d} to {found.until:%Y-%m-%d}")
    rows.append("Languages: " + ", ".join(f"{name} {n}" for name, n in found.languages.items()))
    rows.append("Speakers:")
    rows += [f"  {one.name or '(no name)'}: {one.lines} messages" for one in found.speakers[:20]]
    rows.append("First messages, as read:")
    for line in found.first:
        moment = "" if line.sent_at is None else f"{line.sent_at:%Y-%m-%d %H:%M} "
        text = " ".join(line.text.split()) or f"[{line.attachment}]"
        rows.append(f"  {moment}{line.speaker}: {text[:100]}")
    for reason, count in found.report.skipped.items():
        places = [skip.place for skip in found.report.skips if skip.reason == reason][:PLACES]
        more = ", ..." if count > len(places) else ""
        rows.append(f"Skipped {count} because {reason}: {', '.join(places)}{more}")
    rows += [f"Note: {note}" for note in found.report.notes]
    rows.append("Nothing has been written.")
    return "\n".join(rows)


def _result(done: Distilled, persona: str) -> dict[str, Any]:
    return {
        "persona": persona,
        "import": done.stored.imported.id,
        "new": done.stored.new,
        "known": done.stored.known,
        "forgotten": done.stored.forgotten,
        "claims": len(done.draft.claims),
        "facts": done.facts,
        "entities": done.entities,
        "written": [str(label) for label in done.written],
        "kept": [str(label) for label in done.kept],
        "hidden": done.hidden,
        "skipped": dict(done.stored.report.skipped),
        "notes": done.stored.report.notes,
    }


def _summary(result: dict[str, Any]) -> str:
    rows = [
        f"{result['persona']}: {result['new']} messages new, {result['known']} known from before,"
        f" {result['forgotten']} forgotten before and left out.",
        f"{result['facts']} facts, {result['entities']} people; blocks written:"
        f" {', '.join(result['written']) or 'none'}.",
    ]
    if result["kept"]:
        rows.append(f"Left as a person wrote them: {', '.join(result['kept'])}.")
    if result["hidden"]:
        rows.append("Hidden: " + ", ".join(f"{n} {kind}" for kind, n in result["hidden"].items()))
    rows += [f"Skipped {n} because {reason}." for reason, n in result["skipped"].items()]
    rows += [f"Note: {note}" for note in result["notes"]]
    if result["new"]:
        rows.append(f"To take it back: echovessel forget --import {result['import']}")
    return "\n".join(rows)
