"""Readers of formats that belong to no service, with files made here; the words are made up."""

from __future__ import annotations

import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats import reader_of
from echovessel.distill.source import Source
from echovessel.errors import FormatError, MissingExtra


def read(path: Path, name: str, **options: str) -> tuple[list[Line], Report]:
    source, report = Source(path), Report()
    reader = reader_of(source)
    assert reader.name == name
    return list(reader.read(source, Options(**options), report)), report  # type: ignore[arg-type]


def put(path: Path, text: str, *, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def said(lines: list[Line]) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in lines]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("# One\n\nTom: hello\nMei: hi\n  and more\nTom: bye\n", [("Tom", "hello"), ("Mei", "hi\nand more")]),
        ("**Tom:** hello\n\n**Mei**: hi\n\n**Tom:** bye\n", [("Tom", "hello"), ("Mei", "hi")]),
        ("小林：你好\n小满：来了\n小林：走吧\n", [("小林", "你好"), ("小满", "来了")]),
    ],
)
def test_names_and_colons(tmp_path: Path, text: str, first: list[tuple[str, str]]) -> None:
    lines, report = read(put(tmp_path / "talk.md", text), "text")

    assert said(lines)[:2] == first
    assert len(lines) == 3
    assert report.skipped == ({"it is a heading": 1} if text.startswith("#") else {})


def test_prose_with_a_colon_is_no_talk(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="in no format"):
        reader_of(Source(put(tmp_path / "a.txt", "A list: one.\nIt goes on here.\nAnd so it ends.\n")))


def test_a_diary(tmp_path: Path) -> None:
    text = "## 2023-07-12\n\nRain all day.\nStayed in.\n\nRead.\n\n2023年7月13日 星期四\n晴。\n\n2023-02-30\nLost.\n"

    lines, report = read(put(tmp_path / "diary.md", text), "diary", zone="Asia/Shanghai")

    assert [(line.text, line.place) for line in lines] == [
        ("Rain all day.\nStayed in.", "line 3"),
        ("Read.", "line 6"),
        ("晴。", "line 9"),
        ("Lost.", "line 12"),
    ]
    assert lines[0].sent_at == datetime(2023, 7, 12, 4, tzinfo=UTC)
    assert lines[2].sent_at == datetime(2023, 7, 13, 4, tzinfo=UTC)
    assert report.skipped == {"there is no such day": 1}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(tmp_path: Path, delimiter: str) -> None:
    head = delimiter.join(("Timestamp", "Sender", "Message", "ID"))
    rows = [
        delimiter.join(("2023-07-12T20:28:01+02:00", "Tom", '"a\nb"', "7")),
        delimiter.join(("odd", "Mei", "hi", "8")),
        delimiter.join(("", "Mei", "", "9")),
    ]
    path = put(tmp_path / "a.csv", "\n".join([head, *rows]) + "\n", encoding="utf-8-sig")

    lines, report = read(path, "csv")

    assert said(lines) == [("Tom", "a\nb"), ("Mei", "hi")]
    assert (lines[0].sent_at, lines[0].external_id) == (datetime(2023, 7, 12, 18, 28, 1, tzinfo=UTC), "7")
    assert lines[1].sent_at is None
    assert report.skipped == {"it is empty": 1}


def test_csv_in_chinese(tmp_path: Path) -> None:
    text = (
        "时间,说话人,内容\n2023-07-12 20:28:01,小满,你好，今天晚上一起去吃饭吗\n"
        "2023-07-12 20:29:00,小林,好的，我下班以后就过来找你\n"
    )

    lines, report = read(put(tmp_path / "a.csv", text, encoding="gb18030"), "csv", zone="Asia/Shanghai")

    assert [line.speaker for line in lines] == ["小满", "小林"]
    assert lines[1].text == "好的，我下班以后就过来找你"
    assert lines[0].sent_at == datetime(2023, 7, 12, 12, 28, 1, tzinfo=UTC)
    assert any("Asia/Shanghai" in note for note in report.notes)


def test_jsonl(tmp_path: Path) -> None:
    text = '{"role": "Tom", "content": "hi", "timestamp": 1689193681}\n{"role": \n[1]\n{"role": "Mei", "content": 5}\n'

    lines, report = read(put(tmp_path / "a.jsonl", text), "jsonl")

    assert said(lines) == [("Tom", "hi"), ("Mei", "5")]
    assert lines[0].sent_at == datetime(2023, 7, 12, 20, 28, 1, tzinfo=UTC)
    assert [skip.place for skip in report.skips] == ["line 2", "line 3"]


def test_srt(tmp_path: Path) -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\nTOM: <i>Hello</i>\nthere.\n\n"
        "2\n00:00:03,000 --> 00:00:04,000\n[door slams]\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\n12:30 is late.\n\n\n"
        "4\n00:00:07,000 --> 00:00:08,000\n汤姆：走吧"
    )

    lines, report = read(put(tmp_path / "a.srt", text.replace("\n", "\r\n")), "srt")

    assert said(lines) == [("TOM", "Hello\nthere."), ("", "12:30 is late."), ("汤姆", "走吧")]
    assert lines[0].place == "title 1, line 2"
    assert report.skipped == {"it is a sound": 1}


MAIL = """\
From tom@example.org Wed Jul 12 20:28:01 2023
From: Tom Baker <tom@example.org>
Date: Wed, 12 Jul 2023 22:28:01 +0200
Message-ID: <1@example.org>
Subject: =?utf-8?b?5L2g5aW9?=
Content-Type: text/plain; charset=utf-8

See you at nine.
>From here it is far.

On Tue, 11 Jul 2023, Mei wrote:
> When?
--\x20
Tom Baker, Leeds

From mei@example.org Thu Jul 13 08:00:00 2023
From: mei@example.org
Date: nonsense
In-Reply-To: <1@example.org>
Content-Type: text/html; charset=utf-8

<html><head><style>p {}</style></head><body><p>Good &amp; well.</p><p>Mei</p></body></html>

From x@example.org Thu Jul 13 08:00:00 2023
From: Tom Baker <tom@example.org>
Date: Thu, 13 Jul 2023 08:00:00 -0000

fine
"""


def test_mbox(tmp_path: Path) -> None:
    lines, report = read(put(tmp_path / "a.mbox", MAIL), "mbox")

    assert said(lines)[0] == ("Tom Baker", "See you at nine.\nFrom here it is far.")
    assert lines[0].sent_at == datetime(2023, 7, 12, 20, 28, 1, tzinfo=UTC)
    assert lines[0].external_id == "<1@example.org>"
    assert ("mei@example.org", "Good & well.\nMei") in said(lines)
    assert [line.reply_to for line in lines if line.speaker.startswith("mei")] == ["<1@example.org>"]
    assert lines[-1].sent_at == datetime(2023, 7, 13, 8, tzinfo=UTC)
    assert report.lines == 3


def epub(path: Path, *, package: str = "") -> Path:
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        book.writestr(
            "OPS/book.opf",
            package
            or '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            "<metadata><dc:creator>Ana Writer</dc:creator></metadata><manifest>"
            '<item id="b" href="b.xhtml"/><item id="a" href="a%20one.xhtml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="b"/><itemref idref="gone"/></spine></package>',
        )
        book.writestr("OPS/a one.xhtml", "<html><body><h1>One</h1><p>It <i>rained</i>.</p></body></html>")
        book.writestr("OPS/b.xhtml", "<html><body><p>海边。</p><script>x()</script></body></html>")
    return path


def test_epub_in_reading_order(tmp_path: Path) -> None:
    lines, report = read(epub(tmp_path / "a.epub"), "epub")

    assert said(lines) == [("Ana Writer", "One"), ("Ana Writer", "It rained."), ("Ana Writer", "海边。")]
    assert lines[2].place == "chapter 2, paragraph 1"
    assert report.skipped == {"it is missing in the file": 1}


def test_an_epub_with_entities_is_refused(tmp_path: Path) -> None:
    path = epub(tmp_path / "a.epub", package='<!DOCTYPE x [<!ENTITY a "aaaa">]><package>&a;</package>')

    with pytest.raises(FormatError, match="declares entities"):
        read(path, "epub")


def pdf(path: Path, text: str) -> Path:
    """A PDF of one page, by hand."""
    content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length " + str(len(content)).encode() + b" >>\nstream\n" + content + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Author (Ana Writer) >>",
    ]
    raw, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(raw))
        raw += str(number).encode() + b" 0 obj\n" + one + b"\nendobj\n"
    start = len(raw)
    raw += b"xref\n0 7\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in places)
    raw += b"trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n" + str(start).encode() + b"\n%%EOF\n"
    path.write_bytes(raw)
    return path


def test_pdf(tmp_path: Path) -> None:
    lines, _ = read(pdf(tmp_path / "a.pdf", "It rained."), "pdf")

    assert [(line.speaker, line.text, line.place) for line in lines] == [
        ("Ana Writer", "It rained.", "page 1, paragraph 1")
    ]


def test_a_page_without_text_is_skipped(tmp_path: Path) -> None:
    lines, report = read(pdf(tmp_path / "a.pdf", ""), "pdf")

    assert lines == []
    assert report.skipped == {"it has no text, perhaps only a picture": 1}


def test_without_pypdf_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)

    with pytest.raises(MissingExtra, match=r"echovessel\[distill\]"):
        read(pdf(tmp_path / "a.pdf", "x"), "pdf")
