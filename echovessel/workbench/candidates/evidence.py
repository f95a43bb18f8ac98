"""Where the evidence stands among scored candidates: all questions at once, without sorting any."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from echovessel.workbench.candidates.table import Candidates

OUT = -np.inf  # the score of a row that does not compete


class Evidence:
    """The pieces of evidence of every question, and the rows that bring them.

    Attributes
    ----------
    of : array of shape (pieces,)
        The question of each piece.
    question, row, piece : arrays of shape (lines,)
        One line for each way to find a piece: its question, the row that brings it, and which piece of `of` it is.
    """

    def __init__(self, found: Candidates) -> None:
        self._starts = found.starts
        pieces = found.questions["evidence"]
        self.of = np.repeat(np.arange(len(found), dtype=np.intp), pieces.list.len().to_numpy())
        number = {
            (question, piece): at
            for at, (question, piece) in enumerate(
                (question, piece) for question, each in enumerate(pieces.to_list()) for piece in each
            )
        }
        lines = found.pieces
        self.question = lines["question"].to_numpy().astype(np.intp)
        self.row = lines["row"].to_numpy().astype(np.intp)
        self.piece = np.array(
            [number[line] for line in lines.select("question", "piece").iter_rows()], np.intp
        )

    def lines(self, question: int) -> slice:
        """The lines of one question."""
        first, last = np.searchsorted(self.question, [question, question + 1])
        return slice(int(first), int(last))

    def ranks(self, scores: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """Where each line's row stands in its question when the best `k` by score are taken.

        Equal scores go by place, which is how recall breaks ties.

        Returns
        -------
        array of shape (lines,); infinite beyond `k`, and for rows that do not compete.
        """
        ranks = np.full(len(self.row), np.inf)
        for lines, rows, begins, sizes in self._layers:
            own = self.row[lines]
            mine = scores[own]
            # The first layer holds nearly every question: a view instead of a copy where it holds them all.
            others = scores[rows]
            threshold = np.repeat(mine, sizes)
            above = np.add.reduceat(others > threshold, begins, dtype=np.int32)
            equal = np.flatnonzero(others == threshold)
            owner = np.searchsorted(begins, equal, side="right") - 1
            first = rows.start if isinstance(rows, slice) else 0
            place = equal + first if isinstance(rows, slice) else rows[equal]
            np.add.at(above, owner[place < own[owner]], 1)
            rank = np.where(mine == OUT, np.inf, above + 1.0)
            ranks[lines] = np.where(rank <= k, rank, np.inf)
        return ranks

    def best(self, line_ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rank at which each piece first comes; shape (pieces,)."""
        found = np.full(len(self.of), np.inf)
        np.minimum.at(found, self.piece, line_ranks)
        return found

    @cached_property
    def _layers(
        self,
    ) -> list[tuple[NDArray[np.intp], slice | NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]]:
        """Lines with at most one of each question, so that a layer is ranked in one pass.

        For each layer its lines; the rows of their questions, one after another; where each question's begin, and how
        many they are.
        """
        nth = np.arange(len(self.question)) - np.searchsorted(self.question, self.question)
        layers = []
        for layer in range(int(nth.max()) + 1 if len(nth) else 0):
            lines = np.flatnonzero(nth == layer)
            asked = self.question[lines]
            starts, stops = self._starts[asked], self._starts[asked + 1]
            sizes = stops - starts
            begins = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
            rows: slice | NDArray[np.intp]
            if np.array_equal(starts[1:], stops[:-1]):
                rows = slice(int(starts[0]), int(stops[-1]))
            else:
                rows = np.concatenate([np.arange(a, b) for a, b in zip(starts, stops, strict=True)])
            layers.append((lines, rows, begins, sizes))
        return layers
