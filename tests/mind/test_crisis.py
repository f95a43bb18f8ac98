"""Words of crisis, and what only looks like them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from echovessel.memory.records import Message
from echovessel.mind.crisis import WordsOfCrisis
from echovessel.mind.prompt import Prompt


@pytest.mark.parametrize(
    "text",
    [
        "I want to die",
        "i keep thinking about killing myself",
        "I don't want to be alive anymore",
        "Everyone would be better off without me.",
        "I've been cutting myself again",
        "I feel suicidal",
        "there's no point in living",
        "我不想活了",
        "我想死",
        "活着没什么意思",
        "昨晚我又割腕了",
        "我真的想自杀",
        "覺得自己不如死了",
    ],
)
def test_danger_is_seen(text: str) -> None:
    found = WordsOfCrisis().look(text)

    assert found is not None
    assert ("988" in found.resources) == (found.language == "en")
    assert ("12356" in found.resources) == (found.language == "zh")


@pytest.mark.parametrize(
    "text",
    [
        "This heat is killing me",
        "I'm dying to see it",
        "I nearly want to die laughing",
        "We watched Suicide Squad",
        "I cut myself shaving",
        "He killed it on stage",
        "my phone died",
        "笑死我了",
        "累死了，今天又加班",
        "想死你了！",
        "这是跳楼价",
        "尴尬得我想死",
        "他们采取自杀式打法",
        "我家的花死了",
    ],
)
def test_figures_of_speech_are_not(text: str) -> None:
    assert WordsOfCrisis().look(text) is None


def test_the_prompt_says_how_to_meet_it_and_no_budget_cuts_that(
    say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    heard = say("I want to die")

    found = prompt(heard, crisis=WordsOfCrisis().look(heard.text), budget=1)

    assert "take it seriously" in found.system
    assert "988" in found.system
