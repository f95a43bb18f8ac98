"""Text out of HTML, as a reader sees it."""

from __future__ import annotations

from html.parser import HTMLParser

_BLOCKS = frozenset(
    """address article blockquote br dd div dt h1 h2 h3 h4 h5 h6 hr li p pre section tr""".split()  # noqa: SIM905
)
_HIDDEN = frozenset({"head", "script", "style", "template"})


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(self._hidden - (tag in _HIDDEN), 0)
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(" ".join(data.split("\n")))


def text_of(html: str) -> str:
    """The words of a page, a paragraph a line."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
