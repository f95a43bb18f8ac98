"""Phrases that set one speaker apart from the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import regex

from echovessel.memory.recall.analyser import FUNCTION_HAN, STOP_WORDS
from echovessel.text import fold, is_han, pieces

_APART = regex.compile(r"[^\w\s'’]+|\n")  # punctuation and emoji; an apostrophe belongs to its word

LONGEST = 3
PRIOR = 0.01  # of a phrase's count among everybody, as the prior's weight
LEAST = 3  # a phrase said less often sets nobody apart


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase with how often each side said it; `z` is how sure it is that the speaker prefers it."""

    text: str
    mine: int
    others: int
    z: float


def grams(text: str) -> list[str]:
    """Word and Han n-grams of one to three pieces, folded; punctuation parts them."""
    found: list[str] = []
    for part in _APART.split(fold(text)):
        found += _of_run(
            [word for piece in pieces(part) for word in (piece if is_han(piece[0]) else (piece,))]
        )
    return found


def _of_run(run: list[str]) -> list[str]:
    found = []
    for size in range(1, LONGEST + 1):
        for start in range(len(run) - size + 1):
            part = run[start : start + size]
            if size == 1 and is_han(part[0][0]):
                continue  # one character says nothing of a voice; particles are counted apart
            found.append("".join(part) if all(is_han(p[0]) for p in part) else " ".join(part))
    return found


def distinctive(mine: Iterable[str], others: Iterable[str], *, most: int = 20) -> list[Phrase]:
    r"""The phrases that a speaker uses more than the others, the surest first.

    Weighted log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn, 2008, "Fightin' Words"):

    .. math:: \delta = \log\frac{y_1 + a}{n_1 + A - y_1 - a} - \log\frac{y_2 + a}{n_2 + A - y_2 - a}, \qquad
              z = \delta / \sqrt{1 / (y_1 + a) + 1 / (y_2 + a)}

    where :math:`a` is the phrase's share of the prior.

    Parameters
    ----------
    mine, others : iterable of str
        Lines of the speaker and of everybody else.
    most : int
        At most so many; a phrase within a longer one that is as sure is left out, and so is a bare stop word.
    """
    one, two = Counter[str](), Counter[str]()
    for line in mine:
        one.update(grams(line))
    for line in others:
        two.update(grams(line))
    n_one, n_two = sum(one.values()), sum(two.values())
    if not n_one or not n_two:
        return []
    prior = PRIOR * (n_one + n_two)
    found = []
    for gram, count in one.items():
        if count < LEAST or _says_nothing(gram):
            continue
        other = two[gram]
        alpha = PRIOR * (count + other)
        delta = _log_odds(count + alpha, n_one + prior) - _log_odds(other + alpha, n_two + prior)
        found.append(Phrase(gram, count, other, delta / math.sqrt(1 / (count + alpha) + 1 / (other + alpha))))
    found.sort(key=lambda phrase: (-phrase.z, phrase.text))
    kept: list[Phrase] = []
    for phrase in found:
        if phrase.z < 1.96 or len(kept) == most:
            break
        # Of thousands of phrases some are one-sided by chance: as many times less likely must this one be.
        if _by_chance(phrase.mine, phrase.others, n_one / (n_one + n_two)) * len(found) > 0.05:
            continue
        if not any(phrase.text in longer.text and phrase.mine <= longer.mine * 1.5 for longer in kept):
            kept.append(phrase)
    return kept


def _by_chance(mine: int, others: int, share: float) -> float:
    """How likely somebody who says a `share` of all says a phrase so often or oftener (binomial, one-sided)."""
    total = mine + others
    return sum(
        math.exp(
            math.lgamma(total + 1)
            - math.lgamma(count + 1)
            - math.lgamma(total - count + 1)
            + count * math.log(share)
            + (total - count) * math.log1p(-share)
        )
        for count in range(mine, total + 1)
    )


def _says_nothing(gram: str) -> bool:
    """Whether it is a stop word, or Han of particles and pronouns alone."""
    return gram in STOP_WORDS or all(character in FUNCTION_HAN for character in gram)


def _log_odds(count: float, total: float) -> float:
    return math.log(count / (total - count))
