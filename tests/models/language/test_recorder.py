"""Requests and replies in a file: recorded once, replayed for nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from pydantic import BaseModel

from echovessel.errors import FormatError, ModelError
from echovessel.models.language import Purpose, RecordedModel, Request, Say, ScriptedModel, structured

ASK = Request((Say("user", "How was the sea?\u2028Cold?"),), purpose=Purpose.JUDGE, stamp="judge.en v1 abc")


def complete(model, request=ASK):
    return asyncio.run(model.complete(request))


def stream(model, request=ASK):
    async def go():
        return [piece async for piece in model.stream(request)]

    return asyncio.run(go())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs" / "judge.jsonl"


def test_a_recorded_reply_comes_back_without_a_model_as_it_was(path):
    asked = complete(RecordedModel(path, ScriptedModel(["Cold, and 很咸。"])))

    assert complete(RecordedModel(path)) == asked


def test_a_streamed_reply_is_recorded_too_and_either_way_of_asking_gets_it(path):
    pieces = stream(RecordedModel(path, ScriptedModel(["Cold and salty."])))
    replayed = RecordedModel(path)

    assert [piece.text for piece in pieces] == ["Cold ", "and ", "salty.", ""]
    assert [piece.text for piece in stream(replayed)] == ["Cold and salty.", ""]
    assert complete(replayed) == pieces[-1].reply


def test_a_stream_left_early_is_not_recorded(path):
    async def go():
        pieces = RecordedModel(path, ScriptedModel(["Cold and salty."])).stream(ASK)
        await anext(pieces)
        await pieces.aclose()

    asyncio.run(go())

    assert not path.exists()


def test_with_a_model_what_is_in_the_file_is_not_asked(path):
    complete(RecordedModel(path, ScriptedModel(["Cold."])))
    model = ScriptedModel([])

    assert complete(RecordedModel(path, model)).text == "Cold."
    assert model.requests == []


class Grade(BaseModel):
    points: int


class Mark(BaseModel):
    points: float


@pytest.mark.parametrize(
    "other",
    [
        replace(ASK, says=(Say("user", "How was the lake?"),)),
        replace(ASK, says=(Say("assistant", ASK.says[0].text),)),
        replace(ASK, role="judge"),
        replace(ASK, max_tokens=5),
        replace(ASK, temperature=0.5),
        replace(ASK, schema=Grade),
    ],
    ids=["text", "speaker", "role", "limit", "temperature", "schema"],
)
def test_another_request_is_not_in_the_file(path, other):
    complete(RecordedModel(path, ScriptedModel(["Cold."])))

    with pytest.raises(ModelError, match=r"judge\.jsonl holds no reply to this judge request"):
        complete(RecordedModel(path), other)


def test_a_missing_request_is_named_by_its_prompt_and_its_last_words(path):
    complete(RecordedModel(path, ScriptedModel(["Cold."])))

    with pytest.raises(
        ModelError, match=r"from judge\.en v1 abc\): 'And the wind\?'\. Record it with a model"
    ):
        complete(RecordedModel(path), replace(ASK, says=(Say("user", "And the\nwind?"),)))


def test_the_same_request_under_another_purpose_is_the_same(path):
    complete(RecordedModel(path, ScriptedModel(["Cold."])))

    assert complete(RecordedModel(path), replace(ASK, purpose=Purpose.OTHER, stamp="")).text == "Cold."


def test_samples_of_one_request_stay_apart_and_the_last_repeats(path):
    model = RecordedModel(path, ScriptedModel(["Cold.", "Salty."]))
    assert [complete(model).text for _ in range(2)] == ["Cold.", "Salty."]

    replayed = RecordedModel(path)
    assert [complete(replayed).text for _ in range(3)] == ["Cold.", "Salty.", "Salty."]


def test_structured_answers_replay(path):
    ask = replace(ASK, schema=Grade)
    first = asyncio.run(structured(RecordedModel(path, ScriptedModel([{"points": 3}])), ask))

    assert asyncio.run(structured(RecordedModel(path), ask)) == first


def test_without_file_and_model_the_error_says_what_to_do(path):
    with pytest.raises(ModelError, match=r"There is no recording .*judge\.jsonl\. Give a model to ask"):
        RecordedModel(path)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ('{"key": "x", "asked": {}, "re', "Invalid JSON"),
        ('{"key": "x", "asked": {}}', "reply: Field required"),
        (
            '{"key": "x", "asked": {}, "reply": {"text": 3, "model": "m"}}',
            "reply.text: Input should be a valid string",
        ),
    ],
    ids=["half", "missing", "wrong"],
)
def test_a_bad_line_is_named(path, bad, why):
    complete(RecordedModel(path, ScriptedModel(["Cold."])))
    with path.open("a", encoding="utf-8") as file:
        file.write(bad + "\n")

    with pytest.raises(FormatError, match=rf"judge\.jsonl, line 2: not a recorded reply \({why}"):
        RecordedModel(path)


def test_a_file_that_is_no_text_is_named(path):
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(FormatError, match=r"judge\.jsonl is no UTF-8 text"):
        RecordedModel(path)


def test_the_file_can_be_read_by_a_person(path):
    complete(RecordedModel(path, ScriptedModel(["很咸。"])))

    line = json.loads(path.read_text(encoding="utf-8"))
    assert line["asked"]["says"] == [["user", ASK.says[0].text]]
    assert line["reply"]["text"] == "很咸。"
    assert "很咸。" in path.read_text(encoding="utf-8")
