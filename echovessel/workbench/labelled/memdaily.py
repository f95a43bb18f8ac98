"""MemDaily (MemSim, Zhang et al., 2024): Chinese messages of one person about daily life."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from echovessel.clock import zone
from echovessel.errors import FormatError
from echovessel.memory.records import Sender
from echovessel.text import language_of
from echovessel.workbench.labelled.records import LabelledSet, Question, Talk, TalkSession, Turn
from echovessel.workbench.labelled.source import SourceFile, digest_of, load_all, need

LICENCE = "none stated: local use only; read in place, not shipped"
ZONE = "Asia/Shanghai"

_TIME = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日\D*(\d{1,2}):(\d{2})")


def is_memdaily(data: Any) -> bool:
    """Whether the content looks like one of MemDaily's files."""
    if not isinstance(data, list) or not data or not isinstance(data[0], dict):
        return False
    return {"message_list", "question_list"} <= data[0].keys()


def read_memdaily(path: Path) -> LabelledSet:
    """Read one file, or a folder of them, into one talk: all its trajectories share one memory.

    A trajectory of seven messages alone asks nothing of a recall at 5. Together, the others are the noise, as
    in the set's own noisy versions. Each trajectory is a session; a question's category is its file.

    Raises
    ------
    FormatError
        A file is cut off, or is not MemDaily's.
    """
    files = load_all(path)
    left_out: Counter[str] = Counter()
    sessions: list[TalkSession] = []
    asked: list[tuple[str, str, Any, str]] = []
    for file in files:
        if not is_memdaily(file.data):
            raise FormatError(
                f"{file.path} is not MemDaily's: it should be a list with 'message_list' and 'question_list'."
            )
        for place, record in enumerate(file.data):
            where = f"{file.path}, trajectory {place}"
            session = _session(record, file, where)
            sessions.append(session)
            asked.extend(
                (file.path.stem, session.id, entry, where)
                for entry in need(record, "question_list", list, where)
            )
    known = {turn.id: turn for session in sessions for turn in session.turns}
    if not known:
        raise FormatError(f"{path} holds no message. Is this the published file, unchanged?")
    end = max(turn.at for turn in known.values())
    questions = []
    for category, session_id, entry, where in asked:
        text = need(entry, "question", str, where)
        steps = need(entry, "target_step_id", list, where)
        evidence = tuple(
            dict.fromkeys(f"{session_id}/{step}" for step in steps if f"{session_id}/{step}" in known)
        )
        left_out["evidence that names no turn"] += len(set(steps)) - len(evidence)
        if not evidence:
            left_out["questions without evidence"] += 1
            continue
        name = f"{session_id}/q{need(entry, 'qid', int, where)}"
        answer = "" if entry.get("answer") is None else str(entry["answer"])
        questions.append(Question(name, category, text, language_of(text), evidence, end, answer))
    talk = Talk("memdaily", ZONE, "group", tuple(sessions), tuple(questions))
    notes = (
        f"MemDaily states no time zone: its times are read as {ZONE}.",
        "All trajectories share one memory.",
    )
    return LabelledSet("memdaily", digest_of(files), (talk,), left_out, licence=LICENCE, notes=notes)


def _session(record: Any, file: SourceFile, where: str) -> TalkSession:
    name = f"{file.path.stem}-{need(record, 'tid', int, where)}"
    turns = []
    for entry in need(record, "message_list", list, where):
        number = need(entry, "mid", int, where)
        at = _time(need(entry, "time", str, where), f"{where}, message {number}")
        turns.append(Turn(f"{name}/{number}", "我", Sender.OTHER, at, need(entry, "message", str, where)))
    return TalkSession(name, tuple(turns))


def _time(text: str, where: str) -> datetime:
    match = _TIME.match(text)
    if not match:
        raise FormatError(f"{where} is dated {text!r}; expected the form '2024年04月01日 周一 08:30'.")
    year, month, day, hour, minute = (int(part) for part in match.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=zone(ZONE))
    except ValueError as error:
        raise FormatError(f"{where} is dated {text!r}, which is no date. Fetch the file again.") from error
