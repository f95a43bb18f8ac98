"""The bars of our own set over gold memory: how many questions of a type may go wrong, and how many do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from echovessel.workbench.labelled import LabelledSet, Question
from echovessel.workbench.results import Answer, ArmRun

K = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar and how an arm stands to it.

    Attributes
    ----------
    rule : str
        What counts as an error, in words.
    errors, n : int
        Questions that broke the rule, of how many.
    allowed : int
        How many may.
    first : int
        Questions whose right memory comes first of all: stricter than the rule, and told beside it.
    wrong : tuple of str
        ``TALK QUESTION`` of each error.
    """

    type: str
    rule: str
    errors: int
    n: int
    allowed: int
    first: int
    wrong: tuple[str, ...]

    @property
    def held(self) -> bool:
        """Whether no more went wrong than may."""
        return self.errors <= self.allowed


Fails = Callable[[Question, Answer], bool]


def _missed(question: Question, answer: Answer) -> bool:
    return _best(answer) > K


def _outranked(question: Question, answer: Answer) -> bool:
    """The decoy is there and the right memory isn't above it."""
    return question.decoy is not None and _rank(answer, question.decoy) < _best(answer)


def _stale_first(question: Question, answer: Answer) -> bool:
    """The current memory isn't among the first ten, or a replaced one is above it."""
    return _best(answer) > K or any(_rank(answer, name) < _best(answer) for name in question.stale)


RULES: Mapping[str, tuple[str, Fails]] = {
    "alias": (f"the right memory is not among the first {K}", _missed),
    "alias_cross": (f"the right memory is not among the first {K}", _missed),
    "decoy": ("the decoy is above the right memory", _outranked),
    "updated": (f"the current fact is not among the first {K}, or a replaced one is above it", _stale_first),
}
ALLOWED: Mapping[str, int] = dict.fromkeys(RULES, 0)


def bars(run: ArmRun, labelled: LabelledSet) -> list[Bar]:
    """Hold one arm's answers over gold memory against every bar.

    A question is right when any of its evidence memories is. Alias questions count where the alias is
    known, which is everywhere: a label whose alias no entity goes by fails the set's own checks.
    """
    questions = {(talk.id, q.id): q for talk in labelled.talks for q in talk.questions}
    found = []
    for kind, (rule, fails) in RULES.items():
        asked = [(questions[a.key], a) for a in run.answers if a.category == kind]
        wrong = tuple(" ".join(a.key) for question, a in asked if fails(question, a))
        first = sum(_best(a) == 1 for _, a in asked)
        found.append(Bar(kind, rule, len(wrong), len(asked), ALLOWED[kind], first, wrong))
    return found


def _best(answer: Answer) -> float:
    return min(answer.ranks, default=math.inf)


def _rank(answer: Answer, name: str) -> float:
    return next((rank for rank, hit in enumerate(answer.hits, start=1) if hit.id == name), math.inf)
