"""What a user touches first: the few public names, used as the README and the design show them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import plotly.graph_objects as go
import polars as pl
import pytest

import echovessel
from echovessel import Memory, Recall, Scope, Vessel, Weights
from echovessel.errors import EchoVesselError, InputError
from echovessel.memory.recall import Dropped, Hit, factors
from echovessel.memory.recall.factors import FACTORS
from echovessel.memory.recall.result import RULES
from echovessel.memory.records import NewNode
from echovessel.models import embedder

HASH = embedder("hash")
STAGES = {"names", "index", "lexical", "dense", "score", "select", "explain"}


@pytest.fixture(scope="module")
def lin() -> Iterator[Vessel]:
    """The Chinese sample; read only."""
    with Vessel.sample("lin", embedder=HASH) as vessel:
        yield vessel


# Names


def test_the_package_offers_few_names_and_each_is_there() -> None:
    assert echovessel.__all__ == ["Memory", "Recall", "Scope", "Vessel", "Weights", "__version__"]
    for name in echovessel.__all__:
        assert getattr(echovessel, name) is not None
    assert set(echovessel.__all__) <= set(dir(echovessel))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Vessle'"):
        _ = echovessel.Vessle


@pytest.mark.parametrize(
    ("function", "by_place"),
    [
        (Memory.recall, ["self", "query"]),
        (Vessel.recall, ["self", "query"]),
        (Vessel.remember, ["self", "text"]),
        (Vessel.open, ["home"]),
        (Vessel.sample, ["name"]),
        (Memory.open, ["path"]),
        (Recall.context, ["self", "hit"]),
        (factors.recency, ["age_days"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_options_are_named_and_not_placed(function: object, by_place: list[str]) -> None:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    placed = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]

    assert placed == by_place


def test_a_vessel_takes_every_option_of_recall_but_the_vector_and_the_audit_form() -> None:
    of_memory = inspect.signature(Memory.recall).parameters
    of_vessel = inspect.signature(Vessel.recall).parameters

    assert set(of_memory) - set(of_vessel) == {"vector", "recorded_as_of"}
    for name in set(of_vessel):
        assert of_vessel[name].default == of_memory[name].default


def public_modules() -> Iterator[ModuleType]:
    for package in ("echovessel.memory.recall", "echovessel.memory.recall.factors"):
        module = importlib.import_module(package)
        yield module
        for found in pkgutil.iter_modules(module.__path__, f"{package}."):
            yield importlib.import_module(found.name)


@pytest.mark.parametrize("module", list(public_modules()), ids=lambda module: module.__name__)
def test_all_that_is_public_in_recall_is_described(module: ModuleType) -> None:
    assert module.__doc__
    for name, value in vars(module).items():
        mine = getattr(value, "__module__", "") == module.__name__
        if name.startswith("_") or not mine or not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        assert value.__doc__, name
        for method, found in vars(value).items() if inspect.isclass(value) else ():
            if inspect.isfunction(found) and not method.startswith("_"):
                assert found.__doc__, f"{name}.{method}"


@pytest.mark.parametrize("name", ["recency", "relevance", "impact", "relational_bonus", "entity_anchor"])
def test_each_factor_has_a_file_and_tells_its_range(name: str) -> None:
    function = getattr(factors, name)
    module = importlib.import_module(function.__module__)

    assert " 1" in (function.__doc__ or "").partition("Returns")[2]
    files = {getattr(factors, other).__module__ for other in FACTORS}
    assert len(files) == len(FACTORS)
    assert module.__doc__


# The design's example


def test_the_first_lines_of_the_design(lin: Vessel) -> None:
    hits = lin.recall("Scott 最近怎么样？", weights=Weights.seed(), k=10)

    assert 0 < len(hits) <= 10
    assert hits.hits[0].factors.entity_anchor == 1.0
    assert "黄逸扬" in hits.hits[0].text
    assert isinstance(hits.explain(), str)
    assert isinstance(hits.to_polars(), pl.DataFrame)
    assert isinstance(hits.plot(), go.Figure)
    assert isinstance(lin.memory.events(), pl.DataFrame)
    assert isinstance(lin.memory.entities(), pl.DataFrame)


def test_the_vessel_and_its_memory_recall_the_same(lin: Vessel) -> None:
    query = "小提琴"
    vector = HASH.embed([query], kind="query")[0]

    by_vessel = lin.recall(query, k=5)
    by_memory = lin.memory.recall(query, vector=vector, weights=Weights.default(), k=5)

    assert by_vessel.hits == by_memory.hits
    assert by_vessel.dropped == by_memory.dropped


def test_another_user_and_a_group_see_what_is_shared_alone(lin: Vessel) -> None:
    for other in (lin.for_user("stranger"), lin.for_group("strangers")):
        shared = {row["id"] for row in lin.memory.within(Scope.shared()).messages().to_dicts()}
        nodes = {node.id for node in lin.memory.within(Scope.shared()).nodes.list()}
        everything = Weights.default().with_(min_relevance=0.0)
        assert {hit.id for hit in other.recall("你好", k=500, weights=everything).hits} <= shared | nodes
        assert not other.recall("Scott", weights=Weights.seed()).anchors


# What a recall tells


@pytest.fixture(scope="module")
def told(lin: Vessel) -> Recall:
    return lin.recall("Scott 最近怎么样？", weights=Weights.seed(), k=3)


def test_a_result_tells_how_long_each_stage_took(told: Recall) -> None:
    assert set(told.timings) == STAGES
    assert all(value >= 0 for value in told.timings.values())


def test_hits_and_dropped_are_complete(told: Recall) -> None:
    assert all(isinstance(hit, Hit) for hit in told.hits)
    assert all(isinstance(memo, Dropped) for memo in told.dropped)
    assert [hit.rank for hit in told.hits] == [1, 2, 3]
    scores = [hit.score for hit in told.hits]
    assert scores == sorted(scores, reverse=True)
    assert {memo.rule for memo in told.dropped} <= set(told.dropped_counts) <= set(RULES)
    for memo in (*told.hits, *told.dropped):
        assert set(memo.contributions) == set(FACTORS)
        assert memo.score == pytest.approx(sum(memo.contributions.values()))
        assert memo.known_at.utcoffset() is not None
        assert memo.happened_at.utcoffset() is not None


def test_explain_shows_rank_score_contributions_and_why_others_were_dropped(told: Recall) -> None:
    text = told.explain()
    lines = text.splitlines()

    for name in ("score", "recency", "relevance", "impact", "bonus", "anchor"):
        assert name in lines[0]
    for hit, line in zip(told.hits, lines[1:], strict=False):
        assert line.split()[:2] == [str(hit.rank), f"{hit.score:.2f}"]
        assert f"{hit.contributions['relevance']:+.2f}" in line
    assert f"dropped ({told.dropped[0].rule}," in text
    assert f"3 of {told.considered} memories" in lines[-1]


def test_what_people_wrote_is_escaped_in_html_and_harmless_in_the_terminal(tmp_path: Path) -> None:
    with Vessel.open(tmp_path, persona="lin", user="mei", embedder=HASH) as vessel:
        vessel.add(NewNode("<img src=x onerror=alert(1)>"))
        vessel.add(NewNode("[red]no markup[/] \x1b[31mno \u202ecode\r"))
        vessel.remember("a\nb", sender="other", sender_name="T\x1b[0mom")

        result = vessel.recall("<img src=x> & markup", weights=Weights.default().with_(min_relevance=0.0))

    html = result._repr_html_()
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    text = result.explain()
    assert "[red]no markup[/] \ufffd[31mno \ufffdcode" in text
    assert "T\ufffd[0mom: a b" in text
    assert not {"\x1b", "\u202e", "\r"} & set(text)
    assert len(text.splitlines()) == 5  # a head, three hits, a foot


def test_every_error_of_recall_is_of_the_one_tree(lin: Vessel) -> None:
    assert issubclass(InputError, EchoVesselError)
    with pytest.raises(EchoVesselError, match="query is empty"):
        lin.recall("")
