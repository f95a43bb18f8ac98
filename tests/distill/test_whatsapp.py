"""WhatsApp's exports, after the files that iOS and Android write; the words are made up."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats import reader_of
from echovessel.distill.source import Source
from echovessel.errors import FormatError


def read(path: Path, **options: str) -> tuple[list[Line], Report]:
    source, report = Source(path), Report()
    reader = reader_of(source)
    assert reader.name == "whatsapp"
    return list(reader.read(source, Options(**options), report)), report  # type: ignore[arg-type]


def written(folder: Path, text: str, *, encoding: str = "utf-8") -> Path:
    path = folder / "chat.txt"
    path.write_bytes(text.encode(encoding))
    return path


def said(lines: list[Line]) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in lines]


def test_case_18_a_group_line_odd_spaces_and_marks_two_lines_and_the_order_of_dates(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "12/07/23, 8:28\u202fp.\u00a0m. - Los mensajes y las llamadas están cifrados de extremo a extremo.\n"
        '12/07/23, 8:28\u202fp.\u00a0m. - Inés creó el grupo "Roma: julio"\n'
        "12/07/23, 8:29 p. m. - \u200eInés\u200e: Hola: ¿quién viene?\nYo llevo pan.\n"
        "13/07/23, 12:05 a. m. - Beto: voy\n",
    )

    lines, report = read(path)

    assert said(lines) == [("Inés", "Hola: ¿quién viene?\nYo llevo pan."), ("Beto", "voy")]
    assert [line.sent_at for line in lines] == [
        datetime(2023, 7, 12, 20, 29, tzinfo=UTC),
        datetime(2023, 7, 13, 0, 5, tzinfo=UTC),
    ]
    assert report.skipped == {"the app itself says it": 2}
    assert report.lines == 2


def test_an_ios_file_with_seconds_brackets_and_media(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "\ufeff[7/31/23, 8:28:01\u202fPM] Trip: \u200eMessages and calls are end-to-end encrypted.\r\n"
        "[7/31/23, 8:28:05\u202fPM] \u200eMei created group “Trip: Rome”\r\n"
        "[7/31/23, 8:29:00\u202fPM] ~\u202fMei L.: who has the tickets? 👨‍👩‍👧\r\n"
        "\u200e[8/1/23, 12:00:09\u202fAM] Tom: \u200eimage omitted\r\n"
        "\u200e[8/1/23, 12:01:00\u202fAM] Tom: the blue ones \u200e<attached: 1.jpg>\r\n"
        "\u200e[8/1/23, 12:02:00\u202fAM] Tom: \u200e<attached: 00000012-PHOTO.jpg>\r\n"
        "[8/1/23, 12:03:00\u202fAM] Tom: \u200eThis message was deleted.\r\n"
        "[8/1/23, 12:04:00\u202fAM] Tom: six of them \u200e<This message was edited>\r\n",
    )

    lines, report = read(path)

    assert said(lines) == [
        ("Mei L.", "who has the tickets? 👨‍👩‍👧"),
        ("Tom", ""),
        ("Tom", "the blue ones <attached: 1.jpg>"),
        ("Tom", ""),
        ("Tom", "six of them"),
    ]
    assert [line.attachment for line in lines] == ["", "image omitted", "", "00000012-PHOTO.jpg", ""]
    assert lines[1].sent_at == datetime(2023, 8, 1, 0, 0, 9, tzinfo=UTC)
    assert report.skipped == {"the app itself says it": 2, "the message was deleted": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_chinese_file_in_every_encoding_it_comes_in(tmp_path: Path, encoding: str) -> None:
    path = written(
        tmp_path,
        "2023/7/12 下午8:28 - 消息和通话都进行端到端加密。\n"
        "2023/7/12 下午8:28 - 小明: 你到家了吗？外面雨下得很大，路上小心\n"
        "2023/7/12 晚上9:05 - 小红: 到了到了，刚洗完澡，正准备看电影\n"
        "2023/7/13 上午12:05 - 小红: <省略多媒体文件>\n"
        "2023/7/13 中午12:10 - 小明: 中午吃什么\n",
        encoding=encoding,
    )

    lines, _ = read(path, zone="Asia/Shanghai")

    assert [line.speaker for line in lines] == ["小明", "小红", "小红", "小明"]
    assert [line.sent_at.strftime("%d %H:%M") for line in lines if line.sent_at] == [
        "12 20:28",
        "12 21:05",
        "13 00:05",
        "13 12:10",
    ]


@pytest.mark.parametrize(
    ("first", "when"),
    [
        ("12.07.23, 20:28 - ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("12-07-2023 20:28 - ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("2023-07-12 20:28 - ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("12/07/2023 20:28 - ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("2023. 7. 12. 오후 8:28, ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("2023년 7월 12일 오후 8:28, ", datetime(2023, 7, 12, 20, 28, tzinfo=UTC)),
        ("[2023/07/12 20:28:30] ", datetime(2023, 7, 12, 20, 28, 30, tzinfo=UTC)),
    ],
)
def test_dates_as_other_countries_write_them(tmp_path: Path, first: str, when: datetime) -> None:
    lines, _ = read(written(tmp_path, f"{first}Ana: hi\n"), date_order="day")

    assert said(lines) == [("Ana", "hi")]
    assert lines[0].sent_at == when


@pytest.mark.parametrize(
    ("dates", "day_of_the_first"),
    [
        (["3/4/23", "3/15/23"], datetime(2023, 3, 4, tzinfo=UTC)),  # a 15th month doesn't exist
        (["3/4/23", "15/4/23"], datetime(2023, 4, 3, tzinfo=UTC)),
        (["11/3/23", "12/3/23", "1/4/23"], datetime(2023, 3, 11, tzinfo=UTC)),  # else it runs back to January
        (["3/11/23", "3/12/23", "4/1/23"], datetime(2023, 3, 11, tzinfo=UTC)),
    ],
)
def test_the_order_of_day_and_month_comes_from_the_whole_file(
    tmp_path: Path, dates: list[str], day_of_the_first: datetime
) -> None:
    path = written(tmp_path, "".join(f"{date}, 00:00 - Ana: hi\n" for date in dates))

    lines, report = read(path)

    assert lines[0].sent_at == day_of_the_first
    assert not any("can't be told" in note for note in report.notes)


def test_an_order_that_nothing_tells_is_reported_and_can_be_set(tmp_path: Path) -> None:
    path = written(tmp_path, "3/4/23, 10:00 - Ana: hi\n")

    (line,), report = read(path)
    (other,), _ = read(path, date_order="month")

    assert line.sent_at == datetime(2023, 4, 3, 10, tzinfo=UTC)
    assert other.sent_at == datetime(2023, 3, 4, 10, tzinfo=UTC)
    assert any("can't be told" in note for note in report.notes)


def test_a_broken_date_costs_its_message_alone(tmp_path: Path) -> None:
    lines, report = read(
        written(tmp_path, "13/7/23, 9:00 - Ana: one\n31/2/23, 9:00 - Ana: two\n14/7/23, 9:00 - Ana: three\n")
    )

    assert [line.text for line in lines] == ["one", "three"]
    assert [(skip.place, skip.reason) for skip in report.skips] == [("line 2", "its date can't be read")]


def test_the_zip_as_the_phone_sends_it(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Mei.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("_chat.txt", "[13/07/2023, 20:28:01] Mei: hello\n")
        packed.writestr("00000012-PHOTO.jpg", b"\xff\xd8")

    assert said(read(path)[0]) == [("Mei", "hello")]


def test_a_file_of_another_kind_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="in no format that is known here"):
        reader_of(Source(written(tmp_path, "Dear diary,\ntoday it rained.\n")))
    with pytest.raises(FormatError, match="doesn't exist"):
        Source(tmp_path / "nothing.txt")
    with pytest.raises(FormatError, match="No reader is called 'icq'"):
        reader_of(Source(written(tmp_path, "x")), name="icq")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40), max_size=5))
def test_what_people_wrote_comes_back_whatever_it_is(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    texts = ["opening words", *(f"{text} ." for text in texts)]
    path = written(
        tmp_path_factory.mktemp("whatsapp"), "".join(f"13/07/23, 10:00 - Ana: w {text}\n" for text in texts)
    )

    lines, _ = read(path)

    assert [line.text for line in lines] == [f"w {text}".replace("\u200e", "").strip() for text in texts]
