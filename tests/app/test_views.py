"""What the views show, without a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from echovessel.memory.records import NewMessage, NodeKind
from echovessel.workbench.app import actions
from echovessel.workbench.app.shelf import Opened, Shelf
from echovessel.workbench.app.show.ahead import ahead
from echovessel.workbench.app.show.browse import KINDS, PAGE, Wanted, entity_choices, found, listed
from echovessel.workbench.app.show.detail import detail
from echovessel.workbench.app.show.forgetting import forgetting
from echovessel.workbench.app.show.hits import Asked, answer, ask, copyable, python_for, slider_values
from echovessel.workbench.app.show.layers import LAYERS, counts, layer, vessel
from echovessel.workbench.app.show.parts import marked, notice
from echovessel.workbench.app.show.people import LISTED, graph_frames, people, person
from echovessel.workbench.app.words import Words
from tests.app.conftest import HOSTILE

EN, ZH = Words("en"), Words("zh")
TAGS = {
    "article", "b", "blockquote", "button", "code", "dd", "details", "div", "dl", "dt", "em", "footer", "h2", "h3",
    "i", "li", "mark", "ol", "p", "pre", "progress", "section", "small", "span", "strong", "summary", "time", "ul",
}  # fmt: skip


def node(opened: Opened, text: str) -> str:
    return next(
        one.id for one in opened.memory.nodes.list(include_superseded=True) if one.text.startswith(text)
    )


def texts(opened: Opened, **wanted: object) -> list[str]:
    return [one.text for one in found(opened, Wanted(**wanted))]  # type: ignore[arg-type]


def test_the_overview_counts_each_layer(small: Opened) -> None:
    held = counts(small)

    assert [held.of(name) for name in LAYERS] == ["1", "4", "3", "2", "2", "calm"]
    assert re.findall(r'class="held[^"]*">([^<]*)<', vessel(small, EN)) == ["1", "4", "3", "2", "2", "calm"]


def test_counts_are_live(small: Opened) -> None:
    small.memory.log.add(NewMessage("one more"))

    assert counts(small).messages == 5


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("words", [EN, ZH])
def test_each_layer_says_what_it_holds(small: Opened, bare: Opened, words: Words, name: str) -> None:
    full, none = layer(small, words, name), layer(bare, words, name)

    for shown in (full, none):
        assert words(f"about_{name}") in shown
    assert 'class="empty"' not in full
    assert ('class="empty"' in none) is (name != "L6")  # a mood there is always


def test_the_list_shows_the_latest_first_and_leaves_out_what_was_replaced(small: Opened) -> None:
    assert texts(small)[0] == "Kafka is a lazy corgi."
    assert "Mei works at Lanting Press." not in texts(small)
    assert "Mei works at Lanting Press." in texts(small, past=True)


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ({"text": "northgate"}, ["Mei works at Northgate Books."]),
        ({"text": "northgate", "kinds": ("message",)}, ["I've started at Northgate Books"]),
        ({"kinds": ("intention",)}, ["Lin promised to write on Friday."]),
        ({"state": "open"}, ["Lin promised to write on Friday."]),
        ({"state": "pinned"}, ["Mei changes jobs gladly."]),
        ({"state": "kept"}, []),
        ({"kinds": ()}, []),
        ({"text": '" OR *'}, []),
    ],
)
def test_filters(small: Opened, wanted: dict[str, object], first: list[str]) -> None:
    assert texts(small, **wanted) == first


def test_filter_by_entity_finds_memories_and_messages(small: Opened) -> None:
    scott = small.memory.directory.find("黄逸扬")[0].id

    assert set(texts(small, entity=scott, kinds=KINDS, past=True)) == {
        "Kafka is a lazy corgi.",
        "I work at Lanting Press with Scott",
        "Mei works at Lanting Press.",
    }
    assert entity_choices(small, EN)[0] == ("everyone", "")


def test_the_strongest_come_first_when_asked(small: Opened) -> None:
    assert texts(small, order="strongest")[0] == "Mei works at Northgate Books."


def test_a_long_list_is_shown_by_the_page(bare: Opened) -> None:
    bare.memory.log.add_many(NewMessage(f"line {n}") for n in range(PAGE + 5))
    wanted = Wanted(kinds=("message",))

    shown = listed(bare, EN, wanted)

    assert shown.count("<li>") == PAGE
    assert "Show 5 more" in shown
    assert "Show" not in listed(bare, EN, Wanted(kinds=("message",), shown=2 * PAGE))


def test_an_empty_list_says_what_to_do(bare: Opened) -> None:
    assert EN("empty_memory") in listed(bare, EN, Wanted())
    assert EN("empty_search") in listed(bare, EN, Wanted(text="x"))


def test_a_memory_shows_its_quote_its_turns_its_history_and_what_derives_from_it(small: Opened) -> None:
    shown = detail(small, EN, node(small, "Mei works at Lanting"))

    assert "<p>I work at Lanting Press</p>" in shown  # the quote
    assert "<mark>I work at Lanting Press</mark> with Scott" in shown  # in its turn
    assert "Noted." in shown  # beside its neighbours
    assert "Mei works at Northgate Books." in shown  # what took its place
    assert "Mei changes jobs gladly." in shown  # what derives from it
    for said in ("replaced", "identity-bearing", "employer", "Scott", "2 months ago · 2026-03-02", "+4"):
        assert said in shown


def test_a_memory_in_chinese(small: Opened) -> None:
    shown = detail(small, ZH, node(small, "Lin promised"))

    for said in ("承诺", "期限 四天后 · 2026-06-05", "未了"):
        assert said in shown


def test_a_message_shows_its_whole_session_and_what_rests_on_it(small: Opened) -> None:
    message = small.memory.search.messages("Lanting")[0]

    shown = detail(small, EN, message.id)

    assert shown.count('class="turn') - shown.count('class="turns"') == 2
    assert len(re.findall(r'class="turn user here"', shown)) == 1
    assert "Mei works at Lanting Press." in shown
    assert "in a session of 2 turns" in shown


@pytest.mark.parametrize("gone", ["", "nothing-like-this"])
def test_an_unknown_memory_is_an_empty_place(small: Opened, gone: str) -> None:
    assert detail(small, EN, gone) == f'<p class="empty">{EN("empty_detail")}</p>'


def test_overlapping_quotes_are_marked_once() -> None:
    assert marked("abcdef", ["bcd", "cde", "f", "zz", ""]) == "a<mark>bcd</mark>e<mark>f</mark>"


def test_entities_with_their_counts_and_pairs(small: Opened) -> None:
    entities, links = graph_frames(small)

    assert dict(zip(entities["name"], entities["memories"], strict=True)) == {"Scott": 2, "Kafka": 1}
    assert links["memories"].to_list() == [1]
    scott = small.memory.directory.find("Scott")[0].id
    assert "memories: 2" in people(small, EN, chosen=scott)
    for said in ("黄逸扬", "Kafka is a lazy corgi.", "Mei works at Lanting Press."):
        assert said in person(small, EN, scott)
    assert EN("empty_person") in person(small, EN, "gone")


def test_of_many_entities_the_least_named_are_folded_but_for_the_chosen_one(bare: Opened) -> None:
    directory = bare.memory.directory
    names = [directory.add(f"Name {number:03}").id for number in range(LISTED + 5)]

    shown = people(bare, EN)

    assert shown.count('data-act="entity"') == len(names)
    assert "<summary>5 more" in shown
    assert "<details" in shown
    assert " open>" not in shown
    assert " open>" in people(bare, EN, chosen=names[-1])


def test_a_merged_entity_counts_as_one(small: Opened) -> None:
    scott, kafka = (small.memory.directory.find(name)[0].id for name in ("Scott", "Kafka"))
    actions.merge(small, scott, kafka)

    entities, links = graph_frames(small)

    assert entities["memories"].to_list() == [2]
    assert links.is_empty()
    assert "Kafka" in person(small, EN, kafka)


def test_what_is_open_is_told_soonest_first(small: Opened, hostile: Opened) -> None:
    assert "due in 4 days" in ahead(small, EN)
    assert "overdue" in ahead(hostile, EN)
    assert "overdue" not in ahead(small, EN)


def everything(opened: Opened, words: Words) -> dict[str, Callable[[], str]]:
    """Every piece of HTML of every view, for one memory."""
    memory = opened.memory
    nodes = [one.id for one in memory.nodes.list(include_superseded=True)]
    items = [*nodes, *(one.id for one in memory.log.last(10))]
    entity = memory.directory.list()[0].id
    question = Asked(HOSTILE, "seed", (*slider_values("seed")[:-2], 0.0, 0.5), past=True)
    target = actions.target_of(memory.log.last(1)[0], session=True)
    told = actions.plan(opened, target, derived="drop")
    return {
        "vessel": lambda: vessel(opened, words),
        **{name: lambda name=name: layer(opened, words, name) for name in LAYERS},
        "list": lambda: listed(opened, words, Wanted(kinds=KINDS, past=True)),
        "details": lambda: "".join(detail(opened, words, item) for item in items),
        "people": lambda: people(opened, words, chosen=entity),
        "person": lambda: person(opened, words, entity),
        "ahead": lambda: ahead(opened, words),
        "answer": lambda: answer(opened, words, ask(opened, question)),
        "python": lambda: copyable(words, python_for(opened, question)),
        "plan": lambda: forgetting(opened, words, told, keep=False),
        "notice": lambda: notice(HOSTILE),
    }


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))


@pytest.mark.parametrize("words", [EN, ZH])
def test_nothing_that_people_or_models_wrote_becomes_html(hostile: Opened, words: Words) -> None:
    for view, shown in everything(hostile, words).items():
        html = shown()
        for tag, attributes in Tags(html).seen:
            assert tag in TAGS, f"<{tag}> in {view}"
            odd = [
                name for name, _ in attributes if name.startswith("on") or name in ("src", "href", "srcdoc")
            ]
            assert not odd, f"{odd} in {view}"
        if view != "vessel":
            assert "window.hacked" in html or view in ("ahead", "L2", "L5"), view


def test_kinds_of_nodes_are_the_kinds_of_the_list() -> None:
    assert (*NodeKind, "message") == KINDS


def test_a_second_memory_of_one_name_gets_another(small: Opened, bare: Opened) -> None:
    shelf = Shelf([small])

    assert shelf.add(bare) == "Lin (2)"
    assert shelf.names() == ["Lin", "Lin (2)"]
    assert shelf["Lin (2)"] is bare
