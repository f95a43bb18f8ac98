"""REALTALK (Lee et al., 2025): 21 days of real messages between two people, one file per pair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.memory.records import Sender
from echovessel.text import language_of
from echovessel.workbench.labelled.evidence import read_evidence, take, turn_name
from echovessel.workbench.labelled.records import LabelledSet, Question, Talk, TalkSession, Turn
from echovessel.workbench.labelled.source import digest_of, load_all, need

LICENCE = "see the publisher's page; read in place, not shipped"

_SESSION = re.compile(r"session_(\d+)")
_DATE = "%d.%m.%Y, %H:%M:%S"


def is_realtalk(data: Any) -> bool:
    """Whether the content looks like one of REALTALK's chats."""
    return (
        isinstance(data, dict)
        and {"name", "qa"} <= data.keys()
        and any(_SESSION.fullmatch(key) for key in data)
    )


def read_realtalk(path: Path) -> LabelledSet:
    """Read one ``Chat_*.json``, or a folder of them; each is one talk.

    Categories are the file's: 1 a fact, 2 a date, 3 an inference. Turns carry their own times.

    Raises
    ------
    FormatError
        A file is cut off, or is not REALTALK's.
    """
    files = load_all(path)
    repaired: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    talks = []
    for file in files:
        if not is_realtalk(file.data):
            raise FormatError(
                f"{file.path} is not REALTALK's: it should be an object with 'name', 'qa' and 'session_1'."
            )
        talks.append(_talk(file.data, file.path, repaired, left_out))
    notes = ("REALTALK states no time zone: its times are read as UTC.",)
    return LabelledSet(
        "realtalk", digest_of(files), tuple(talks), left_out, repaired, licence=LICENCE, notes=notes
    )


def _talk(record: dict[str, Any], path: Path, repaired: Counter[str], left_out: Counter[str]) -> Talk:
    sessions = tuple(_sessions(record, path, left_out))
    if not sessions:
        raise FormatError(f"{path} has no session with a message. Is this the published file, unchanged?")
    turns = {turn.id: turn for session in sessions for turn in session.turns}
    asked_at = max(turn.at for turn in turns.values())
    questions = []
    for number, entry in enumerate(need(record, "qa", list, str(path))):
        where = f"{path}, question {number}"
        pieces = need(entry, "evidence", list, where)
        evidence = read_evidence(pieces, turns, repaired=repaired, left_out=left_out)
        if not evidence:
            left_out[
                "questions without evidence" if not pieces else "questions whose evidence names no turn"
            ] += 1
            continue
        text, category = need(entry, "question", str, where), str(need(entry, "category", int, where))
        answer = str(entry.get("answer") or "")
        questions.append(
            Question(f"q{number}", category, text, language_of(text), evidence, asked_at, answer)
        )
    return Talk(path.stem, "UTC", "group", sessions, tuple(questions))


def _sessions(record: dict[str, Any], path: Path, left_out: Counter[str]) -> Iterator[TalkSession]:
    seen: set[str] = set()
    for number in sorted(int(match[1]) for key in record if (match := _SESSION.fullmatch(key))):
        key = f"session_{number}"
        turns: list[Turn] = []
        for place, entry in enumerate(need(record, key, list, str(path)), start=1):
            turn = _turn(entry, record.get(f"{key}_date_time"), f"{path}, {key}, turn {place}")
            take(turn, turns, seen=seen, left_out=left_out)
        if turns:
            yield TalkSession(key, tuple(turns))


def _turn(entry: Any, session_date: Any, where: str) -> Turn:
    given = need(entry, "dia_id", str, where)
    text = str(entry.get("clean_text") or "").strip()
    stamp = entry.get("date_time") or session_date
    try:
        at = datetime.strptime(str(stamp).strip(), _DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise FormatError(f"{where} is dated {stamp!r}; expected the form '29.12.2023, 00:51:12'.") from error
    caption = str(entry.get("blip_caption") or "").strip()
    return Turn(turn_name(given), need(entry, "speaker", str, where), Sender.OTHER, at, text, caption)
