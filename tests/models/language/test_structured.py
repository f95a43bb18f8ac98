"""What is kept of a model's answer when it isn't what was asked for."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from echovessel.errors import ModelError
from echovessel.models.language import Piece, Purpose, Reply, Request, Say, ScriptedModel, Usage
from echovessel.models.language.structured import Parsed, structured


class Quote(BaseModel):
    message: str
    text: Annotated[str, Field(min_length=1)]


class Event(BaseModel):
    text: str
    impact: Annotated[int, Field(ge=-10, le=10)]
    quotes: list[Quote] = []


class Feeling(BaseModel):
    mood: str
    energy: Annotated[float, Field(ge=0, le=1)]


class Extracted(BaseModel):
    events: list[Event] = []
    names: list[str] = []
    feeling: Feeling | None = None


def event(text: str = "Moved to Porto", impact: Any = 3, **more: Any) -> dict[str, Any]:
    return {"text": text, "impact": impact, **more}


class Cut:
    """Answers in order, each as if the token limit had cut it."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(self.texts.pop(0), "cut", Usage(10, 5), "length")

    async def stream(self, request: Request) -> Any:
        yield Piece(reply=await self.complete(request))


ASK = Request((Say("user", "What happened?"),), purpose=Purpose.EXTRACTION, schema=Extracted)


def read(*answers: Any, schema: type[BaseModel] = Extracted) -> tuple[Parsed[Any], ScriptedModel]:
    model = ScriptedModel(answers)
    return asyncio.run(structured(model, Request(ASK.says, schema=schema))), model


def texts(parsed: Parsed[Any]) -> list[str]:
    return [one.text for one in parsed.value.events]


GOOD = json.dumps({"events": [event()], "names": ["Ana"]})


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! Of the form {{events}}, as asked:\n\n```\n{GOOD}\n```\nAnything else, {{name}}?",
        f'<think>Perhaps {{"events": [], "names": ["{"Ana, " * 20}"]}}? No.</think>{GOOD}',
        f'{{"result": {GOOD}}}',
        GOOD.replace('"names": ["Ana"]', "'names': ['Ana',], // who"),
        GOOD[:-1],
        GOOD[:-1] + "\n```",
        GOOD[:-1] + "\nThat is all I found!",
    ],
    ids=[
        "plain",
        "fence",
        "prose",
        "thinking",
        "wrapped",
        "slips",
        "bracket",
        "bracket-fence",
        "bracket-prose",
    ],
)
def test_an_answer_in_any_wrapping_is_read_as_the_same_object(answer):
    parsed, model = read(answer)

    assert parsed.value == Extracted(events=[Event(text="Moved to Porto", impact=3)], names=["Ana"])
    assert parsed.dropped == ()
    assert len(model.requests) == 1


def test_quote_marks_left_bare_inside_chinese_text_are_mended():
    parsed, _ = read('{"events": [{"text": "他说"好"了", "impact": 2}, {"text": "搬家", "impact": 1}]}')

    assert texts(parsed) == ['他说"好"了', "搬家"]


def test_one_bad_number_costs_one_item_and_is_named_by_its_place_in_the_answer():
    parsed, model = read({"events": [event("a", 99), event("b"), event("c", "much"), event("d", 10)]})

    assert texts(parsed) == ["b", "d"]
    assert parsed.dropped[0] == "events.0.impact: should be at most 10"
    assert parsed.dropped[1].startswith("events.2.impact: should be a valid integer")
    assert len(model.requests) == 1


def test_two_faults_of_one_item_are_both_named_and_its_neighbour_stays():
    parsed, _ = read({"events": [{"text": 7, "impact": 11}, event("b")]})

    assert texts(parsed) == ["b"]
    assert [line.split(":")[0] for line in parsed.dropped] == ["events.0.text", "events.0.impact"]


def test_a_bad_item_of_an_inner_list_leaves_the_outer_item():
    quotes = [{"message": "m1", "text": ""}, {"message": "m2", "text": "I moved"}]
    parsed, _ = read({"events": [event(quotes=quotes)]})

    assert [quote.message for quote in parsed.value.events[0].quotes] == ["m2"]
    assert parsed.dropped == ("events.0.quotes.0.text: String should have at least 1 character",)


def test_a_bad_field_with_a_default_goes_as_a_whole():
    parsed, _ = read({"events": [event()], "feeling": {"mood": "calm", "energy": 4}})

    assert parsed.value.feeling is None
    assert parsed.dropped == ("feeling.energy: should be at most 1",)


def test_a_field_nobody_asked_for_costs_only_itself():
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        events: list[Event]
        name: str = ""

    parsed, _ = read({"events": [event()], "name": "x", "mood": "calm"}, schema=Strict)

    assert parsed.value == Strict(events=[Event(text="Moved to Porto", impact=3)], name="x")
    assert parsed.dropped == ("mood: Extra inputs are not permitted",)


FULL = json.dumps({"names": ["Ana"], "events": [event("a"), event("b, 3] }"), event("c", quotes=[])]})


@pytest.mark.parametrize("length", range(FULL.index("[{") + 1, len(FULL)))
def test_an_answer_cut_anywhere_keeps_each_whole_item_and_no_half_one(length):
    """Wherever the limit falls, the events kept are a prefix of those written, and at most one is lost."""
    written = [at for at, sign in enumerate(FULL) if FULL[at - 1 : at] == "}" and FULL[at - 2] != " "]
    whole = sum(at <= length for at in written)
    model = Cut(FULL[:length], "nothing")

    parsed = asyncio.run(structured(model, ASK))

    assert texts(parsed) == ["a", "b, 3] }", "c"][:whole]
    assert parsed.value.names == ["Ana"]
    if whole < 3:
        assert parsed.dropped == (f"events.{whole}: the answer was cut off here",)


def test_a_cut_answer_with_slips_loses_its_last_item_only():
    parsed = asyncio.run(structured(Cut("{'events': [{'text': 'a', 'impact': 1}, {'text': 'b', 'impa"), ASK))

    assert texts(parsed) == ["a"]
    assert parsed.dropped == ("events.1: the answer was cut off here",)


def test_a_cut_inside_a_single_field_loses_that_field():
    parsed = asyncio.run(structured(Cut('{"names": ["Ana"], "feeling": {"mood": "calm", "ener'), ASK))

    assert parsed.value == Extracted(names=["Ana"])
    assert parsed.dropped == ("feeling: the answer was cut off here",)


def test_a_server_that_cuts_and_says_stop_is_seen_through():
    parsed, _ = read('{"events": [{"text": "a", "impact": 1}, {"text": "he went to the mar')

    assert texts(parsed) == ["a"]
    assert parsed.dropped == ("events.1: the answer was cut off here",)


def test_an_answer_cut_in_its_first_item_is_asked_for_again_shorter_and_not_shown_again():
    model = Cut('{"events": [{"text": "on and on and on', GOOD)

    parsed = asyncio.run(structured(model, ASK))

    assert texts(parsed) == ["Moved to Porto"]
    assert parsed.usage == Usage(20, 10)
    *before, last = model.requests[1].says
    assert tuple(before) == ASK.says
    assert "shorter" in last.text


@pytest.mark.parametrize(
    "bad", ["I can't do that.", "", '{"happenings": [1]}', '[{"text": "a", "impact": 1}]', "{"]
)
def test_a_useless_answer_is_asked_for_once_more_with_the_reason(bad):
    parsed, model = read(bad, GOOD)

    assert texts(parsed) == ["Moved to Porto"]
    says = model.requests[1].says
    assert [say.role for say in says] == (["user", "assistant", "user"] if bad else ["user", "user"])
    assert "can't be used" in says[-1].text
    assert json.dumps(Extracted.model_json_schema()) in says[-1].text


def test_a_list_that_lost_every_item_is_asked_for_again():
    parsed, model = read({"events": [event(impact=80)], "names": ["Ana"]}, {"events": [event(impact=8)]})

    assert parsed.value.events[0].impact == 8
    assert "events.0.impact: should be at most 10" in model.requests[1].says[-1].text


@pytest.mark.parametrize("second", ["no", ModelError("The server is gone.")])
def test_what_the_first_answer_had_survives_a_repair_that_fails(second):
    parsed, _ = read({"events": [event(impact=80)], "names": ["Ana"]}, second)

    assert parsed.value == Extracted(names=["Ana"])
    assert parsed.dropped == ("events.0.impact: should be at most 10",)


def test_two_useless_answers_are_an_error_that_names_model_purpose_and_reason():
    with pytest.raises(
        ModelError, match=r"scripted gave no usable answer for other, twice: there is no JSON"
    ):
        read("no", "no")


def test_an_empty_object_is_an_answer_when_nothing_is_required():
    parsed, model = read("{}")

    assert parsed.value == Extracted()
    assert len(model.requests) == 1


def test_nan_and_lone_surrogates_do_not_get_through():
    parsed, _ = read('{"names": ["a\\ud83d"], "feeling": {"mood": "calm", "energy": NaN}}')

    assert parsed.value == Extracted(names=["a\ufffd"])
    assert parsed.dropped == ("feeling.energy: should be a valid number",)


def test_brackets_without_end_are_an_error_and_no_crash():
    with pytest.raises(ModelError):
        read('{"events": ' + "[" * 50_000, '{"events": ' * 20_000)
