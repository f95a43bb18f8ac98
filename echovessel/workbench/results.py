"""What a run found: per question, per arm, and under which circumstances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from echovessel.workbench.arms.base import Ranked
from echovessel.workbench.labelled import Question, Talk
from echovessel.workbench.metrics import evidence_ranks
from echovessel.workbench.pool import Item, Over, evidence_of

KS = (1, 3, 5, 10, 20, 50)
SESSION_KS = (5, 10)
BUDGETS = (500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm brought back for one question.

    Attributes
    ----------
    ranks, session_ranks : tuples of float
        Rank at which each piece of evidence, or each session that holds some, first came; infinite when
        missed.
    costs : tuple of float
        Tokens of all hits up to the one that brought each piece of evidence; infinite when missed.
    unanswerable : bool
        Nothing answers it. A question may have no evidence in one pool and still have some in another.
    """

    talk: str
    question: str
    category: str
    evidence: tuple[str, ...]
    hits: tuple[Ranked, ...]
    ranks: tuple[float, ...]
    session_ranks: tuple[float, ...]
    costs: tuple[float, ...]
    unanswerable: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Talk and question."""
        return self.talk, self.question


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that one stage took: the median question, and the slow one in twenty."""

    p50: float
    p95: float


@dataclass(frozen=True)
class ArmRun:
    """One arm over one pool.

    Attributes
    ----------
    rows : int
        Items taken in.
    index_seconds : float
        How long taking them in took, with vectors made beforehand.
    timings : mapping of str to Timing
        By stage; ``total`` is all of it but the embedding of the question.
    ungated : tuple of Answer
        The same questions with nothing dropped, where the set has unanswerable ones; else empty.
    """

    arm: str
    over: Over
    answers: tuple[Answer, ...]
    rows: int
    index_seconds: float
    timings: Mapping[str, Timing] = field(default_factory=dict)
    ungated: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """Everything that a number depends on."""

    dataset: str
    data_digest: str
    questions_digest: str
    talks: tuple[str, ...]
    apart: tuple[str, ...]
    left_out: Mapping[str, int]
    repaired: Mapping[str, int]
    notes: tuple[str, ...]
    licence: str
    embedder: Mapping[str, str | int] | None
    embed_seconds: Timing | None
    seed: int
    ks: tuple[int, ...]
    depth: Mapping[str, int]
    weights: Mapping[str, str]
    made_at: str
    commit: str
    versions: Mapping[str, str]
    machine: Mapping[str, str | int]
    split: str = ""


@dataclass(frozen=True)
class BenchRun:
    """A manifest and the arms that ran under it."""

    manifest: Manifest
    arms: tuple[ArmRun, ...]

    def arm(self, name: str, over: Over) -> ArmRun | None:
        """One arm, where it ran."""
        return next((run for run in self.arms if run.arm == name and run.over is over), None)

    @property
    def overs(self) -> tuple[Over, ...]:
        """The pools that were run over, in order."""
        return tuple(dict.fromkeys(run.over for run in self.arms))


def answer(
    talk: Talk, question: Question, over: Over, hits: Sequence[Ranked], items: Mapping[str, Item]
) -> Answer:
    """Set hits against evidence."""
    evidence = evidence_of(question, over)
    found = [items[hit.id] for hit in hits]
    holds = [item.holds for item in found]
    ranks = tuple(evidence_ranks(evidence, holds).tolist())
    spent, total = [], 0
    for item in found:
        total += item.tokens
        spent.append(total)
    costs = tuple(float(spent[int(rank) - 1]) if rank <= len(spent) else math.inf for rank in ranks)
    session_ranks: tuple[float, ...] = ()
    if over is not Over.MEMORY:
        wanted = tuple(dict.fromkeys(talk.session_of[turn] for turn in evidence))
        seen = list(dict.fromkeys(session for item in found for session in item.sessions))
        session_ranks = tuple(evidence_ranks(wanted, [(session,) for session in seen]).tolist())
    return Answer(
        talk.id,
        question.id,
        question.category,
        evidence,
        tuple(hits),
        ranks,
        session_ranks,
        costs,
        question.unanswerable,
    )
