"""Books and papers: EPUB and PDF. All of it is the author's."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import regex

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.html import text_of
from echovessel.distill.source import Source
from echovessel.errors import FormatError, MissingExtra

AUTHOR = "author"
_CONTAINER = "META-INF/container.xml"
_LARGEST = 20 * 1024 * 1024  # of one chapter, unpacked


class Epub:
    """EPUB: its chapters in reading order, a paragraph a line."""

    name = "epub"
    title = "EPUB"

    def recognises(self, source: Source) -> bool:
        """A zip that says where its package is."""
        return _CONTAINER in source.members

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Every paragraph, in the name of the author."""
        if _CONTAINER not in source.members:
            raise FormatError(f"{source.path} is no EPUB: it has no {_CONTAINER}.")
        package = next(
            (e.get("full-path") for e in _xml(source, _CONTAINER).iterfind(".//{*}rootfile")), None
        )
        if package not in source.members:
            raise FormatError(f"{source.path} is no whole EPUB: its package is missing.")
        book = _xml(source, package)
        writer = next((e.text for e in book.iterfind(".//{*}creator") if e.text), None) or AUTHOR
        report.note(f"A book names no speakers: all of it is read as {writer.strip()}'s.")
        files = {e.get("id"): e.get("href", "") for e in book.iterfind(".//{*}manifest/{*}item")}
        for number, item in enumerate(book.iterfind(".//{*}spine/{*}itemref"), start=1):
            where = posixpath.normpath(
                posixpath.join(posixpath.dirname(package), unquote(files.get(item.get("idref"), "")))
            )
            if where not in source.members:
                report.skip(f"chapter {number}", "it is missing in the file")
                continue
            for count, text in enumerate(
                text_of(_bytes(source, where).decode(errors="replace")).split("\n"), 1
            ):
                line = Line(text, f"chapter {number}, paragraph {count}", writer.strip())
                if report.accept(line):
                    yield line


class Pdf:
    """PDF with text in it, a paragraph a line."""

    name = "pdf"
    title = "PDF"

    def recognises(self, source: Source) -> bool:
        """The mark at its beginning."""
        if source.packed:
            return False
        with source.bytes(source.name) as stream:
            return stream.read(5) == b"%PDF-"

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """The text of each page; a scanned one has none, and is skipped.

        Raises
        ------
        MissingExtra
            pypdf is not installed.
        """
        try:
            from pypdf import PdfReader
            from pypdf.errors import PyPdfError
        except ImportError as error:
            raise MissingExtra("Reading PDF", "distill") from error
        try:
            book = PdfReader(source.path)
            pages: Any = list(book.pages)
            writer = ((book.metadata.author if book.metadata else "") or AUTHOR).strip() or AUTHOR
        except (PyPdfError, OSError, ValueError) as error:
            raise FormatError(
                f"{source.path} can't be read as a PDF: {error}. Is it locked? Save it without a password."
            ) from error
        report.note(f"A PDF names no speakers: all of it is read as {writer}'s.")
        for number, page in enumerate(pages, start=1):
            try:
                text = page.extract_text()
            except (PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                report.skip(f"page {number}", f"it can't be read ({type(error).__name__})")
                continue
            if not text.strip():
                report.skip(f"page {number}", "it has no text, perhaps only a picture")
            for count, part in enumerate(_paragraphs(text), start=1):
                line = Line(part, f"page {number}, paragraph {count}", writer)
                if report.accept(line):
                    yield line


def _paragraphs(text: str) -> list[str]:
    """Lines that run on are joined: a paragraph ends at an empty line, or at a line that ends a sentence."""
    parts = regex.split(r"\n\s*\n|(?<=[.!?。！？”\"])[^\S\n]*\n", text)
    joined = (regex.sub(r"(?<=\p{Han})\s*\n\s*(?=\p{Han})", "", part) for part in parts)
    return [" ".join(part.split()) for part in joined if part.strip()]


def _bytes(source: Source, member: str) -> bytes:
    with source.bytes(member) as stream:
        return stream.read(_LARGEST)


def _xml(source: Source, member: str) -> ElementTree.Element:
    raw = _bytes(source, member)
    # Entities of its own could grow without end; no EPUB needs them. UTF-16 could hide them.
    if b"<!ENTITY" in raw.replace(b"\0", b""):
        raise FormatError(f"{source.path}: {member} declares entities, which no EPUB needs.")
    try:
        return ElementTree.fromstring(raw)  # noqa: S314 (entities are refused above)
    except ElementTree.ParseError as error:
        raise FormatError(f"{source.path}: {member} is no whole XML: {error}.") from error
