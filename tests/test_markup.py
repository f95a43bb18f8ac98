"""HTML from text: what people wrote never becomes a tag or an attribute."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from echovessel.markup import Html, el, join, text


class Seen(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data


@given(st.text(), st.text())
def test_any_text_comes_back_as_it_was_and_makes_no_tag(inside: str, title: str) -> None:
    seen = Seen(el("p", inside, title=title))

    assert seen.tags == [("p", {"title": title})]
    assert seen.said == inside


def test_children_that_are_html_stand_as_they_are() -> None:
    assert el("p", el("b", "a<b"), " & ", "c") == "<p><b>a&lt;b</b> &amp; c</p>"


def test_none_and_false_leave_out_and_true_has_no_value() -> None:
    assert el("button", None, disabled=True, hidden=False, title=None, data_id="x", class_="y") == (
        '<button disabled data-id="x" class="y"></button>'
    )


def test_a_void_element_has_no_end() -> None:
    assert el("br") == "<br>"


def test_join_escapes_parts_and_separator() -> None:
    assert join(["<", Html("<b>")], " & ") == "&lt; &amp; <b>"
    assert text(None) == ""
