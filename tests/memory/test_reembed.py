from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from echovessel.embedding import Calibration, EmbedderIdentity, Logit, TextKind
from echovessel.embedding import Vectors as Array
from echovessel.errors import EmbedderMismatch
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.messages import Messages
from echovessel.memory.records import NewMessage
from echovessel.memory.reembed import Reembed
from echovessel.memory.sessions import Sessions
from echovessel.memory.vectors import Vectors


class Axis:
    """Puts every text on one axis; can be told to die after some batches, like a killed program."""

    def __init__(self, name: str, dim: int, axis: int, dies_after: int | None = None) -> None:
        self.identity = EmbedderIdentity(name, "1", dim, name, Calibration(Logit(0, 1, 1)))
        self.axis, self.dies_after, self.texts = axis, dies_after, 0

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Array:
        assert kind == "passage"
        if self.dies_after == 0:
            raise KeyboardInterrupt
        self.dies_after = None if self.dies_after is None else self.dies_after - 1
        self.texts += len(texts)
        vectors = np.zeros((len(texts), self.identity.dim), dtype=np.float32)
        vectors[:, self.axis] = 1.0
        return vectors


OLD, NEW = Axis("old", 2, 0), Axis("new", 3, 1)


@pytest.fixture
def log(context: Context) -> Messages:
    Vectors(context).adopt(OLD.identity)
    log = Messages(context, Sessions(context), Entities(context))
    log.add_many((NewMessage(f"n {n}") for n in range(10)), vectors=[np.array([1.0, 0.0])] * 10)
    return log


def test_the_new_vectors_take_over(context: Context, log: Messages) -> None:
    steps: list[tuple[int, int]] = []

    made = Reembed(context, NEW).run(batch=4, progress=lambda done, total: steps.append((done, total)))

    vectors = Vectors(context)
    assert made == 10
    assert steps == [(4, 10), (8, 10), (10, 10)]
    assert vectors.identity() == NEW.identity
    assert len(vectors.nearest(np.array([0.0, 1.0, 0.0]), 20)) == 10
    assert context.store.value("SELECT count(*) FROM message_vectors") == 10
    assert context.store.value("SELECT count(*) FROM embedders") == 1
    with pytest.raises(EmbedderMismatch):
        vectors.adopt(OLD.identity)
    assert Reembed(context, NEW).run() == 0


def test_killed_midway_the_old_vectors_hold_and_the_next_run_goes_on(context: Context, log: Messages) -> None:
    with pytest.raises(KeyboardInterrupt):
        Reembed(context, Axis("new", 3, 1, dies_after=2)).run(batch=3)

    vectors = Vectors(context)
    vectors.adopt(OLD.identity)
    assert len(vectors.nearest(np.array([1.0, 0.0]), 20)) == 10
    added = log.add(NewMessage("written meanwhile"))
    log.edit(log.between()[0].id, "edited meanwhile")

    again = Axis("new", 3, 1)
    made = Reembed(context, again).run(batch=3)

    assert made == again.texts == 10 - 6 + 2  # six were made, one of them of a text that has changed
    near = {hit.id for hit in vectors.nearest(np.array([0.0, 1.0, 0.0]), 20)}
    assert len(near) == 11
    assert added.id in near


def test_no_switch_while_a_text_waits(context: Context, log: Messages) -> None:
    assert Reembed(context, NEW).switch() is False
    assert Vectors(context).identity() == OLD.identity


def test_what_an_abandoned_run_left_goes_with_the_next_switch(context: Context, log: Messages) -> None:
    with pytest.raises(KeyboardInterrupt):
        Reembed(context, Axis("abandoned", 4, 0, dies_after=1)).run(batch=3)

    Reembed(context, NEW).run()

    assert context.store.rows("SELECT name FROM embedders") == [("new",)]
    assert context.store.value("SELECT count(*) FROM message_vectors") == 10


def test_a_file_without_vectors_takes_the_embedder_on(context: Context) -> None:
    Messages(context, Sessions(context), Entities(context)).add(NewMessage("a"))

    assert Reembed(context, NEW).run() == 1
    assert Vectors(context).identity() == NEW.identity
