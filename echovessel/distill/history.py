"""The verbatim history of an archive, as L2: looked at before anything is written, then stored once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import islice

from echovessel.distill.archive import Line, Options, Reader, Report
from echovessel.distill.source import Source
from echovessel.errors import InputError
from echovessel.memory.entities import Entities
from echovessel.memory.imports import Import
from echovessel.memory.memory import Memory
from echovessel.memory.messages import Messages
from echovessel.memory.records import NewMessage, Outcome, Sender, SessionState
from echovessel.memory.sessions import Sessions
from echovessel.text import count_tokens, language_of

SHOWN = 20
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Mapping:
    """Who is who in an archive.

    Attributes
    ----------
    persona : frozenset of str
        The names under which the persona speaks; aliases of one person are merged by naming them together.
    user : frozenset of str
        The names of the one who talks with the persona. Everybody else is a third party under their own name.
    since, until : date, optional
        The days to take, both included, in the archive's zone.
    """

    persona: frozenset[str]
    user: frozenset[str] = frozenset()
    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        if both := self.persona & self.user:
            raise InputError(f"{', '.join(sorted(both))} can't be both the persona and the user.")
        if not self.persona:
            raise InputError("Name the speaker who becomes the persona.")

    def takes(self, line: Line) -> bool:
        """Whether the line lies in the period; one without a time always does."""
        if line.sent_at is None:
            return True
        day = line.sent_at.date()
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)

    def sender(self, line: Line) -> Sender:
        """Whose line it is."""
        if line.speaker in self.persona:
            return Sender.PERSONA
        return Sender.USER if line.speaker in self.user else Sender.OTHER


@dataclass(frozen=True, slots=True)
class Speaker:
    """One speaker of an archive, as found by reading it."""

    name: str
    lines: int
    characters: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What an archive holds, before anything is written.

    Attributes
    ----------
    format : str
        How it was read.
    first : tuple of Line
        The first 20 messages as parsed.
    speakers : tuple of Speaker
        The most talkative first.
    since, until : datetime, optional
    languages : dict
        Lines by language.
    tokens : int
        About how many tokens its text has.
    report : Report
    """

    format: str
    first: tuple[Line, ...]
    speakers: tuple[Speaker, ...]
    since: datetime | None
    until: datetime | None
    languages: dict[str, int]
    tokens: int
    report: Report


@dataclass(frozen=True, slots=True)
class Stored:
    """What an import did: how many lines were new, known from before, or forgotten before and left out."""

    imported: Import
    new: int
    known: int
    forgotten: int
    report: Report = field(repr=False)

    @property
    def total(self) -> int:
        """All lines that were taken."""
        return self.new + self.known + self.forgotten


def preview(source: Source, reader: Reader, options: Options) -> Preview:
    """Read an archive through once, and tell what it holds; writes nothing."""
    report = Report()
    first: list[Line] = []
    lines, characters, languages = Counter[str](), Counter[str](), Counter[str]()
    since = until = None
    tokens = 0
    for line in reader.read(source, options, report):
        if len(first) < SHOWN:
            first.append(line)
        lines[line.speaker] += 1
        characters[line.speaker] += len(line.text)
        languages[language_of(line.text)] += 1
        tokens += count_tokens(line.text)
        if line.sent_at is not None:
            since = line.sent_at if since is None or line.sent_at < since else since
            until = line.sent_at if until is None or line.sent_at > until else until
    speakers = tuple(Speaker(name, n, characters[name]) for name, n in lines.most_common())
    return Preview(reader.title, tuple(first), speakers, since, until, dict(languages), tokens, report)


def digest(source: Source) -> str:
    """Hash of an archive's content, whatever it is called."""
    total = hashlib.sha256()
    for member in source.members:
        if source.packed:
            total.update(member.encode())
        with source.bytes(member) as stream:
            while chunk := stream.read(1 << 20):
                total.update(chunk)
    return total.hexdigest()


def store(
    memory: Memory,
    source: Source,
    reader: Reader,
    mapping: Mapping,
    *,
    options: Options,
    progress: Callable[[int], None] | None = None,
    change: Callable[[Line], Line] = lambda line: line,
) -> Stored:
    """Put the history into memory, in the scope that `memory` is in.

    Importing the same file again, or a longer export of the same talk, adds only what is new. What was forgotten
    before stays away and is counted. A run that was killed goes on where it was when it is started again.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of lines done so far, about every thousand.
    change : callable, optional
        Applied to each line before it is stored, such as `Pseudonyms.hide`.
    """
    content = digest(source)
    unfinished = [found for found in memory.imports.find(content) if found.finished_at is None]
    imported = unfinished[-1] if unfinished else memory.imports.start(source.name, content)
    context = memory.imports.context_of(imported.id)
    report = Report()
    taken = (line for line in reader.read(source, options, report) if mapping.takes(line))
    counts = Counter[Outcome]()
    sessions: set[str] = set()
    messages = _messages(map(change, taken), reader.name, mapping, memory.context.clock.now())
    log = Messages(context, Sessions(context), Entities(context))
    for done, delivery in enumerate(log.deliver(messages), start=1):
        counts[delivery.outcome] += 1
        if delivery.outcome is Outcome.STORED and delivery.message is not None:
            sessions.add(delivery.message.session)
        if progress is not None and done % _BATCH == 0:
            progress(done)
    _settle(memory, sessions)
    finished = memory.imports.finish(imported.id)
    if not counts[Outcome.STORED]:
        memory.imports.discard(finished.id)
    return Stored(finished, counts[Outcome.STORED], counts[Outcome.KNOWN], counts[Outcome.FORGOTTEN], report)


def identified(lines: Iterable[Line]) -> Iterator[tuple[str, Line]]:
    """Each line with the external id under which `store` keeps it: the archive's own, or one made from the line."""
    ids = _Identities()
    for line in lines:
        yield line.external_id or ids.of(line), line


def conversation_of(line: Line) -> str:
    """The conversation under which `store` keeps a line."""
    return line.conversation or "main"


def _messages(lines: Iterable[Line], channel: str, mapping: Mapping, now: datetime) -> Iterator[NewMessage]:
    start = now - timedelta(days=1)
    for number, (external, line) in enumerate(identified(lines)):
        # Lines without a time keep their order: a day ago, a second apart.
        moment = line.sent_at or start + timedelta(seconds=number)
        things = ({"kind": "file", "name": line.attachment},) if line.attachment else ()
        yield NewMessage(
            line.text,
            sender=mapping.sender(line),
            sender_name=line.speaker,
            sent_at=moment,
            channel=channel,
            conversation=conversation_of(line),
            external_id=external,
            reply_to=line.reply_to,
            attachments=things,
        )


class _Identities:
    """Ids for lines of archives that have none: a hash of time, speaker and text, and a count among equals.

    Equal lines share their time, so only the counts of the last two days are held.
    """

    def __init__(self) -> None:
        self._days: dict[date | None, Counter[bytes]] = {}

    def of(self, line: Line) -> str:
        day = None if line.sent_at is None else line.sent_at.date()
        moment = "" if line.sent_at is None else line.sent_at.isoformat()
        whole = "\x1f".join((line.conversation, moment, line.speaker, line.text, line.attachment))
        key = hashlib.sha256(whole.encode(errors="surrogatepass")).digest()[:16]
        counts = self._days.setdefault(day, Counter())
        for old in list(islice(self._days, max(len(self._days) - 3, 0))):
            if old is not None and old != day:
                del self._days[old]
        counts[key] += 1
        return f"{key.hex()}-{counts[key]}"


def _settle(memory: Memory, sessions: Collection[str]) -> None:
    """History is distilled as a whole, so its sessions don't wait for extraction one by one."""
    for session in sessions:
        memory.sessions.close(session, "import")
        if memory.sessions.get(session).state is not SessionState.SETTLED:
            memory.sessions.settle(session)
