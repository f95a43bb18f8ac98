"""Kept candidates rank exactly as recall itself does, whatever the weights, and are gathered but once."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from echovessel.errors import InputError
from echovessel.memory.recall import Weights
from echovessel.memory.recall.weights import KINDS, NODE_KINDS
from echovessel.models.hash import HashEmbedder
from echovessel.workbench.arms.recalled import Recalled
from echovessel.workbench.bench import run_bench
from echovessel.workbench.candidates import Candidates, Reranker, candidates, gather, kept
from echovessel.workbench.ingest import store
from echovessel.workbench.labelled import LabelledSet, read_labelled
from echovessel.workbench.pool import Over

OVERS = list(Over)


@pytest.fixture(scope="module")
def labelled() -> LabelledSet:
    """Two own conversations: a Chinese and an English one, with a quarter of their questions."""
    whole = read_labelled(name="own")
    talks = [talk for talk in whole.talks if talk.id in ("lin", "en-02-kitchen")]
    return replace(whole, talks=tuple(replace(t, questions=t.questions[::4]) for t in talks))


@pytest.fixture(scope="module")
def gathered(labelled: LabelledSet) -> dict[Over, Candidates]:
    return {over: gather(labelled, over=over, embedder=HashEmbedder()) for over in OVERS}


def drawn(seed: int) -> Weights:
    """Weights drawn at random, each field of them; every other draw has a gate that bites."""
    draw = np.random.default_rng(seed)
    values: dict[str, Any] = {field.name: float(draw.uniform(0, 3)) for field in fields(Weights)}
    kinds = tuple(kind for kind in KINDS if draw.random() < 0.6) or NODE_KINDS
    return Weights.from_dict(
        values
        | {
            "half_life": float(draw.uniform(1, 60)),
            "min_relevance": float(draw.uniform(0, 0.6)) * (seed % 2),
            "blend": float(draw.uniform(0, 1)),
            "anchored_share": float(draw.uniform(0, 1)),
            "speaker_anchor": float(draw.uniform(0, 0.99)),
            "share_spares_relevant": bool(draw.integers(2)),
            "kinds": kinds,
            "source": "",
        }
    )


ALL = [Weights.seed(), Weights.default(), Weights.default().with_(min_relevance=0.0), *map(drawn, range(10))]


@pytest.mark.parametrize("over", OVERS)
def test_every_question_gets_the_hits_of_recall_in_its_order(
    labelled: LabelledSet, gathered: dict[Over, Candidates], over: Over, tmp_path: Path
) -> None:
    found = gathered[over]
    items = found.items["item"].to_numpy()[found.column("item")]
    embedder, number, compared = HashEmbedder(), 0, 0
    reranker = Reranker(found, k=10)
    for talk in labelled.talks:
        stored = store(talk, tmp_path / f"{talk.id}.db", over=over, embedder=embedder)
        try:
            for question in talk.questions:
                weights = ALL[number % len(ALL)]
                if over is Over.MEMORY:
                    weights = weights.with_(kinds=NODE_KINDS)
                vector = embedder.embed([question.text], kind="query")[0]
                told = stored.memory.recall(
                    question.text, vector=vector, weights=weights, k=10, now=question.asked_at
                )
                hits = reranker.scored(weights).hits(number)
                assert items[hits].tolist() == [stored.item_of[hit.id] for hit in told.hits], question.id
                scores = reranker.scored(weights).score[hits]
                assert scores.tolist() == [hit.score for hit in told.hits]
                number, compared = number + 1, compared + len(hits)
        finally:
            stored.close()
    assert number == len(found)
    assert compared > 5 * number


@pytest.mark.parametrize("over", OVERS)
def test_evidence_ranks_are_those_of_the_benchmark(
    labelled: LabelledSet, gathered: dict[Over, Candidates], over: Over, tmp_path: Path
) -> None:
    arms = [Recalled(f"w{n}", weights) for n, weights in enumerate(ALL[:6])]
    run = run_bench(labelled, arms, overs=[over], embedder=HashEmbedder(), cache_folder=tmp_path)
    reranker = Reranker(gathered[over])
    for arm in run.arms:
        asked = next(each.weights for each in arms if each.name == arm.arm)
        weights = asked.with_(kinds=NODE_KINDS) if over is Over.MEMORY else asked
        scored = reranker.scored(weights)
        assert scored.ranks().tolist() == [rank for answer in arm.answers for rank in answer.ranks]
        assert scored.answered().tolist() == [bool(answer.hits) for answer in arm.answers]
        shares = [np.mean(np.array(a.ranks) <= 10) if a.ranks else np.nan for a in arm.answers]
        np.testing.assert_array_equal(scored.recall(10), shares)


def test_every_field_of_the_weights_is_drawn() -> None:
    """So that a new one that changes recall, but not re-ranking, is found out above."""
    for field in fields(Weights):
        values = {repr(weights.to_dict()[field.name]) for weights in map(drawn, range(10))}
        assert field.name == "source" or len(values) > 1, f"let `drawn` draw {field.name}"


def test_weights_asked_again_give_the_same_after_others_were_tried(gathered: dict[Over, Candidates]) -> None:
    reranker = Reranker(gathered[Over.EVENTS])
    first = reranker.scored(ALL[1])
    before = first.score.copy(), first.ranks(), first.hits(0)
    for weights in ALL[3:]:
        reranker.scored(weights).ranks()
    again = reranker.scored(ALL[1])
    np.testing.assert_array_equal(before[0], again.score)
    np.testing.assert_array_equal(before[1], again.ranks())
    assert before[2] == first.hits(0) == again.hits(0)


def test_a_source_left_out_is_ranked_around(gathered: dict[Over, Candidates]) -> None:
    found = gathered[Over.MESSAGES]
    weights = Weights.default().with_(min_relevance=0.0)
    plain = Reranker(found, k=5).scored(weights)
    best = plain.hits(0)[0]
    keep = np.ones(found.rows.height, np.bool_)
    keep[best] = False
    assert Reranker(found, k=4, keep=keep).scored(weights).hits(0) == plain.hits(0)[1:]


def test_only_some_talks_hold_nothing_of_the_others(gathered: dict[Over, Candidates]) -> None:
    found = gathered[Over.EVENTS]
    whole = Reranker(found).scored(Weights.default())
    for talk in found.talks:
        part = found.only([talk])
        assert part.talks == (talk,)
        assert set(part.items["talk"]) == {talk}
        mine = (found.questions["talk"] == talk).to_numpy()
        ranks = Reranker(part).scored(Weights.default()).ranks()
        np.testing.assert_array_equal(ranks, whole.ranks()[mine[whole.reranker.evidence.of]])
    with pytest.raises(InputError, match=r"no conversation nobody here\. Known: lin"):
        found.only(["nobody"])


class Counting(HashEmbedder):
    """Counts what it is asked for."""

    asked = 0

    def embed(self, texts, *, kind):  # type: ignore[no-untyped-def]
        self.asked += len(texts)
        return super().embed(texts, kind=kind)


class Other(HashEmbedder):
    """The same vectors by another maker."""

    identity = replace(HashEmbedder().identity, version="another")


@pytest.fixture
def small(labelled: LabelledSet) -> LabelledSet:
    talk = labelled.talks[0]
    return replace(labelled, talks=(replace(talk, questions=talk.questions[:3]),))


def test_candidates_are_gathered_once_and_kept_without_any_text(small: LabelledSet, tmp_path: Path) -> None:
    embedder = Counting()
    first = candidates(small, embedder=embedder, folder=tmp_path)
    asked = embedder.asked
    again = candidates(small, embedder=embedder, folder=tmp_path)

    assert embedder.asked == asked > 0
    assert again.head == first.head
    for name in ("items", "questions", "rows"):
        assert getattr(again, name).equals(getattr(first, name))
    turn = next(small.talks[0].turns())
    kept_bytes = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert turn.text.encode()[:12] not in kept_bytes


def test_other_data_embedder_neighbours_or_code_are_gathered_anew(
    small: LabelledSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folders() -> int:
        return len(list(tmp_path.glob("candidates-*")))

    candidates(small, embedder=HashEmbedder(), folder=tmp_path)
    assert folders() == 1
    fewer = replace(small, talks=(replace(small.talks[0], questions=small.talks[0].questions[:2]),))
    candidates(fewer, embedder=HashEmbedder(), folder=tmp_path)
    candidates(small, embedder=Other(), folder=tmp_path)
    candidates(small, embedder=HashEmbedder(), neighbours=False, folder=tmp_path)
    candidates(small, over=Over.MEMORY, embedder=HashEmbedder(), folder=tmp_path)
    candidates(small, folder=tmp_path)
    assert folders() == 6
    monkeypatch.setattr(kept, "code_version", lambda: "another")
    assert candidates(small, embedder=HashEmbedder(), folder=tmp_path).head.code == "another"
    assert folders() == 7


def test_a_damaged_file_is_gathered_again(small: LabelledSet, tmp_path: Path) -> None:
    first = candidates(small, folder=tmp_path)
    (place,) = tmp_path.glob("candidates-*")
    (place / "rows.parquet").write_bytes(b"PAR1 cut off")
    assert candidates(small, folder=tmp_path).rows.equals(first.rows)
    assert pl.read_parquet(place / "rows.parquet").equals(first.rows)


def test_without_neighbours_a_turn_has_its_own_words_alone(small: LabelledSet) -> None:
    lent, alone = gather(small), gather(small, neighbours=False)
    assert lent.items.equals(alone.items)
    more = (lent.column("lexical") > 0).sum(), (alone.column("lexical") > 0).sum()
    assert more[0] > more[1] > 0


def test_a_set_without_questions_says_so(small: LabelledSet) -> None:
    with pytest.raises(InputError, match="no question that can be asked"):
        gather(replace(small, talks=(replace(small.talks[0], questions=()),)))
