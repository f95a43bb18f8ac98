"""A persona made of an archive on the page: what the file holds, what it says of somebody, and the making itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from echovessel.clock import zone as zone_named
from echovessel.distill.archive import Line, Options, Reader, Report
from echovessel.distill.cards import Card
from echovessel.distill.character import become, card_in
from echovessel.distill.claims import Claim
from echovessel.distill.consent import consent
from echovessel.distill.drafting import draft
from echovessel.distill.formats import reader_of
from echovessel.distill.history import Mapping, Preview, preview
from echovessel.distill.persona import distil
from echovessel.distill.pseudonyms import Pseudonyms
from echovessel.distill.source import Source
from echovessel.errors import InputError
from echovessel.memory.records import Scope
from echovessel.runtime.vessel import Vessel
from echovessel.runtime.worker import embed_pending
from echovessel.workbench.app.onboarding import LONGEST_NAME, id_of, opened_in
from echovessel.workbench.app.samples import opened_vessel
from echovessel.workbench.app.shelf import Opened, Shelf

Progress = Callable[[float], None]
_STORING = 0.6  # of the whole work; the rest is making vectors


@dataclass(frozen=True)
class Archive:
    """A file as it was read, before anything is written; one of `preview` and `card` is there."""

    path: Path
    preview: Preview | None = None
    reader: Reader | None = None
    options: Options = field(default_factory=Options)
    card: Card | None = None


@dataclass(frozen=True)
class Wanted:
    """Who becomes the persona, and how.

    Attributes
    ----------
    speakers, users : tuple of str
        Names of the archive that are one person each.
    name : str
        What the persona is called.
    kind, note : str
        Consent: what kind of persona, and who agreed.
    hide : bool
        Whether third parties are hidden.
    """

    speakers: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    name: str = ""
    kind: str = ""
    note: str = ""
    hide: bool = False

    @property
    def mapping(self) -> Mapping:
        """Whose line each line is."""
        return Mapping(frozenset(self.speakers), frozenset(self.users))

    @property
    def called(self) -> str:
        """The persona's name; the speaker's where none was given."""
        return (self.name.strip() or next(iter(self.speakers), ""))[:LONGEST_NAME]


def read(path: str, *, zone: str = "UTC", date_order: str | None = None) -> Archive:
    """What a file, folder or zip holds.

    Parameters
    ----------
    date_order : str, optional
        ``day`` or ``month`` where the file tells neither.

    Raises
    ------
    InputError
        No path, or an unknown zone.
    FormatError
        It is in no known format, or broken.
    """
    if not path.strip():
        raise InputError("no file named. Give the path of a chat export, diary, book or character card.")
    found = Path(path.strip().strip("\"'")).expanduser()
    card = card_in(found) if found.is_file() else None
    if card is not None:
        return Archive(found, card=card)
    source = Source(found)
    reader = reader_of(source)
    options = Options(zone=zone_named(zone or "UTC").key, date_order=date_order)  # type: ignore[arg-type]
    return Archive(found, preview(source, reader, options), reader, options)


def claims(archive: Archive, wanted: Wanted) -> tuple[Claim, ...]:
    """What the archive says of the speaker, each with its quotes; nothing is written.

    Raises
    ------
    InputError
        Nobody was chosen, or one name as both.
    """
    if archive.reader is None:
        return ()
    mapping, hidden = wanted.mapping, _hidden(archive, wanted)
    lines = archive.reader.read(Source(archive.path), archive.options, Report())
    change: Callable[[Line], Line] = hidden.hide if hidden else lambda line: line
    return draft(
        map(change, filter(mapping.takes, lines)), mapping, name=wanted.called, zone=archive.options.zone
    ).claims


def key(claim: Claim) -> str:
    """What tells a claim from the others, also when the archive is read again."""
    return f"{claim.label}/{claim.kind}/{claim.text}"


def make(
    archive: Archive,
    wanted: Wanted,
    shelf: Shelf,
    *,
    accepted: Collection[str],
    progress: Progress = lambda part: None,
) -> Opened:
    """Make the persona, in the page's folder, or in a temporary one where the page has none.

    A persona of that name that is there already takes what is new.

    Parameters
    ----------
    accepted : collection of str
        Keys of the claims that hold; of a card all do.
    progress : callable
        Called with the part that is done, 0..1.

    Raises
    ------
    InputError
        Nobody was chosen, no kind or no note where one is needed; nothing was made.
    """
    consent(wanted.kind, wanted.note)
    if archive.card is None and not wanted.speakers:
        raise InputError("Name the speaker who becomes the persona.")
    name = wanted.name.strip() or (archive.card.name if archive.card else wanted.called)
    opened = _opened(shelf, name[:LONGEST_NAME])
    try:
        _fill(opened.vessel, archive, wanted, name[:LONGEST_NAME], accepted, progress)
    except BaseException:
        if opened.name not in shelf.names():
            opened.close()
        raise
    if opened.name not in shelf.names():
        opened.name = name[:LONGEST_NAME]
    return opened


def _fill(
    vessel: Vessel,
    archive: Archive,
    wanted: Wanted,
    name: str,
    accepted: Collection[str],
    progress: Progress,
) -> None:
    memory = vessel.memory
    if archive.card is not None:
        become(memory, archive.path, archive.card, kind=wanted.kind, consent_note=wanted.note)
    else:
        assert archive.reader is not None
        assert archive.preview is not None
        everybody = {one.name for one in archive.preview.speakers}
        lines = max(archive.preview.report.lines, 1)
        distil(
            # What somebody wrote alone is the persona's own; a talk belongs to those who had it.
            memory.within(Scope.shared()) if everybody <= set(wanted.speakers) else memory,
            Source(archive.path),
            archive.reader,
            wanted.mapping,
            kind=wanted.kind,
            consent_note=wanted.note,
            options=archive.options,
            review=lambda claim: key(claim) in accepted,
            hide=_hidden(archive, wanted),
            progress=lambda done: progress(_STORING * min(done / lines, 1.0)),
        )
    if memory.personas.get(memory.context.persona).name in ("", memory.context.persona):
        memory.personas.set_name(name)
    user = memory.personas.audience(memory.context.scope)
    if wanted.users and user.name in ("", user.scope.name):
        memory.personas.set_name(wanted.users[0][:LONGEST_NAME], scope=memory.context.scope)
    progress(_STORING)
    waiting = max(memory.vectors.pending_count(), 1)
    embed_pending(
        memory.vectors,
        vessel.embedder,
        progress=lambda made: progress(_STORING + (1 - _STORING) * min(made / waiting, 1.0)),
    )


def _opened(shelf: Shelf, name: str) -> Opened:
    """The persona of that name: as the page has it open, or from its folder, or a new one."""
    persona = id_of(name)
    if shelf.home is not None:
        for shown in shelf.names():
            one = shelf[shown]
            if one.memory.context.persona == persona and one.vessel.home == shelf.home:
                return one
        return opened_vessel(opened_in(shelf.home, persona, shelf.embedder()), home=shelf.home)
    folder = TemporaryDirectory(prefix="echovessel-new-", ignore_cleanup_errors=True)
    vessel = Vessel.open(folder.name, persona=persona, embedder=shelf.embedder())
    return replace(opened_vessel(vessel, home=Path(folder.name)), folder=folder, name=name)


def _hidden(archive: Archive, wanted: Wanted) -> Pseudonyms | None:
    if not wanted.hide or archive.preview is None:
        return None
    names: Sequence[str] = [one.name for one in archive.preview.speakers]
    return Pseudonyms(names, keep={*wanted.speakers, *wanted.users})
