"""Exchanges that show a voice: what the other said, and how the persona answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from echovessel.distill.archive import Line
from echovessel.distill.facts import facts
from echovessel.distill.pseudonyms import Pseudonyms
from echovessel.errors import MissingExtra
from echovessel.text import fold

LONGEST = 240  # characters of an answer; a longer one fills a prompt and shows no more
SEEN = 5_000  # exchanges clustered; of more, so many spread evenly over time


@dataclass(frozen=True, slots=True)
class Exchange:
    """A line of somebody else, and the persona's next."""

    cue: Line
    answer: Line


def exchanges(lines: Iterable[Line], persona: frozenset[str]) -> list[Exchange]:
    """Every answer of the persona's with the line before it, in order.

    Exchanges are shown to whoever talks with the persona. Left out is therefore what tells something of the other: a
    line that states a fact, and either's telephone numbers, addresses and ids.

    Parameters
    ----------
    lines : iterable of Line
        An archive in its order.
    persona : frozenset of str
        The names under which the persona speaks.
    """
    return [
        Exchange(cue, answer)
        for cue, answer in pairwise(lines)
        if answer.speaker in persona
        and cue.speaker not in persona
        and cue.conversation == answer.conversation
        and cue.text.strip()
        and answer.text.strip()
        and not answer.forwarded
        and len(answer.text) <= LONGEST
        and len(cue.text) <= LONGEST
        and not facts([cue])
        and not _private(cue.text)
        and not _private(answer.text)
    ]


def _private(text: str) -> bool:
    return Pseudonyms(()).text(text) != text


def exemplars(found: Sequence[Exchange], *, most: int = 8, seed: int = 0) -> list[Exchange]:
    """A few exchanges that stand for all: the answer nearest the centre of each cluster.

    Answers are clustered by their character n-grams (TF-IDF, k-means), so that each kind of thing the persona says
    is shown once. The same exchanges and seed give the same choice.

    Parameters
    ----------
    found : sequence of Exchange
    most : int
        At most so many, at least 1.
    seed : int

    Returns
    -------
    Exchanges in the order they were given.

    Raises
    ------
    MissingExtra
        scikit-learn is not installed.
    """
    first: dict[str, Exchange] = {}
    for each in found:
        first.setdefault(fold(each.answer.text), each)
    distinct = list(first.values())
    if len(distinct) <= most:
        return distinct
    step = max(len(distinct) / SEEN, 1.0)
    seen = [distinct[int(number * step)] for number in range(int(len(distinct) / step))]
    return [seen[index] for index in sorted(_nearest([each.answer.text for each in seen], most, seed))]


def _nearest(texts: Sequence[str], clusters: int, seed: int) -> set[int]:
    try:
        from sklearn.cluster import KMeans  # type: ignore[import-untyped]
        from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("Choosing representative exchanges", "distill") from error
    vectors = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(1, 3), sublinear_tf=True, max_features=20_000, preprocessor=fold
    ).fit_transform(texts)
    # Texts that differ may share their n-grams; no more clusters than different vectors.
    different = len({tuple(row.indices) + tuple(row.data) for row in vectors})
    means = KMeans(n_clusters=min(clusters, different), n_init=4, random_state=seed).fit(vectors)
    distances = means.transform(vectors)
    return {
        min(
            (i for i, label in enumerate(means.labels_) if label == cluster),
            key=lambda i: distances[i, cluster],
        )
        for cluster in set(means.labels_)
    }
