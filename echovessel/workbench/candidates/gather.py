"""Gathering: recall is asked every question once, with nothing dropped, and tells what it sees of each memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from echovessel.clock import to_micros
from echovessel.embedding import Embedder
from echovessel.errors import InputError
from echovessel.memory.recall import Weights
from echovessel.memory.recall.fitting import asks_when, says_when
from echovessel.memory.recall.recall import LEXICAL_ONLY
from echovessel.memory.recall.result import Hit
from echovessel.memory.recall.weights import KINDS, MESSAGE, NODE_KINDS
from echovessel.text import language_of
from echovessel.workbench.bench import DEPTH
from echovessel.workbench.candidates.table import (
    ENTITY,
    ITEMS,
    NOBODY,
    QUESTIONS,
    ROWS,
    SPEAKER,
    Candidates,
    Head,
)
from echovessel.workbench.ingest import Stored, store
from echovessel.workbench.labelled import LabelledSet, Question, Talk, TalkSession
from echovessel.workbench.manifest import identity_record, questions_digest
from echovessel.workbench.pool import Over, evidence_of, pool

_SPEAKER = 0.5  # any value strictly between nobody's 0 and an entity's 1 tells the three apart
_OPEN = Weights(min_relevance=0.0, anchored_share=1.0, speaker_anchor=_SPEAKER)
_DAY = 86_400_000_000  # microseconds

Progress = Callable[[str], None]


def gather(
    labelled: LabelledSet,
    *,
    over: Over = Over.MESSAGES,
    embedder: Embedder | None = None,
    neighbours: bool = True,
    code: str = "",
    progress: Progress | None = None,
) -> Candidates:
    """Ask recall itself, once a question, for everything it would weigh.

    Parameters
    ----------
    labelled : LabelledSet
        The data.
    over : Over
        What is gone over.
    embedder : Embedder, optional
        Without one, words alone count.
    neighbours : bool
        Whether turns of one session lend each other words, as they do in recall.
    code : str
        Kept in the head: what the numbers were computed by.

    Raises
    ------
    InputError
        The set has no question, or no gold memory where `over` goes over it.
    """
    if not any(talk.questions for talk in labelled.talks):
        raise InputError(f"{labelled.name} has no question that can be asked. Choose another set or split.")
    items: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    rows: list[pl.DataFrame] = []
    talks = labelled.talks if neighbours else tuple(map(without_neighbours, labelled.talks))
    for number, talk in enumerate(talks, start=1):
        if progress:
            progress(f"{labelled.name} over {over}: {talk.id} ({number} of {len(talks)})")
        with tempfile.TemporaryDirectory(prefix="echovessel-candidates-") as folder:
            stored = store(talk, Path(folder) / "memory.db", over=over, embedder=embedder)
            try:
                _of_talk(talk, over, embedder, stored, items, questions, rows)
            finally:
                stored.close()
    head = Head(
        dataset=labelled.name,
        data_digest=labelled.digest,
        questions_digest=questions_digest(labelled.talks),
        split=labelled.split,
        over=over,
        depth=DEPTH[over],
        apart=tuple(sorted(labelled.apart)),
        embedder=identity_record(embedder.identity) if embedder else None,
        calibration=embedder.identity.calibration if embedder else LEXICAL_ONLY,
        code=code,
        neighbours=neighbours,
    )
    return Candidates(
        head, pl.DataFrame(items, schema=ITEMS), pl.DataFrame(questions, schema=QUESTIONS), pl.concat(rows)
    )


def without_neighbours(talk: Talk) -> Talk:
    """The same talk with every turn in a session of its own, so that none lends another its words."""
    sessions = tuple(TalkSession(f"{turn.id}/alone", (turn,)) for turn in talk.turns())
    return replace(talk, sessions=sessions)


def _of_talk(
    talk: Talk,
    over: Over,
    embedder: Embedder | None,
    stored: Stored,
    items: list[dict[str, Any]],
    questions: list[dict[str, Any]],
    rows: list[pl.DataFrame],
) -> None:
    known = {item.id: item for item in pool(talk, over)}
    place: dict[str, int] = {}  # stored ids
    for question in talk.questions:
        hits = sorted(_asked(question, over, embedder, stored, len(known)), key=lambda hit: hit.id)
        if not place:
            place = {hit.id: len(items) + at for at, hit in enumerate(hits)}
            items += [_item(hit, talk, known[stored.item_of[hit.id]].holds, stored.item_of) for hit in hits]
        moment = to_micros(question.asked_at)
        rows.append(
            pl.DataFrame(
                {
                    "question": [len(questions)] * len(hits),
                    "item": [place[hit.id] for hit in hits],
                    "cosine": [hit.factors.cosine for hit in hits],
                    "lexical": [hit.factors.lexical for hit in hits],
                    "age": [(moment - to_micros(hit.happened_at)) / _DAY for hit in hits],
                    "anchor": [_anchor(hit) for hit in hits],
                    "superseded": [hit.superseded for hit in hits],
                },
                schema=ROWS,
            )
        )
        questions.append(
            {
                "talk": talk.id,
                "question": question.id,
                "category": question.category,
                "language": language_of(question.text),
                "evidence": list(evidence_of(question, over)),
                "stale": list(question.stale),
                "unanswerable": question.unanswerable,
                "asks_when": asks_when(question.text),
            }
        )


def _asked(
    question: Question, over: Over, embedder: Embedder | None, stored: Stored, count: int
) -> Sequence[Hit]:
    """Everything recall knows. Messages and nodes are asked for apart, for a message folds under a node it bears."""
    vector = embedder.embed([question.text], kind="query")[0] if embedder else None
    layers = {Over.MESSAGES: ((MESSAGE,),), Over.MEMORY: (NODE_KINDS,), Over.EVENTS: (NODE_KINDS, (MESSAGE,))}
    found: dict[str, Hit] = {}
    for kinds in layers[over]:
        recall = stored.memory.recall(
            question.text,
            vector=vector,
            weights=_OPEN.with_(kinds=kinds),
            k=max(count, 1),
            now=question.asked_at,
            include_superseded=True,
        )
        found |= {hit.id: hit for hit in recall.hits}
    return list(found.values())


def _item(hit: Hit, talk: Talk, holds: tuple[str, ...], item_of: dict[str, str]) -> dict[str, Any]:
    message = hit.kind == MESSAGE
    return {
        "talk": talk.id,
        "item": item_of[hit.id],
        "kind": KINDS.index(hit.kind),
        "holds": list(holds),
        "impact": hit.factors.impact,
        "tagged": hit.factors.relational_bonus > 0,
        "timed": message and says_when(hit.text),
        "han": language_of(hit.text) == "zh",
        "sources": [] if message else [item_of[source] for source in hit.sources],
    }


def _anchor(hit: Hit) -> int:
    if hit.factors.anchored:
        return ENTITY
    return SPEAKER if hit.factors.entity_anchor == _SPEAKER else NOBODY
