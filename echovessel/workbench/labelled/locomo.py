"""LoCoMo (Maharana et al., ACL 2024): ``locomo10.json`` as published, or some of its conversations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.memory.records import NewNode, Origin, Sender, Subject
from echovessel.text import language_of
from echovessel.workbench.labelled.evidence import read_evidence, take, turn_name
from echovessel.workbench.labelled.records import (
    LabelledMemory,
    LabelledSet,
    Question,
    Talk,
    TalkSession,
    Turn,
)
from echovessel.workbench.labelled.source import digest_of, load_all, need

ADVERSARIAL = "5"
LICENCE = "CC BY-NC 4.0 (Maharana et al., 2024); read in place, not shipped"
# The file dates sessions, not turns: turns follow each other by this much.
STEP = timedelta(minutes=1)

_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


def is_locomo(data: Any) -> bool:
    """Whether the content looks like LoCoMo's."""
    return (
        isinstance(data, list)
        and bool(data)
        and isinstance(data[0], dict)
        and {"qa", "conversation"} <= data[0].keys()
    )


def read_locomo(path: Path) -> LabelledSet:
    """Read the published file, or a folder of such files.

    Questions keep their category, ``1`` to ``5``; 5 (adversarial) stays out of ``overall``. A question whose
    evidence names no turn is left out. Pictures count by their caption. A session's date is the time of its
    first turn, and each further turn comes a minute later. `observation` becomes gold memories with their
    source turns.

    Raises
    ------
    FormatError
        A file is cut off, or is not LoCoMo's.
    """
    files = load_all(path)
    repaired: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    talks: list[Talk] = []
    for file in files:
        if not is_locomo(file.data):
            raise FormatError(
                f"{file.path} is not LoCoMo's: it should be a list of objects with 'qa' and 'conversation'."
            )
        for place, record in enumerate(file.data):
            where = f"{file.path}, conversation {place + 1}"
            talks.append(_talk(record, f"conversation-{place + 1}", where, repaired, left_out))
    twice = [name for name, count in Counter(talk.id for talk in talks).items() if count > 1]
    if twice:
        raise FormatError(f"{path} holds conversation {twice[0]} twice. Keep one of them.")
    notes = ("LoCoMo states no time zone: its times are read as UTC.",)
    return LabelledSet(
        "locomo", digest_of(files), tuple(talks), left_out, repaired, frozenset({ADVERSARIAL}), LICENCE, notes
    )


def _talk(record: Any, fallback: str, where: str, repaired: Counter[str], left_out: Counter[str]) -> Talk:
    conversation = need(record, "conversation", dict, where)
    sessions = tuple(_sessions(conversation, where, left_out))
    if not sessions:
        raise FormatError(f"{where} has no session. Is this the published file, unchanged?")
    turns = {turn.id: turn for session in sessions for turn in session.turns}
    asked_at = max(turn.at for turn in turns.values()) + STEP
    questions = tuple(
        question
        for number, entry in enumerate(need(record, "qa", list, where))
        if (
            question := _question(
                entry, number, turns, asked_at, f"{where}, question {number}", repaired, left_out
            )
        )
    )
    memories = tuple(_observations(record.get("observation") or {}, turns, repaired, left_out))
    return Talk(str(record.get("sample_id") or fallback), "UTC", "group", sessions, questions, memories)


def _sessions(conversation: dict[str, Any], where: str, left_out: Counter[str]) -> Iterator[TalkSession]:
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    dated = {key.removesuffix("_date_time") for key in conversation if key.endswith("_date_time")}
    left_out["dates of sessions that do not exist"] += len(dated - {f"session_{n}" for n in numbers})
    seen: set[str] = set()
    for number in numbers:
        key = f"session_{number}"
        entries = need(conversation, key, list, where)
        start = _date(need(conversation, f"{key}_date_time", str, where), f"{where}, {key}")
        turns: list[Turn] = []
        for entry in entries:
            turn = _turn(entry, start + STEP * len(turns), f"{where}, {key}, turn {len(turns) + 1}")
            take(turn, turns, seen=seen, left_out=left_out)
        if turns:
            yield TalkSession(key, tuple(turns))


def _turn(entry: Any, at: datetime, where: str) -> Turn:
    given = need(entry, "dia_id", str, where)
    speaker, text = need(entry, "speaker", str, where), need(entry, "text", str, where)
    return Turn(
        turn_name(given),
        speaker,
        Sender.OTHER,
        at,
        text.strip(),
        str(entry.get("blip_caption") or "").strip(),
    )


def _date(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text.strip(), _DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise FormatError(
            f"{where} is dated {text!r}; expected the form '1:56 pm on 8 May, 2023'."
        ) from error


def _question(
    entry: Any,
    number: int,
    turns: dict[str, Turn],
    asked_at: datetime,
    where: str,
    repaired: Counter[str],
    left_out: Counter[str],
) -> Question | None:
    text = need(entry, "question", str, where)
    category = str(need(entry, "category", int, where))
    pieces = need(entry, "evidence", list, where)
    evidence = read_evidence(pieces, turns, repaired=repaired, left_out=left_out)
    if not evidence:
        left_out[
            "questions without evidence" if not pieces else "questions whose evidence names no turn"
        ] += 1
        return None
    answer = entry.get("adversarial_answer") if category == ADVERSARIAL else entry.get("answer")
    answer = "" if answer is None else str(answer)  # some answers are numbers
    return Question(f"q{number}", category, text, language_of(text), evidence, asked_at, answer)


def _observations(
    observation: Any, turns: dict[str, Turn], repaired: Counter[str], left_out: Counter[str]
) -> Iterator[LabelledMemory]:
    """Facts by session and speaker: ``[text, "D1:3"]`` or ``[text, ["D1:3", "D1:5"]]``."""
    for key, by_speaker in observation.items():
        number = 0
        for facts in by_speaker.values():
            for text, given in facts:
                pieces = given if isinstance(given, list) else [given]
                sources = read_evidence(pieces, turns, repaired=repaired, left_out=left_out)
                number += 1
                if not sources:
                    left_out["observations whose source names no turn"] += 1
                    continue
                node = NewNode(text.strip(), subject=Subject.OTHER, origin=Origin.IMPORT)
                name = f"{key.removesuffix('_observation')}/o{number}"
                yield LabelledMemory(name, node, tuple((source, "") for source in sources))
