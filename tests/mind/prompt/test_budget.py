"""What gets in when not all can, and what the ledger says of it."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from echovessel.memory.memory import Memory
from echovessel.memory.records import Message, NewNode, NodeKind, NodeStatus, Subject
from echovessel.mind.prompt import Prompt
from echovessel.mind.prompt.budget import SHARES, fitted
from echovessel.mind.prompt.reader import MOST_OPEN
from echovessel.mind.prompt.sections import Entry, Section

sections = st.lists(st.sampled_from(sorted(SHARES)), unique=True, max_size=len(SHARES)).flatmap(
    lambda names: st.tuples(
        *(
            st.lists(st.integers(1, 30), max_size=8).map(
                lambda sizes, name=name: Section(
                    name, "# T", tuple(Entry("w " * size, f"{name}-{i}") for i, size in enumerate(sizes))
                )
            )
            for name in names
        )
    )
)


@given(sections, st.integers(0, 400))
def test_it_fits_loses_nothing_unsaid_and_cuts_on_borders(found: tuple[Section, ...], budget: int) -> None:
    kept = fitted(found, budget)

    assert sum(section.tokens for section in kept if section.entries) <= budget
    for before, after in zip(found, kept, strict=True):
        assert set(after.items) | {cut.id for cut in after.cut} == set(before.items)
        assert not set(after.items) & {cut.id for cut in after.cut}
        ordered = [entry for entry in before.entries if entry.id in after.items]
        assert list(after.entries) == ordered


@given(sections)
def test_with_room_enough_nothing_is_cut(found: tuple[Section, ...]) -> None:
    assert fitted(found, 100_000) == list(found)


def test_the_core_is_never_cut() -> None:
    who = Section("who", "# Who", (Entry("w " * 500),), plain=True)
    days = Section("days", "# Days", (Entry("w"),))

    kept = fitted([who, days], 100)

    assert kept[0] == who
    assert kept[1].entries == ()
    assert [cut.why for cut in kept[1].cut] == ["budget"]


def test_no_section_starves_another() -> None:
    talk = Section("conversation", "", tuple(Entry("w " * 20, f"t{i}") for i in range(50)))
    recalled = Section("recalled", "# R", tuple(Entry("w " * 20, f"r{i}") for i in range(50)))

    kept = fitted([recalled, talk], 400)

    assert kept[0].tokens >= 0.25 * 400 - 30
    assert kept[1].tokens >= 0.35 * 400 - 30


def test_of_the_talk_the_oldest_goes_first(
    say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    for n in range(30):
        say(f"line number {n} " + "word " * 20, "persona" if n % 2 else "user")
    found = prompt(say("And now?"), budget=500)

    (row,) = [row for row in found.ledger if row.section == "conversation"]
    assert 0 < row.entries < 30
    assert row.entries + row.cut == 30
    assert row.why == "budget"
    assert "line number 29" in found.says[-2].text
    assert "line number 0 " not in "".join(say.text for say in found.says)


def test_the_ledger_adds_up(
    memory: Memory, say: Callable[..., Message], prompt: Callable[..., Prompt]
) -> None:
    for n in range(MOST_OPEN):
        text = f"promise {n} to mend the radio, the lamp and the clock in the hall before the winter comes"
        memory.nodes.add(
            NewNode(text, kind=NodeKind.INTENTION, subject=Subject.PERSONA, status=NodeStatus.OPEN)
        )
    found = prompt(say("Hello."), budget=600)

    assert sum(row.tokens for row in found.ledger if row.entries) <= 600
    (row,) = [row for row in found.ledger if row.section == "promises"]
    assert row.entries + row.cut == MOST_OPEN
