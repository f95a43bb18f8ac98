"""The talk on the page, without a browser: what a turn shows, what it leaves, and how a persona is made."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from echovessel.errors import EchoVesselError, InputError
from echovessel.markup import Html
from echovessel.memory.calls import Call
from echovessel.memory.records import CoreLabel, NewNode, NodeKind, Origin, Subject
from echovessel.memory.targets import Target
from echovessel.mind import narrative
from echovessel.mind.settings import MindSettings
from echovessel.mind.slow_tick import slow_tick
from echovessel.mind.thinking import LONGEST
from echovessel.models.hash import HashEmbedder
from echovessel.models.language import Piece, Request, ScriptedModel
from echovessel.runtime import config
from echovessel.runtime.spending import SpendingLimits
from echovessel.workbench.app import actions, onboarding
from echovessel.workbench.app.onboarding import Draft
from echovessel.workbench.app.samples import personas_in
from echovessel.workbench.app.shelf import Opened, Shelf
from echovessel.workbench.app.show import chat, costs, flow, told
from echovessel.workbench.app.show.formed import formed
from echovessel.workbench.app.talking import STOPPED
from echovessel.workbench.app.views.base import Page
from echovessel.workbench.app.views.model import SEPARATOR, _use
from echovessel.workbench.app.words import Words
from tests.app.conftest import FACT, HOSTILE, REPLY, SAID, new_vessel, opened_of, talker

EN, ZH = Words("en"), Words("zh")


def shown(html: Html) -> str:
    """What a reader sees of it."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))


@pytest.fixture
def talking(tmp_path: Path) -> Iterator[Opened]:
    """Lin with a model that follows a script."""
    vessel = new_vessel(tmp_path / "memory.db", model=talker())
    vessel.memory.personas.set_name("Lin")
    vessel.add(NewNode("Mei fears the harbour cranes.", impact=6))
    yield opened_of(vessel)
    vessel.close()


async def said(opened: Opened, *texts: str) -> None:
    for text in texts:
        async for _ in opened.talk.say(opened.vessel, text):
            pass


def say(opened: Opened, *texts: str) -> None:
    asyncio.run(said(opened, *texts))


class Slow(ScriptedModel):
    """Waits for ever after its third word."""

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        for word in ("One ", "two ", "three "):
            yield Piece(word)
        await asyncio.Event().wait()


def test_beside_a_reply_stand_the_memories_that_rose_and_the_sections_of_its_prompt(talking: Opened) -> None:
    say(talking, "Are you afraid of the harbour cranes?")
    turn = talking.talk.latest
    assert turn is not None
    assert turn.recall is not None
    assert turn.prompt is not None
    beside = chat.beside(talking, EN, turn)

    assert re.findall(r'data-act="open" data-id="(\w+)"', beside) == [hit.id for hit in turn.recall.hits]
    assert "Mei fears the harbour cranes." in shown(beside)
    numbers = re.findall(r'<span class="number">([\d,]+)</span>', beside)
    assert sum(int(number.replace(",", "")) for number in numbers) == turn.prompt.tokens
    for row in turn.prompt.ledger:
        assert chat.section_name(talking, ZH, row.section) != row.section


def test_a_reply_is_stored_though_nobody_reads_on(talking: Opened) -> None:
    async def leave() -> None:
        async with aclosing(talking.talk.say(talking.vessel, SAID)) as steps:
            await anext(steps)
        assert talking.talk._task is not None
        await talking.talk._task

    asyncio.run(leave())

    assert [one.text for one in talking.memory.log.last(2)] == [SAID, REPLY]


def test_a_reply_that_is_stopped_keeps_what_was_said_and_frees_the_talk() -> None:
    opened = opened_of(new_vessel(model=Slow([])))

    async def stop() -> None:
        async for step in opened.talk.say(opened.vessel, SAID):
            if step.turn.text.endswith("three "):
                with pytest.raises(InputError, match="still under way"):
                    await anext(opened.talk.say(opened.vessel, "And?"))
                opened.talk.stop()

    asyncio.run(stop())

    assert [one.text for one in opened.memory.log.last(2)] == [SAID, "One two three"]
    assert opened.talk.latest is not None
    assert opened.talk.latest.why == STOPPED
    assert shown(chat.after(opened, EN, opened.talk.latest)).strip() == EN("stopped")
    assert not opened.talk.busy
    opened.vessel.close()


def test_what_a_talk_became_is_shown_corrected_and_forgotten(talking: Opened) -> None:
    async def talk() -> None:
        await said(talking, SAID, "Wish me luck")
        await talking.talk.end(talking.vessel)

    asyncio.run(talk())
    became = formed(talking, EN)
    (node,) = re.findall(r'data-act="correct" data-id="(\w+)"', became)
    assert re.findall(r'data-act="forget" data-id="(\w+)"', became) == [node]
    assert FACT in shown(became)
    assert "written: 2" in shown(
        flow.flow(talking, EN, told.turns_of(talking)[1], 4)
    )  # the reply and the memory

    actions.edit_node(
        talking,
        node,
        text="Mei starts at the docks.",
        impact=5,
        tags=(),
        occurred_from=None,
        occurred_to=None,
    )
    assert "Mei starts at the docks." in shown(formed(talking, EN))

    actions.forget(talking, Target.node(node), derived="drop")
    assert "docks" not in formed(talking, EN)
    assert not talking.talk.turns  # they may have quoted it


def test_without_a_model_memory_alone_answers_and_the_talk_waits(small: Opened) -> None:
    async def talk() -> None:
        await said(small, "Where does Mei work, at Northgate Books?", "And Kafka?", "A lazy corgi, isn't it?")
        await small.talk.end(small.vessel)

    asyncio.run(talk())

    for words in (EN, ZH):
        assert words("voice_memory", name="Lin") in shown(chat.voice(small, words))
        assert words("formed_waiting") in shown(formed(small, words))
    assert "Northgate Books" in chat.history(small, EN)


def test_a_model_of_this_machine_speaks_only_once_it_is_chosen(tmp_path: Path) -> None:
    opened = opened_of(new_vessel(tmp_path / "memory.db"))
    page = cast("Page", SimpleNamespace(words=EN, opened=lambda name: opened))
    assert opened.vessel.model is None

    said, stamp = _use(page)("Lin", SEPARATOR.join(("openai/qwen3:4b", "http://127.0.0.1:11434/v1")), 6)

    assert (stamp, opened.vessel.model is None) == (7, False)
    assert str(tmp_path / "config.toml") in said
    chosen = config.load(tmp_path).model
    assert (chosen.main, chosen.base_url) == ("openai/qwen3:4b", "http://127.0.0.1:11434/v1")
    assert "openai/qwen3:4b speaks" in chat.voice(opened, EN)
    opened.vessel.close()


def test_the_limit_is_told_before_it_bites(talking: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = Call("reply", "main", "m", "", 1, 10, 10, 0.79, "ok")
    limits = config.Config(spending=SpendingLimits(day=1.0, at_limit="stop"))
    monkeypatch.setattr(talking.vessel._common, "config", limits)
    talking.memory.calls.record(spent)
    assert not chat.spending_notice(talking, EN)

    talking.memory.calls.record(Call("slow_tick", "main", "m", "", 1, 10, 10, 0.02, "ok"))
    assert "$0.81 of $1.00" in chat.spending_notice(talking, EN)
    assert EN("at_limit_stop") in chat.spending_notice(talking, EN)
    table = shown(costs.costs(talking, EN))
    assert "replies 1 10 10 $0.7900" in table
    assert "All 2 20 20 $0.8100" in table

    talking.memory.calls.record(Call("reply", "main", "m", "", 1, 10, 10, 0.5, "ok"))
    assert ZH("at_limit_stop") in chat.spending_notice(talking, ZH)
    assert "已到上限" in chat.spending_notice(talking, ZH)


def test_a_turn_that_is_kept_is_stepped_through_like_a_live_one_until_it_is_forgotten(
    talking: Opened,
) -> None:
    assert talking.vessel.home is not None
    config.save(talking.vessel.home, {"server.traces": True})
    talking.vessel.reload()
    say(talking, "What of the harbour cranes?")
    (live,) = told.turns_of(talking)
    talking.talk.drop()
    (kept,) = told.turns_of(talking)

    assert kept.turn is None
    assert kept.body == live.body
    for step in (0, 2, 3, 4):
        assert flow.flow(talking, EN, kept, step) == flow.flow(talking, EN, live, step)
    assert "Mei fears the harbour cranes." in flow.flow(talking, EN, kept, 1)
    assert "What of the harbour cranes?" in flow.flow(talking, EN, kept, 2)  # the prompt, word for word

    actions.forget(talking, Target.message(live.body["heard"][0]), derived="drop")
    assert not told.turns_of(talking)


def test_the_steps_of_a_turn_that_failed_say_why() -> None:
    opened = opened_of(new_vessel(model=ScriptedModel([])))
    say(opened, SAID)
    (one,) = told.turns_of(opened)

    assert "script has no answer left" in flow.flow(opened, EN, one, 3)
    assert SAID in told.turn_list(opened, EN, [one], one.id)
    assert EN("turn_failed") in told.turn_list(opened, EN, [one], "")
    opened.vessel.close()


def test_what_thinking_was_refused_is_told_in_the_pages_language(talking: Opened) -> None:
    memory = talking.memory
    wanted = [
        {"kind": "thought", "about": "user", "text": "Cranes are only tall", "rests_on": ["M1"]},
        {"kind": "core", "about": "user", "text": "I am somebody else now", "rests_on": ["M1"]},
        {"kind": "thought", "about": "user", "text": "x" * (LONGEST + 1), "rests_on": ["M1"]},
        {"kind": "thought", "about": "user", "text": "Mei fears the harbour cranes.", "rests_on": ["M1"]},
        {"kind": "thought", "about": "user", "text": "One too many", "rests_on": ["M1"]},
    ]
    rounds: tuple[tuple[MindSettings, ScriptedModel | None], ...] = (
        (MindSettings(), ScriptedModel([{"items": wanted, "narrative": "I " * 300}])),
        (MindSettings(), ScriptedModel([])),  # cools down
        (MindSettings(slow_tick=False), ScriptedModel([])),
        (MindSettings(day_cycles=1), ScriptedModel([])),
        (MindSettings(), None),
    )
    for settings, model in rounds:
        asyncio.run(slow_tick(memory, HashEmbedder(), model, settings=settings))

    audit = shown(costs.thinking(talking, ZH))
    cycles = memory.cycles.list()
    rules = {one.rule for cycle in cycles for one in cycle.refused} | {
        one.reason for one in cycles if one.reason
    }
    assert len(rules) == 9  # five refusals and four rounds held back
    assert all(costs.reason(ZH, rule) != rule for rule in rules)
    assert all(costs.reason(ZH, rule) in audit for rule in rules)
    assert "I am somebody else now" in audit
    assert "写下 Cranes are only tall" in audit


def test_the_audit_tells_how_often_a_guard_held_and_how_far_the_narrative_moved(talking: Opened) -> None:
    memory, off = talking.memory, MindSettings(slow_tick=False)
    first = NewNode(
        "abcdefghij",
        kind=NodeKind.THOUGHT,
        subject=Subject.PERSONA,
        attribute=narrative.ATTRIBUTE,
        origin=Origin.PERSON,
    )
    old = memory.nodes.add(first)
    assert "0%" in shown(costs.thinking(talking, EN))
    memory.nodes.add(replace(first, text="abcdefghXX", supersedes=(old.id,)))
    for _ in range(3):
        asyncio.run(slow_tick(memory, HashEmbedder(), None, settings=off))

    english, chinese = (shown(costs.thinking(talking, words)) for words in (EN, ZH))

    assert "differs by 20% from its first version" in english
    assert "(3 times, until" in english
    assert "相差 20%" in chinese
    assert "（3 次，直到" in chinese


def test_what_people_and_models_write_never_becomes_a_tag(hostile: Opened) -> None:
    say(hostile, HOSTILE)
    turn = hostile.talk.latest
    assert turn is not None
    (one,) = told.turns_of(hostile)
    parts: list[Html] = [
        chat.voice(hostile, EN),
        chat.history(hostile, EN),
        chat.pending(hostile, EN, HOSTILE),
        chat.live(hostile, EN, turn),
        chat.beside(hostile, EN, turn),
        told.turn_list(hostile, EN, [one], one.id),
        *(flow.flow(hostile, EN, one, step) for step in range(5)),
    ]

    for part in parts:
        assert "<script" not in part
        assert "<img" not in part
    assert HOSTILE.split(" [x]")[0] in unescape(chat.history(hostile, EN))


MARA = Draft("Mara Quill", "Theo", "A bookbinder of 41.", style="Dry.", about_user="Works nights.")


def test_the_preview_is_the_prompt_that_the_persona_gets() -> None:
    prompt = onboarding.preview(MARA, HashEmbedder(), "Hello!")

    for text in ("You are Mara Quill.", "A bookbinder of 41.", "Dry.", "Works nights.", "Theo"):
        assert text in prompt.system
    assert prompt.heard[0].text == "Hello!"


def shelf_in(home: Path | None) -> Shelf:
    shelf = Shelf(home=home)
    shelf._embedder = HashEmbedder()
    return shelf


def test_a_persona_is_written_into_the_folder_and_a_second_beside_it(tmp_path: Path) -> None:
    shelf = shelf_in(tmp_path / "home")
    for _ in range(2):
        shelf.add(onboarding.write(MARA, shelf))

    assert shelf.names() == ["Mara Quill", "Mara Quill (2)"]
    ids = [shelf[name].memory.context.persona for name in shelf.names()]
    assert ids == ["mara-quill", "mara-quill-2"]
    assert config.load(tmp_path / "home").persona == "mara-quill"
    block = shelf["Mara Quill"].memory.core.get(CoreLabel.PERSONA)
    assert block is not None
    assert block.text == MARA.persona
    say(shelf["Mara Quill"], "Hello!")
    assert shelf["Mara Quill (2)"].memory.log.count() == 0
    shelf.close_loaded()
    assert personas_in(tmp_path / "home") == ["mara-quill", "mara-quill-2"]
    assert personas_in(tmp_path / "elsewhere") == []


@pytest.mark.parametrize("draft", [Draft(" "), Draft("Mara", persona="x" * 5_001)])
def test_what_cannot_be_written_makes_nothing(tmp_path: Path, draft: Draft) -> None:
    shelf = shelf_in(tmp_path / "home")

    with pytest.raises(EchoVesselError):
        onboarding.write(draft, shelf)

    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "key"), [("林晚", "林晚"), ("Mara  O'Quill!", "mara-o-quill"), ("_._", "persona")]
)
def test_a_name_becomes_a_key(name: str, key: str) -> None:
    assert Draft(name).id == key


def test_a_persona_of_a_page_without_a_folder_goes_with_the_page() -> None:
    shelf = shelf_in(None)
    opened = onboarding.write(MARA, shelf)
    shelf.add(opened)
    assert opened.folder is not None
    folder = Path(opened.folder.name)
    assert folder.is_dir()

    shelf.close_loaded()

    assert not folder.exists()
