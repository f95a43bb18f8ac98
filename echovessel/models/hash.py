"""hash: vectors without a model, for tests and examples."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from echovessel.embedding import EmbedderIdentity, TextKind, Vectors
from echovessel.models.calibration import calibration
from echovessel.models.hygiene import clean_all, unit
from echovessel.text import fold, is_han, pieces

NAME = "hash"
DIM = 256
MAX_CHARS = 100_000


class HashEmbedder:
    r"""Deterministic, without a model. Equal words, near vectors; it knows no meaning.

    A text is the sum of its terms, words in Latin and other scripts and bigrams of Han characters, each
    weighted by the root of its count:

    .. math:: v = \sum_t \sqrt{n_t}\, s(t), \quad s(t) \in \{-1, 1\}^{256}

    The signs s(t) are the bits of BLAKE2b of the term, so they are the same in every process and on every
    machine. The cosine of two texts without a common term is about 0 ± 0.06.
    """

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Who made the vectors; the checksum stands for the rule, as there are no weights."""
        rule = f"blake2b-{DIM}:words+han-bigrams:sqrt"
        return EmbedderIdentity(
            name=NAME,
            version="1",
            dim=DIM,
            checksum=hashlib.sha256(rule.encode()).hexdigest(),
            calibration=calibration(NAME),
        )

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        """Unit vectors, float32, shape (len(texts), 256). A text without a term gets one fixed vector."""
        out = np.zeros((len(texts), DIM), dtype=np.float32)
        for row, text in zip(out, clean_all(texts, max_chars=MAX_CHARS), strict=True):
            for term, n in sorted(Counter(terms(text)).items()):  # sorted: float sums depend on order
                row += np.sqrt(np.float32(n)) * _signs(term)
            if not row.any():  # no term, or signs that cancel to the last one
                row += _signs("")
        return unit(out)


def terms(text: str) -> list[str]:
    """Words, and Han bigrams (a lone character stands for itself), folded."""
    found = []
    for piece in pieces(fold(text)):
        if is_han(piece[0]) and len(piece) > 1:
            found += [piece[i : i + 2] for i in range(len(piece) - 1)]
        else:
            found.append(piece)
    return found


@lru_cache(maxsize=50_000)
def _signs(term: str) -> Vectors:
    bits = np.unpackbits(
        np.frombuffer(hashlib.blake2b(term.encode(), digest_size=DIM // 8).digest(), np.uint8)
    )
    signs = bits.astype(np.float32) * 2 - 1
    signs.flags.writeable = False  # shared by every caller
    return signs
