"""What stands in a reply's prompt, where, and once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import (
    Actor,
    CoreLabel,
    Message,
    Mood,
    NewNode,
    NodeKind,
    NodeStatus,
    Origin,
    Source,
    Subject,
)
from echovessel.mind.prompt import Prompt
from echovessel.mind.prompt.reader import MOST_OPEN

ORDER = [
    "# Who you are",
    "# Right now",
    "# How you feel right now",
    "# How you speak",
    "# About Scott",
    "# Entity disambiguation pending",
    "# Recent days",
    "# What you remember",
    "# About Mei",
    "# How you see yourself lately",
    "# On your mind lately",
    "# Promises you've made",
    "# You've been expecting",
]


@pytest.fixture
def full(memory: Memory, clock: FixedClock, say: Callable[..., Message]) -> Memory:
    """A memory with something in every section."""
    add = memory.nodes.add
    first = say("Scott fixes radios in Cork.")
    say("Good to know.", "persona")
    memory.core.set(CoreLabel.STYLE, "Short sentences.", actor=Actor.MANUAL)
    memory.core.set(CoreLabel.USER, "Mei teaches music.", actor=Actor.MANUAL)
    memory.moods.set(Mood("curious", 0.5, "Mei laughed", clock.now()))
    scott = memory.directory.add("Scott")
    memory.directory.add_alias(scott.id, "Scotty")
    add(NewNode("Scott fixes radios", entities=(scott.id,), sources=(Source(message=first.id),)))
    for name in ("Anna", "Annie"):
        memory.directory.add(name)
    one, other = memory.directory.find("Anna")[0], memory.directory.find("Annie")[0]
    memory.context.store.run(
        "INSERT INTO entity_questions (id, persona, scope, one, other, similarity, raised_at)"
        " VALUES ('q', 'lin', 'user:mei', ?, ?, 0.8, 0)",
        (one.id, other.id),
    )
    add(NewNode("Mei bought a piano", occurred_from=date(2026, 5, 31), occurred_to=date(2026, 5, 31)))
    add(
        NewNode(
            "Mei loves old radios and tapes", occurred_from=date(2026, 3, 1), occurred_to=date(2026, 3, 1)
        )
    )
    add(NewNode("Mei hides worry behind jokes", kind=NodeKind.THOUGHT, subject=Subject.USER, pinned=True))
    add(
        NewNode(
            "I listen more than I talk",
            kind=NodeKind.THOUGHT,
            subject=Subject.PERSONA,
            attribute="self-narrative",
        )
    )
    event = add(NewNode("Mei plays in July"))
    clock.advance(timedelta(hours=20))
    add(
        NewNode(
            "I wonder who taught Mei",
            kind=NodeKind.THOUGHT,
            subject=Subject.USER,
            origin=Origin.SLOW_TICK,
            sources=(Source(node=event.id),),
        )
    )
    add(
        NewNode(
            "send the tape",
            kind=NodeKind.INTENTION,
            subject=Subject.PERSONA,
            due_on=date(2026, 6, 5),
            status=NodeStatus.OPEN,
        )
    )
    add(NewNode("Mei's concert", kind=NodeKind.EXPECTATION, due_on=date(2026, 6, 20), status=NodeStatus.OPEN))
    memory.moods.set(Mood("curious", 0.5, "Mei laughed", clock.now()))
    return memory


def test_all_sections_in_their_order(
    full: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    text = prompt(say("Did Scott ask about the radios?")).system

    places = [text.find(f"{title}\n") for title in ORDER]
    assert -1 not in places
    assert places == sorted(places)
    assert "- send the tape (due in 3 days)" in text
    assert "- yesterday: Mei bought a piano" not in text  # it is the second of June by now
    assert "- 2 days ago: Mei bought a piano" in text
    assert "You feel curious." in text
    assert "Also called Scotty." in text
    assert "Anna and Annie are the same" in text


def test_nothing_stands_in_two_sections(
    full: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    found = prompt(say("What will Mei play, has she bought a piano, and did Scott fix radios?"))

    ids = [ident for section in found.sections for ident in section.items]
    assert len(ids) == len(set(ids))
    assert found.system.count("Mei bought a piano") == 1
    assert found.system.count("Scott fixes radios") == 1


def test_a_section_stands_only_with_content(
    say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    titles = [line for line in prompt(say("Hello.")).system.splitlines() if line.startswith("# ")]

    assert titles == ["# Who you are", "# Right now", "# What you remember"]


def test_the_talk_comes_as_turns_with_what_was_just_said_last_and_once(
    say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    say("Hi.")
    say("Hello, Mei.", "persona")
    burst = [say("I have two questions."), say("First: how are you?")]

    found = prompt(*burst)

    assert [(one.role, one.text) for one in found.says[1:]] == [
        ("user", "Hi."),
        ("assistant", "Hello, Mei."),
        ("user", "I have two questions.\nFirst: how are you?"),
    ]
    assert "First: how are you?" not in found.system


def test_in_a_group_each_line_says_who_speaks(memory: Memory, clock: FixedClock) -> None:
    from echovessel.memory.records import NewMessage, Scope, Sender
    from echovessel.mind.prompt import assemble

    group = memory.within(Scope.group("club"))
    group.log.add(NewMessage("I'm in.", sender=Sender.OTHER, sender_name="Tom"))
    heard = group.log.add(NewMessage("Me too.", sender=Sender.OTHER, sender_name="Ana"))

    found = assemble(group, None, [heard], now=clock.now())

    assert found.says[-1].text == "Tom: I'm in.\nAna: Me too."


def test_the_channel_is_never_named(say: Callable[..., Message], prompt: Callable[..., Prompt]) -> None:
    say("Hi.", channel="discord", conversation="c-4711")
    found = prompt(say("Hello?", channel="discord", conversation="c-4711"))

    whole = "\n".join(one.text for one in found.says)
    assert "discord" not in whole
    assert "c-4711" not in whole


def test_a_chinese_talk_has_a_chinese_prompt(
    say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    found = prompt(say("你今天过得怎么样？"))

    assert found.language == "zh"
    assert "# 你是谁\n你是Lin。" in found.system
    assert "Mei那里是2026-06-01 星期一 12:00。" in found.system


def test_case_11_the_users_clock_is_theirs(
    memory: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    memory.personas.set_zone("Asia/Shanghai", scope=memory.context.scope)
    clock = memory.context.clock
    assert isinstance(clock, FixedClock)
    clock.set(clock.now().replace(hour=4, minute=45))

    found = prompt(say("我刚吃完午饭"))

    assert "12:45" in found.system
    assert "04:45" not in found.system


def test_a_mood_is_gone_after_twelve_hours(
    memory: Memory, clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    memory.moods.set(Mood("sad", 0.2, "", clock.now()))

    clock.advance(timedelta(hours=11))
    assert "You feel sad. You have little energy." in prompt(say("Hello.")).system
    clock.advance(timedelta(hours=2))
    assert "sad" not in prompt(say("Hello again.")).system


def test_what_was_thought_meanwhile_is_told_twice_at_most_unless_asked(
    full: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    for _ in range(2):
        mind = prompt(say("Hello.")).section("mind")
        assert mind is not None
        full.shown.record(mind.items)

    assert prompt(say("And now?")).section("mind") is None
    asked = prompt(say("What's been on your mind?"))
    assert "I wonder who taught Mei" in asked.system
    assert "in these words" in asked.system


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What's been on your mind?", "invent nothing"), ("最近在想什么？", "不要编造")],
)
def test_with_nothing_on_its_mind_the_persona_is_told_to_say_so(
    say: Callable[..., Message], prompt: Callable[..., Prompt], question: str, answer: str
) -> None:
    mind = prompt(say(question)).section("mind")

    assert mind is not None
    assert answer in mind.text


def test_asked_later_in_the_same_talk_it_still_knows_what_was_on_its_mind(
    full: Memory, clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    say("I'm back.")
    clock.advance(timedelta(seconds=5))
    say("Welcome back.", "persona")
    clock.advance(timedelta(seconds=5))

    assert "I wonder who taught Mei" in prompt(say("What's been on your mind?")).system


@pytest.mark.parametrize("text", ["我在想什么时候去医院", "我最近在想什么都没用", "What is on the table?"])
def test_some_questions_only_sound_like_asking_what_is_on_its_mind(
    say: Callable[..., Message], prompt: Callable[..., Prompt], text: str
) -> None:
    assert prompt(say(text)).section("mind") is None


def test_it_knows_how_long_ago_the_last_talk_was(
    clock: FixedClock, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    say("See you.")
    say("See you.", "persona")
    assert "last talked" not in prompt(say("One more thing.")).system
    clock.advance(timedelta(days=3))

    assert "You last talked 3 days ago" in prompt(say("Hello.")).system
    assert "你们上次聊天是三天前" in prompt(say("我回来啦，你这几天过得怎么样？我可想你了")).system


def test_of_many_promises_those_due_soonest_stand_and_others_only_when_they_rise(
    memory: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    """What a prompt can't show isn't read for it; the order is the database's."""
    for n in reversed(range(60)):
        due = None if n == 0 else date(2026, 6, 1) + timedelta(days=n)
        memory.nodes.add(
            NewNode(
                f"promise {n} about the {'zeppelin' if n == 50 else 'garden'}",
                kind=NodeKind.INTENTION,
                subject=Subject.PERSONA,
                due_on=due,
                status=NodeStatus.OPEN,
            )
        )

    found = prompt(say("Zeppelin?"))

    section = found.section("promises")
    assert section is not None
    read = [*section.items, *(cut.id for cut in section.cut)]
    assert [memory.nodes.get(ident).due_on for ident in read] == [
        date(2026, 6, 1) + timedelta(days=n) for n in range(1, MOST_OPEN + 1)
    ]
    assert "promise 50" in "\n".join(entry.text for entry in found.section("recalled").entries)  # type: ignore[union-attr]
