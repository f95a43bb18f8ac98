"""What a notebook shows of a memory, an entity and a recall: right numbers, and never HTML of somebody else's."""

from __future__ import annotations

from datetime import UTC, date, datetime
from html.parser import HTMLParser

import pytest

from echovessel.clock import FixedClock
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, NewNode, NodeKind, Scope, Source, Subject
from echovessel.plots.style import FACTOR_COLOURS

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


class Tags(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.styles += [value or "" for name, value in attrs if name == "style"]

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


@pytest.fixture
def memory() -> Memory:
    """Two events of which one was replaced, a promise, and a message, all of Scott."""
    now = datetime(2026, 3, 16, 12, tzinfo=UTC)
    memory = Memory.open(":memory:", persona="lin", scope=Scope.user("mei"), clock=FixedClock(now))
    memory.personas.set_name(f"Lin {EVIL}")
    old = memory.add_event(
        "Scott works at Cyan Bridge.", entities=["Scott"], occurred="2026-03-02", attribute="work"
    )
    memory.add_event(
        f"Scott left Cyan Bridge. {EVIL}",
        entities=["Scott"],
        impact=5,
        attribute="work",
        supersedes=(old.id,),
    )
    memory.add_alias("Scott", f"黄逸扬{EVIL}")
    said = memory.log.add(NewMessage(f"Scott sent {EVIL}", sent_at=now))
    memory.nodes.add(
        NewNode(
            "Call Scott.",
            kind=NodeKind.INTENTION,
            subject=Subject.PERSONA,
            due_on=date(2026, 4, 1),
            sources=(Source(message=said.id),),
        )
    )
    return memory


def test_a_memory_shows_how_much_each_layer_holds(memory: Memory) -> None:
    shown = Tags(memory._repr_html_())
    words = " ".join(shown.text.split())
    assert "L2 messages 1 memory.messages()" in words
    assert "L3 events 2 memory.events()" in words
    assert "L4 thoughts, intentions, expectations 1 memory.thoughts()" in words
    assert "L5 entities 1 memory.entities()" in words
    assert "L6 mood neutral, energy 50%" in words
    assert "1 memories were replaced" in words
    assert "user:mei" in words


def test_the_shared_scope_is_named_in_words(memory: Memory) -> None:
    assert "its own life alone" in memory.within(Scope.shared())._repr_html_()


def test_an_entity_shows_all_its_names(memory: Memory) -> None:
    entity = memory.directory.find("Scott")[0]
    shown = Tags(entity._repr_html_())
    assert "Scott" in shown.text
    assert f"黄逸扬{EVIL}" in shown.text


def test_a_recall_has_a_bar_for_every_hit_in_the_colours_of_the_figures(memory: Memory) -> None:
    found = memory.recall("What about Scott?")
    html = found._repr_html_()
    assert html.count('role="img"') == len(found.hits) > 0
    widths = [
        style for style in Tags(html).styles if FACTOR_COLOURS["entity_anchor"] in style and "%" in style
    ]
    assert len(widths) == sum(hit.factors.entity_anchor > 0 for hit in found.hits) > 0
    best = found.hits[0]
    share = 100 * best.contributions["entity_anchor"] / best.score
    assert f"width:{share:.2f}%" in html


def test_a_hit_shows_its_factors_in_numbers(memory: Memory) -> None:
    hit = memory.recall("What about Scott?").hits[0]
    words = " ".join(Tags(hit._repr_html_()).text.split())
    assert f"score {hit.score:.2f}" in words
    assert f"entity anchor 1.00 +{hit.contributions['entity_anchor']:.2f}" in words


def test_a_recall_without_hits_says_so(memory: Memory) -> None:
    found = memory.recall("zzz")
    assert not found.hits
    assert "Nothing in memory bears on this." in found._repr_html_()


def test_what_people_wrote_never_becomes_a_tag(memory: Memory) -> None:
    found = memory.recall(f"Scott {EVIL}")
    entity = memory.directory.find("Scott")[0]
    for shown in (memory, entity, found, *found.hits, *found.dropped):
        html = Tags(shown._repr_html_())
        assert not {"script", "img"} & set(html.tags)
    assert "onerror" in Tags(found._repr_html_()).text


def test_inside_jupyter_explain_gives_text_alone(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich, left to itself, shows its table through IPython there and returns nothing."""
    outside = memory.recall("What about Scott?").explain()
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    inside = memory.recall("What about Scott?").explain()
    assert len(inside.splitlines()) == len(outside.splitlines()) > 2


def test_a_long_memory_leaves_the_numbers_their_room(memory: Memory) -> None:
    memory.add_event("Scott " + "went on and on " * 20, entities=["Scott"])
    found = memory.recall("What about Scott?")
    lines = found.explain().splitlines()
    assert lines[0].split() == [
        *("#", "score", "recency", "relevance", "impact", "bonus", "anchor", "when", "memory")
    ]
    assert f"{found.hits[0].score:.2f}" in lines[1]
    assert all(len(line) <= 110 for line in lines)
