from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import EmbedderMismatch, InputError, StoreError
from echovessel.memory.context import Context
from echovessel.memory.entities import Entities
from echovessel.memory.messages import Messages
from echovessel.memory.records import NewMessage, Scope
from echovessel.memory.sessions import Sessions
from echovessel.memory.vectors import Layer, Vectors

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TOY = EmbedderIdentity(
    "toy", "1", 3, "c0ffee00", Calibration(Logit(-1, 5, 2), {"zh-en": Logit(-2, 4, 0)}, "run 7", 0.1)
)
X, Y, Z = np.eye(3)


@pytest.fixture
def vectors(context: Context) -> Vectors:
    vectors = Vectors(context)
    vectors.adopt(TOY)
    return vectors


def log_of(context: Context) -> Messages:
    return Messages(context, Sessions(context), Entities(context))


def test_a_new_file_takes_an_embedder_on(context: Context) -> None:
    vectors = Vectors(context)
    assert (vectors.identity(), vectors.active_id, vectors.pending(), vectors.pending_count()) == (
        None,
        None,
        [],
        0,
    )

    vectors.adopt(TOY)
    vectors.adopt(TOY)

    assert vectors.identity() == TOY
    assert context.store.value("SELECT count(*) FROM embedders") == 1


@pytest.mark.parametrize("change", [{"name": "other"}, {"version": "2"}, {"dim": 4}, {"checksum": "bad"}])
def test_another_embedder_is_refused_with_the_command_that_converts(
    vectors: Vectors, change: dict[str, str]
) -> None:
    other = replace(TOY, **change)  # type: ignore[arg-type]

    with pytest.raises(EmbedderMismatch) as caught:
        vectors.adopt(other)

    assert "holds vectors of toy" in str(caught.value)
    assert "`echovessel reembed " in str(caught.value)
    assert 'embedder = "toy"' in str(caught.value)
    assert vectors.identity() == TOY


def test_a_new_calibration_is_just_stored(vectors: Vectors) -> None:
    measured = replace(TOY, calibration=Calibration(Logit(0, 1, 1), {}, "run 8"))

    vectors.adopt(measured)

    assert vectors.identity() == measured


def test_the_queue_is_what_has_no_vector(context: Context, vectors: Vectors) -> None:
    log = log_of(context)
    log.add(NewMessage("has one"), vector=X)
    waits = [log.add(NewMessage(text)) for text in ("first", "second", "gone")]
    log.delete(waits[2].id)
    log.add(NewMessage(""))

    pending = vectors.pending()

    assert [p.text for p in pending] == ["first", "second"]
    assert [p.text for p in vectors.pending(1)] == ["first"]
    assert vectors.pending_count() == 2
    assert vectors.fill(pending, np.stack([Y, Z])) == 2
    assert vectors.pending() == vectors.pending() == []
    log.edit(waits[0].id, "first, edited")
    assert [p.text for p in vectors.pending()] == ["first, edited"]


def test_the_queue_covers_every_scope_and_survives_reopening(context: Context, vectors: Vectors) -> None:
    log_of(context.within(Scope.user("tom"))).add(NewMessage("tom's"))

    assert [p.text for p in Vectors(context).pending()] == ["tom's"]


def test_a_vector_of_an_old_text_is_never_kept(context: Context, vectors: Vectors) -> None:
    log = log_of(context)
    edited, deleted, same = (log.add(NewMessage(text)) for text in ("old", "bad", "same"))
    pending = vectors.pending()
    log.edit(edited.id, "new")
    log.delete(deleted.id)

    assert vectors.fill(pending, np.stack([X, Y, Z])) == 1
    assert [near.id for near in vectors.nearest(X, 5)] == [same.id]
    assert [p.text for p in vectors.pending()] == ["new"]


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        (np.zeros(3), "length 1"),
        (np.array([np.nan, 0, 1]), "length 1"),
        (np.array([np.inf, 0, 0]), "length 1"),
        (np.array([2.0, 0, 0]), "length 1"),
        (np.ones(4) / 2, r"shape \(3,\)"),
        (np.eye(3), r"shape \(3,\)"),
    ],
)
def test_only_unit_vectors_of_the_right_shape_go_in(
    context: Context, vectors: Vectors, vector: np.ndarray, message: str
) -> None:
    stored = log_of(context).add(NewMessage("a"))

    with pytest.raises(InputError, match=message):
        vectors.put_message(1, vector)
    with pytest.raises(InputError, match=message):
        vectors.nearest(vector, 1)
    with pytest.raises(InputError):
        vectors.fill(vectors.pending(), vector[None])
    assert [p.text for p in vectors.pending()] == [stored.text]


def test_without_an_embedder_no_vector_goes_in(context: Context) -> None:
    with pytest.raises(StoreError, match="no embedder"):
        log_of(context).add(NewMessage("a"), vector=X)
    assert log_of(context).count() == 0


def test_filters_come_before_the_cut(context: Context, vectors: Vectors) -> None:
    """200 deleted, foreign and later neighbours, each nearer than the live answer, hide nothing."""
    log, tom = log_of(context), log_of(context.within(Scope.user("tom")))
    near = np.array([0.8, 0.6, 0.0])
    answer = log.add(NewMessage("answer", sent_at=NOON - timedelta(days=2)), vector=near)
    for message in log.add_many((NewMessage(f"gone {n}") for n in range(70)), vectors=[X] * 70):
        log.delete(message.id)
    tom.add_many((NewMessage(f"theirs {n}") for n in range(70)), vectors=[X] * 70)
    log.add_many((NewMessage(f"later {n}") for n in range(70)), vectors=[X] * 70)

    (hit,) = vectors.nearest(X, 1, as_of=NOON - timedelta(days=1))

    assert hit.id == answer.id
    assert hit.cosine == pytest.approx(0.8, abs=1e-6)
    assert hit.layer is Layer.MESSAGE
    with pytest.raises(InputError, match="1 or more"):
        vectors.nearest(X, 0)


def test_nearest_agrees_with_numpy(context: Context, vectors: Vectors) -> None:
    random = np.random.default_rng(7)
    matrix = random.normal(size=(50, 3))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    stored = log_of(context).add_many((NewMessage(f"n {n}") for n in range(50)), vectors=matrix)

    hits = vectors.nearest(matrix[3], 10)

    cosines = matrix @ matrix[3]
    expected = np.argsort(-cosines)[:10]
    assert [hit.id for hit in hits] == [stored[n].id for n in expected]
    np.testing.assert_allclose([hit.cosine for hit in hits], cosines[expected], atol=1e-5)
