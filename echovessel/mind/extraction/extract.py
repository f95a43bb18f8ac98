"""Asking a model what a talk leaves behind, and checking what it says; nothing is written here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from echovessel.embedding import Embedder, Vectors
from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, Mood, ScopeKind, Session
from echovessel.mind.extraction.check import Checker
from echovessel.mind.extraction.parties import Parties
from echovessel.mind.extraction.records import Became, Draft, Extraction, Named, Refusal, Settled
from echovessel.mind.extraction.repeats import merged, said_before
from echovessel.mind.extraction.schema import Findings
from echovessel.mind.extraction.shown import Shown, gather
from echovessel.mind.extraction.talk import Chunk, Talk
from echovessel.mind.prompts import prompt_file
from echovessel.models.language import LanguageModel, Purpose, Usage, structured
from echovessel.models.language.structured import added

MAX_TOKENS = 4_000
NOTED = 40
QUERIES = 12
# How alike two descriptions must be, on a scale where unrelated texts are 0 and equal ones 1.
LOWER, UPPER = 0.7, 0.9


async def extract(
    memory: Memory,
    embedder: Embedder,
    model: LanguageModel,
    session: Session,
    *,
    messages: Sequence[Message],
) -> Extraction:
    """What a talk leaves behind: asked, parsed, dated and checked, with vectors, and nothing written.

    Parameters
    ----------
    memory : Memory
        In the session's scope.
    embedder : Embedder
        That of the file.
    model : LanguageModel
    session : Session
    messages : sequence of Message
        Those that were not extracted before, in order; a few before them are read with them.

    Raises
    ------
    ModelError
        The model gave no usable answer.
    """
    if memory.context.scope.kind is ScopeKind.SHARED:
        return Extraction(
            session.id, dropped=(Refusal("the shared scope is written by people only", session.id),)
        )
    return await _Extractor(memory, embedder, model, session).run(messages)


class _Extractor:
    """Goes through the chunks of one talk."""

    def __init__(self, memory: Memory, embedder: Embedder, model: LanguageModel, session: Session) -> None:
        self._memory = memory
        self._embedder = embedder
        self._model = model
        self._session = session
        self._drafts: list[Draft] = []
        self._became: dict[str, Became] = {}
        self._settled: dict[str, Settled] = {}
        self._mood: Mood | None = None
        self._dropped: list[Refusal] = []
        self._usage = Usage(cost=0.0)

    async def run(self, messages: Sequence[Message]) -> Extraction:
        talk = await asyncio.to_thread(Talk.of, self._memory, self._session, messages)
        parties = await asyncio.to_thread(Parties, self._memory, talk)
        for chunk in talk.chunks():
            await self._read(talk, chunk, parties)
        named = await self._described(parties)
        unrelated = self._embedder.identity.calibration.unrelated
        lower, upper = (unrelated + share * (1 - unrelated) for share in (LOWER, UPPER))
        return Extraction(
            self._session.id,
            tuple(self._drafts),
            tuple(named),
            tuple(self._became.values()),
            tuple(self._settled.values()),
            self._mood,
            (*self._dropped, *parties.dropped),
            self._usage,
            (lower, upper),
        )

    async def _read(self, talk: Talk, chunk: Chunk, parties: Parties) -> None:
        vectors = await self._embedded(chunk.topics(QUERIES))
        shown = await asyncio.to_thread(gather, self._memory, chunk, vectors)
        recent = list(enumerate(self._drafts))[-NOTED:]
        shown = replace(shown, noted={f"N{place + 1}": (place, draft) for place, draft in recent})
        values = {
            "persona": talk.persona,
            "speaker": talk.speaker,
            "known": shown.text(),
            "talk": chunk.shown(),
        }
        request = prompt_file("extraction", chunk.language).request(
            values=values, purpose=Purpose.EXTRACTION, role="fast", schema=Findings, max_tokens=MAX_TOKENS
        )
        parsed = await structured(self._model, request)
        self._usage = added(self._usage, parsed.usage)
        self._dropped += [Refusal("it could not be read", why) for why in parsed.dropped]
        drafts = await asyncio.to_thread(self._checked, parsed.value, talk, chunk, shown, parties)
        for draft, vector in zip(drafts, await self._embedded([d.node.text for d in drafts]), strict=True):
            await asyncio.to_thread(self._keep, replace(draft, vector=vector), parties)

    def _checked(
        self, found: Findings, talk: Talk, chunk: Chunk, shown: Shown, parties: Parties
    ) -> list[Draft]:
        with self._memory.context.store.read():
            for party in found.entities:
                parties.add(party, shown)
            checker = Checker(self._memory, talk, chunk, shown, parties)
            drafts = [
                *map(checker.event, found.events),
                *map(checker.promise, found.promises),
                *map(checker.expectation, found.expectations),
            ]
            for became in filter(None, map(checker.outcome, found.outcomes)):
                self._became[became.node] = became
            for settled in filter(None, map(checker.answer, found.answers)):
                self._settled[settled.question] = settled
            self._dropped += checker.dropped
        if found.mood is not None:
            felt, last = found.mood, chunk.lines[-1].message.sent_at
            self._mood = Mood(felt.mood, felt.energy, felt.user_signal, last)
        return [draft for draft in drafts if draft is not None]

    def _keep(self, draft: Draft, parties: Parties) -> None:
        """Add a draft, unless the talk or the memory says the same already."""
        place = draft.again
        if place is None and draft.repeats is None:
            place, known = said_before(
                self._memory, draft, self._drafts, parties, self._embedder.identity.calibration.unrelated
            )
            draft = replace(draft, repeats=known)
        if place is None:
            self._drafts.append(draft)
        else:
            self._drafts[place] = merged(self._drafts[place], draft)

    async def _described(self, parties: Parties) -> list[Named]:
        """The third parties, each with the vector of who it is said to be: without that only equal names count."""
        found = await asyncio.to_thread(parties.all)
        vectors = await self._embedded([f"{named.name}: {who}" for named, who in found if who])
        following = iter(vectors)
        return [replace(named, vector=next(following) if who else None) for named, who in found]

    async def _embedded(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._embedder.identity.dim), dtype=np.float32)
        return await asyncio.to_thread(self._embedder.embed, list(texts), kind="passage")
