"""A persona from an archive, without a model: history, blocks, facts and people, each with what bears it out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from echovessel.distill.archive import Line, Options, Reader, Report
from echovessel.distill.blocks import blocks
from echovessel.distill.claims import Claim
from echovessel.distill.consent import consent, record
from echovessel.distill.drafting import Draft, Drafter
from echovessel.distill.history import Mapping, Stored, conversation_of, digest, identified, store
from echovessel.distill.pseudonyms import Pseudonyms
from echovessel.distill.source import Source
from echovessel.distill.writing import Writer, write_blocks
from echovessel.memory.context import Context
from echovessel.memory.imports import Import
from echovessel.memory.memory import Memory
from echovessel.memory.records import CoreLabel

_NOTE = "distilled from {source}"
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Distilled:
    """What a run did.

    Attributes
    ----------
    stored : Stored
        Of the history.
    imported : str
        The import's id, by which it can be taken back; empty when nothing was new.
    draft : Draft
        With each claim accepted or not.
    written : tuple of CoreLabel
        Blocks that changed.
    kept : tuple of CoreLabel
        Blocks that a person wrote, and that were left as they are.
    facts, entities : int
        How many were added.
    hidden : dict
        How often each kind of thing was hidden.
    """

    stored: Stored
    imported: str
    draft: Draft
    written: tuple[CoreLabel, ...]
    kept: tuple[CoreLabel, ...]
    facts: int
    entities: int
    hidden: dict[str, int]


def distil(
    memory: Memory,
    source: Source,
    reader: Reader,
    mapping: Mapping,
    *,
    kind: str,
    consent_note: str = "",
    options: Options | None = None,
    review: Callable[[Claim], bool] = lambda claim: True,
    hide: Pseudonyms | None = None,
    progress: Callable[[int], None] | None = None,
    drafted: Callable[[int], None] | None = None,
    seed: int = 0,
) -> Distilled:
    """Make a persona of an archive's speaker, in the scope that `memory` is in.

    History and third parties go to that scope, and what is said of the talk with the user. What the persona tells of
    its own life is shared, as are the blocks `persona`, `self` and `style`. All of it belongs to one import, so that
    undoing that import takes it back whole. Again with the same archive it adds nothing; a longer one adds what is
    new; a run that was killed goes on. What was forgotten doesn't come back, and nothing is said that rests on it.

    Parameters
    ----------
    kind : str
        ``fictional``, ``original``, ``self``, ``consented``, ``memorial`` or ``research``.
    consent_note : str
        Who agreed, and how; needed for ``consented``.
    options : Options, optional
        What the file doesn't say.
    review : callable, optional
        Whether a claim is accepted; all are when left out.
    hide : Pseudonyms, optional
        Whom to hide, before anything is stored.
    progress, drafted : callable, optional
        Called with the number of lines stored so far, and then of lines gone over, about every thousand.

    Raises
    ------
    InputError
        No such kind, or no note where one is needed; nothing is written then.
    MissingExtra
        scikit-learn is not installed.
    """
    run = Run(memory, source, reader, mapping, options or Options(), hide, seed)
    run.begin(kind, consent_note, progress)
    for number, (ident, line) in enumerate(run.live(), start=1):
        if run.drafter.take(line):
            run.ids[line] = ident
        if drafted is not None and number % _BATCH == 0:
            drafted(number)
    return run.finish(run.drafter.done(), review)


class Run:
    """One run over one archive, in steps: `begin`, the lines of `live`, `finish`.

    Attributes
    ----------
    drafter : Drafter
    ids : dict
        The message of each line that is quoted.
    """

    def __init__(
        self,
        memory: Memory,
        source: Source,
        reader: Reader,
        mapping: Mapping,
        options: Options,
        hide: Pseudonyms | None,
        seed: int,
    ) -> None:
        self.drafter = Drafter(mapping, zone=options.zone, seed=seed)
        self.ids: dict[Line, str] = {}
        self._memory = memory
        self._source = source
        self._reader = reader
        self._mapping = mapping
        self._options = options
        self._hide = hide
        self._hidden: dict[str, int] = {}
        self._stored: Stored | None = None

    def begin(self, kind: str, note: str, progress: Callable[[int], None] | None) -> Stored:
        """Record consent and store the history."""
        given = consent(kind, note)
        record(self._memory.context, given)
        self._stored = store(
            self._memory,
            self._source,
            self._reader,
            self._mapping,
            options=self._options,
            progress=progress,
            change=self._changed,
        )
        self._hidden = {} if self._hide is None else dict(self._hide.report)  # before lines are read again
        return self._stored

    def live(self) -> Iterator[tuple[str, Line]]:
        """The lines that stand in memory word for word, each with its message's id."""
        lines = self._reader.read(self._source, self._options, Report())
        taken = map(self._changed, filter(self._mapping.takes, lines))
        return _live(self._memory.context, self._reader.name, taken)

    def finish(self, found: Draft, review: Callable[[Claim], bool]) -> Distilled:
        """Write what was accepted."""
        assert self._stored is not None
        found = replace(found, claims=tuple(replace(claim, accepted=review(claim)) for claim in found.claims))
        under, ours = _import(self._memory, self._source, self._stored)
        context = self._memory.imports.context_of(under.id)
        texts = blocks(found.claims, language=found.voice.language)
        written, kept = write_blocks(context, texts, _NOTE.format(source=self._source.name))
        writer = Writer(context, self._mapping, self.ids)
        people = writer.people(found)
        added = writer.facts(found) + writer.claims(found)
        if ours:
            self._memory.imports.finish(under.id)
        brought = bool(self._stored.new or written or added or people)
        if ours and not brought:
            self._memory.imports.discard(under.id)
        return Distilled(
            self._stored, under.id if brought else "", found, written, kept, added, people, self._hidden
        )

    def _changed(self, line: Line) -> Line:
        return line if self._hide is None else self._hide.hide(line)


def _live(context: Context, channel: str, lines: Iterable[Line]) -> Iterator[tuple[str, Line]]:
    numbered = identified(lines)
    while batch := list(islice(numbered, _BATCH)):
        wanted = sorted({external for external, _ in batch})
        rows = context.store.rows(
            "SELECT conversation, external_id, id, text FROM messages WHERE persona = ? AND scope = ?"
            " AND channel = ? AND deleted_at IS NULL AND external_id IN (SELECT value FROM json_each(?))",
            (context.persona, context.scope.key, channel, json.dumps(wanted)),
        )
        known = {(talk, external): (ident, text) for talk, external, ident, text in rows}
        for external, line in batch:
            ident, text = known.get((conversation_of(line), external), ("", ""))
            if ident and text == line.text:
                yield ident, line


def _import(memory: Memory, source: Source, stored: Stored) -> tuple[Import, bool]:
    """The import that the history came by, or a new one when all of it came by others."""
    content = digest(source)
    known = {found.id: found for found in memory.imports.list()}
    if stored.imported.id in known:
        return known[stored.imported.id], False
    if earlier := memory.imports.find(content):
        return earlier[-1], False
    return memory.imports.start(source.name, content), True
