"""Any sentence-transformers model, shown on MiniLM, whose weights ship inside a package."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from echovessel.errors import ConfigError
from echovessel.models import embedder
from echovessel.models.sentence_transformers import _prompts
from tests.models.conftest import load, minilm_folder


@pytest.mark.st
def test_a_model_that_was_moved_is_the_same_embedder(tmp_path: Path) -> None:
    folder = minilm_folder()
    moved = tmp_path / folder.name
    shutil.copytree(folder, moved)

    assert embedder(f"st:{moved}").identity.same_vectors(load("st").identity)


@pytest.mark.st
def test_other_weights_under_the_same_name_are_another_embedder(tmp_path: Path) -> None:
    folder = minilm_folder()
    from safetensors.numpy import load_file, save_file

    changed = tmp_path / folder.name
    shutil.copytree(folder, changed)
    weights = load_file(changed / "model.safetensors")
    first = min(name for name in weights if name.endswith("weight"))
    save_file(
        {**weights, first: weights[first] + np.float32(0.01)}, changed / "model.safetensors", {"format": "pt"}
    )

    assert not embedder(f"st:{changed}").identity.same_vectors(load("st").identity)


@pytest.mark.st
def test_a_declared_prompt_reaches_the_model(tmp_path: Path) -> None:
    prompted = tmp_path / minilm_folder().name
    shutil.copytree(minilm_folder(), prompted)
    config = prompted / "config_sentence_transformers.json"
    config.write_text(
        '{"prompts": {"query": "query: ", "document": ""}, "default_prompt_name": null}', "utf-8"
    )
    model, plain = embedder(f"st:{prompted}"), load("st")

    np.testing.assert_allclose(
        model.embed(["tea"], kind="query"), plain.embed(["query: tea"], kind="query"), atol=1e-5
    )
    np.testing.assert_allclose(
        model.embed(["tea"], kind="passage"), plain.embed(["tea"], kind="passage"), atol=1e-5
    )
    assert not model.identity.same_vectors(plain.identity)


@pytest.mark.st
def test_a_hub_model_that_is_not_here_is_one_sentence() -> None:
    minilm_folder()  # skips where torch is missing
    with pytest.raises(
        ConfigError, match=r"^The model 'no-such/model' is not on this machine .* st:/path/to/model\.$"
    ):
        embedder("st:no-such/model")


@pytest.mark.st
def test_a_folder_that_is_not_there_is_named() -> None:
    minilm_folder()
    with pytest.raises(ConfigError, match=r"There is no folder .*/no/such/folder"):
        embedder("st:/no/such/folder")


@pytest.mark.st
def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    minilm_folder()
    with pytest.raises(ConfigError, match="holds no sentence-transformers model"):
        embedder(f"st:{tmp_path}")


@pytest.mark.parametrize(
    ("name", "declared", "query", "passage"),
    [
        ("st:intfloat/multilingual-e5-small", {}, "query: ", "passage: "),
        ("st:BAAI/bge-m3", {}, "", ""),
        ("st:BAAI/bge-small-zh-v1.5", {}, "为这个句子生成表示以用于检索相关文章：", ""),
        ("st:BAAI/bge-base-en-v1.5", {}, "Represent this sentence for searching relevant passages: ", ""),
        ("st:mine", {"query": "Q ", "document": "D "}, "Q ", "D "),
        ("st:mine", {"query": "Q ", "passage": "P ", "document": "D "}, "Q ", "P "),
        ("st:intfloat/multilingual-e5-small", {"query": "", "document": ""}, "query: ", "passage: "),
        ("st:all-MiniLM-L6-v2", {}, "", ""),
    ],
)
def test_prompts_come_from_the_model_or_from_its_family(
    name: str, declared: dict[str, str], query: str, passage: str
) -> None:
    assert _prompts(name, declared) == {"query": query, "passage": passage}
