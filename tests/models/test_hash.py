"""The hash embedder: the same everywhere, and near exactly where words are shared."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from echovessel.models.hash import HashEmbedder, terms

SCRIPT = """
import sys
from echovessel.models.hash import HashEmbedder
sys.stdout.buffer.write(HashEmbedder().embed(["Scott likes 苹果派 and tea"], kind="query").tobytes())
"""


@pytest.mark.parametrize("seed", ["0", "12345"])
def test_another_process_makes_the_same_bits(seed: str) -> None:
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, check=True).stdout

    assert made == HashEmbedder().embed(["Scott likes 苹果派 and tea"], kind="query").tobytes()


def test_the_first_signs_are_fixed_for_ever() -> None:
    # The bits of BLAKE2b("tea", 32 bytes), most significant first: a changed rule needs a new version.
    vector = HashEmbedder().embed(["tea"], kind="query")[0]

    assert "".join("1" if x > 0 else "0" for x in vector[:16]) == "0100100001101010"
    np.testing.assert_allclose(np.abs(vector), 1 / 16)


def test_half_the_words_shared_is_half_the_cosine() -> None:
    a, b = HashEmbedder().embed(["red tea cold rain", "red tea warm sand"], kind="query")

    assert a @ b == pytest.approx(0.5, abs=0.15)


def test_words_fold_by_case_and_width_and_han_is_cut_into_bigrams() -> None:
    assert terms("ＨＥＬＬＯ World") == ["hello", "world"]
    assert terms("用React写苹果派") == ["用", "react", "写苹", "苹果", "果派"]


def test_word_order_does_not_matter() -> None:
    a, b = HashEmbedder().embed(["cat dog", "dog cat"], kind="query")

    np.testing.assert_array_equal(a, b)
