from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from echovessel.clock import FixedClock
from echovessel.errors import InputError
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker
from echovessel.memory.messages import Messages
from echovessel.memory.nodes import Nodes
from echovessel.memory.personas import Personas
from echovessel.memory.records import NewMessage, NewNode, NodeKind, Scope, Sender
from echovessel.memory.search import MAX_TERMS, Search, cut
from echovessel.memory.sessions import Sessions

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(context: Context) -> Messages:
    return Messages(context, Sessions(context), Entities(context))


@pytest.fixture
def search(context: Context) -> Search:
    return Search(context)


def found(search: Search, query: str) -> list[str]:
    return [message.text for message in search.messages(query)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("明天把部署流程写完", "部署流程"),
        ("明天把部署流程写完", "部署"),
        ("明天把部署流程写完", "完"),
        ("明天把部署流程写完", "明"),
        ("用React写前端", "用React写"),
        ("用React写前端", "react"),
        ("用React写前端", "用 前端"),
        ("ＡＢＣ公司的会", "abc"),
        ("the ABC report", "ａｂｃ"),
        ("我們去臺灣圖書館", "台湾图书馆"),
        ("我们去台湾图书馆", "臺灣圖書館"),
        ("升职了🎉恭喜", "🎉"),
        ("great 👍🏽", "👍"),
        ("That is Scott's book", "Scott"),
        ("That is Scott’s book", "scott's"),
        ("un café noir", "CAFE"),
        ("snake_case names", "snake_case"),
        ("snake_case names", "case"),
        ("Straße 12", "STRASSE"),
        ("𠮷野家的饭", "𠮷"),
        ("𱁬字很难写", "𱁬字"),
        ("Привет, мир", "привет"),
        ("3.14 is pi", "3.14"),
    ],
)
def test_it_finds(log: Messages, search: Search, text: str, query: str) -> None:
    log.add(NewMessage(text))
    log.add(NewMessage("an unrelated line, 毫不相干"))

    assert found(search, query) == [text]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("流程部署", "部署流程"),  # the order inside a run of Han counts
        ("部署了，流程也写了", "部署流程"),
        ("annual report", "Ann"),
        ("今天 很好", "天很"),
        ("one two", "one three"),
    ],
)
def test_it_does_not_find(log: Messages, search: Search, text: str, query: str) -> None:
    log.add(NewMessage(text))

    assert found(search, query) == []


@pytest.mark.parametrize(
    "query",
    [
        '" OR *',
        "NEAR(",
        "%",
        "*",
        '"',
        "a OR b",
        "text:hello",
        "{text} : x",
        "-",
        "^h",
        "NOT hello",
        "('",
        "\\",
        "_",
        "\x00",
        "、",
    ],
)
def test_a_query_is_data(log: Messages, search: Search, query: str) -> None:
    log.add(NewMessage("hello world"))
    log.add(NewMessage("good morning"))

    assert found(search, query) == []


HAN_TEXT = st.text(
    st.sampled_from(
        "我你他的一是不在人有这大中来上国和地到说时要就出会可也对生能子那得于着下自之年过发后作里"
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=50)
@given(text=HAN_TEXT, data=st.data())
def test_every_piece_of_a_chinese_text_finds_it(text: str, data: st.DataObject) -> None:
    store = Store(":memory:")
    try:
        context = Context(store, "lin", Scope.user("mei"), FixedClock(NOON), IdMaker())
        Personas(context).require()
        message = Messages(context, Sessions(context), Entities(context)).add(
            NewMessage(f"前面，{text}。after")
        )
        search = Search(context)
        pieces = {text[i : i + n] for n in (1, 2) for i in range(len(text) - n + 1)}
        i = data.draw(st.integers(0, len(text) - 1))
        pieces.add(text[i : data.draw(st.integers(i + 1, len(text)))])

        for piece in pieces:
            assert search.messages(piece) == [message], piece
    finally:
        store.close()


@settings(max_examples=60)
@given(query=st.text(max_size=60))
def test_no_query_crashes_or_matches_what_it_shares_no_word_with(query: str) -> None:
    assume(query.strip() and not {"qq", "zz"} & set(cut(query).split()))
    store = Store(":memory:")
    try:
        context = Context(store, "lin", Scope.user("mei"), FixedClock(NOON), IdMaker())
        Personas(context).require()
        Messages(context, Sessions(context), Entities(context)).add(NewMessage("qq zz"))

        assert Search(context).messages(query) == []
    finally:
        store.close()


@given(text=st.text(max_size=40))
def test_cutting_is_the_same_for_composed_and_decomposed_text(text: str) -> None:
    assert cut(unicodedata.normalize("NFC", text)) == cut(unicodedata.normalize("NFD", text))


def test_newest_first_with_filters_before_the_cut(log: Messages, search: Search) -> None:
    for minute in range(10):
        sender = Sender.PERSONA if minute % 2 else Sender.USER
        log.add(NewMessage(f"tea {minute}", sender, sent_at=NOON + timedelta(minutes=minute)))

    assert found(search, "tea")[:2] == ["tea 9", "tea 8"]
    assert [m.text for m in search.messages("tea", limit=2, sender=Sender.USER)] == ["tea 8", "tea 6"]
    window = search.messages("tea", since=NOON + timedelta(minutes=3), until=NOON + timedelta(minutes=5))
    assert [m.text for m in window] == ["tea 4", "tea 3"]


def test_another_scope_is_never_searched(context: Context, log: Messages, search: Search) -> None:
    tom = context.within(Scope.user("tom"))
    for n in range(30):
        Messages(tom, Sessions(tom), Entities(tom)).add(NewMessage(f"secret tea {n}", conversation="tom"))
    log.add(NewMessage("my tea", sent_at=NOON - timedelta(days=1)))

    assert [m.text for m in search.messages("tea", limit=1)] == ["my tea"]
    assert found(Search(context.within(Scope.shared())), "tea") == []


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_a_blank_query_is_refused(search: Search, query: str) -> None:
    with pytest.raises(InputError, match="empty"):
        search.messages(query)


def test_limits_of_a_query(log: Messages, search: Search) -> None:
    words = " ".join(f"w{n}" for n in range(MAX_TERMS))
    log.add(NewMessage(words))
    long_run = "部署流程" * 8_000  # 96 kB of Chinese is one phrase

    assert len(search.messages(words)) == 1
    assert len(search.messages(f"{words} " * 100)) == 1
    assert search.messages(long_run) == []
    with pytest.raises(InputError, match="201 words"):
        search.messages(f"{words} more")
    with pytest.raises(InputError, match="limit"):
        search.messages("w1", limit=0)


def test_a_long_message_is_found_by_its_own_text(log: Messages, search: Search) -> None:
    text = "部署流程很长，" * 3_000 + "终点"
    message = log.add(NewMessage(text))

    assert search.messages(text) == [message]
    assert search.messages("终点") == [message]


def test_nodes_are_found_but_not_what_was_superseded(context: Context, search: Search) -> None:
    nodes = Nodes(context, Entities(context))
    old = nodes.add(NewNode("works at Lanting 兰亭书店", attribute="job", known_at=NOON - timedelta(days=90)))
    new = nodes.add(NewNode("works at Northgate 北门书店", attribute="job", supersedes=(old.id,)))
    hope = nodes.add(NewNode("hopes for Northgate", kind=NodeKind.THOUGHT, known_at=NOON - timedelta(days=1)))

    assert search.nodes("书店") == [new]
    assert [node.id for node in search.nodes("书店", include_superseded=True)] == [new.id, old.id]
    assert search.nodes("northgate", kinds=[NodeKind.THOUGHT]) == [hope]
    assert search.nodes("northgate", limit=1) == [new]
    assert Search(context.within(Scope.user("tom"))).nodes("northgate") == []
    with context.store.write():
        search.drop_node(1)
    assert search.nodes("兰亭", include_superseded=True) == []
