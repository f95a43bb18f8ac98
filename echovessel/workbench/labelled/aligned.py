"""One talk in two languages, aligned by message id (EverMemOS's samples): retrieval across languages."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError
from echovessel.memory.records import Sender
from echovessel.text import Language
from echovessel.workbench.labelled.records import LabelledSet, Question, Talk, TalkSession, Turn
from echovessel.workbench.labelled.source import SourceFile, digest_of, load, need

LICENCE = "Apache-2.0 (EverMind-AI/EverMemOS); read in place, not shipped"

_LANGUAGES: tuple[Language, Language] = ("zh", "en")
# Of the question, of the talk.
_DIRECTIONS: tuple[tuple[Language, Language], ...] = (("en", "zh"), ("zh", "en"))


def is_aligned(data: Any) -> bool:
    """Whether the content looks like one side of an aligned talk."""
    return isinstance(data, dict) and {"session_meta", "conversation_list"} <= data.keys()


def read_aligned(path: Path) -> LabelledSet:
    """Read every pair ``NAME_zh.json``, ``NAME_en.json`` of a folder, or the pair that one file belongs to.

    Each pair gives two talks: the Chinese one asked with each English message, and the other way round. The
    evidence is the message with the same id; the category is ``en-zh`` or ``zh-en`` (question first).

    Raises
    ------
    FormatError
        A file is cut off, is of another format, or its twin is missing.
    """
    left_out: Counter[str] = Counter()
    files: list[SourceFile] = []
    talks = []
    for pair in _pairs(path):
        sides = {language: load(file) for language, file in zip(_LANGUAGES, pair, strict=True)}
        files.extend(sides.values())
        turns = {language: _turns(side, left_out) for language, side in sides.items()}
        name = pair[0].name.removesuffix("_zh.json")
        for asking, told in _DIRECTIONS:
            talks.append(_talk(f"{name}-{told}", asking, told, turns[asking], turns[told], left_out))
    return LabelledSet("aligned", digest_of(files), tuple(talks), left_out, licence=LICENCE)


def _pairs(path: Path) -> list[tuple[Path, Path]]:
    if path.is_dir():
        names = sorted(file.name.removesuffix("_zh.json") for file in path.glob("*_zh.json"))
        if not names:
            raise FormatError(
                f"{path} holds no NAME_zh.json beside a NAME_en.json. Give the folder of the aligned talks."
            )
        return [(path / f"{name}_zh.json", path / f"{name}_en.json") for name in names]
    for language in _LANGUAGES:
        if path.name.endswith(f"_{language}.json"):
            name = path.name.removesuffix(f"_{language}.json")
            return [(path.with_name(f"{name}_zh.json"), path.with_name(f"{name}_en.json"))]
    raise FormatError(f"{path} should be named NAME_zh.json or NAME_en.json, so that its twin can be found.")


def _turns(file: SourceFile, left_out: Counter[str]) -> dict[str, Turn]:
    if not is_aligned(file.data):
        raise FormatError(
            f"{file.path} is no aligned talk: it should hold 'session_meta' and 'conversation_list'."
        )
    turns: dict[str, Turn] = {}
    for place, entry in enumerate(need(file.data, "conversation_list", list, str(file.path))):
        where = f"{file.path}, message {place}"
        name, text = need(entry, "message_id", str, where), need(entry, "content", str, where).strip()
        if name in turns:
            left_out["messages with an id already used"] += 1
        elif not text:
            left_out["messages without text"] += 1
        else:
            at = _time(need(entry, "create_time", str, where), where)
            turns[name] = Turn(name, need(entry, "sender_name", str, where), Sender.OTHER, at, text)
    if not turns:
        raise FormatError(f"{file.path} holds no message. Is this the published file, unchanged?")
    return turns


def _talk(
    name: str,
    asking: Language,
    told: Language,
    asked: dict[str, Turn],
    turns: dict[str, Turn],
    left_out: Counter[str],
) -> Talk:
    end = max(turn.at for turn in turns.values())
    paired = [turn for turn in asked.values() if turn.id in turns]
    left_out["messages without a twin in the other language"] += len(asked) - len(paired)
    questions = tuple(
        Question(f"{turn.id}-{asking}", f"{asking}-{told}", turn.text, asking, (turn.id,), end)
        for turn in paired
    )
    return Talk(name, "UTC", "group", _by_day(turns), questions)


def _by_day(turns: dict[str, Turn]) -> tuple[TalkSession, ...]:
    """A day is a session, for the files have none; messages by time, for the files are not quite in order."""
    days: dict[str, list[Turn]] = {}
    for turn in sorted(turns.values(), key=lambda turn: turn.at):
        days.setdefault(turn.at.date().isoformat(), []).append(turn)
    return tuple(TalkSession(day, tuple(group)) for day, group in days.items())


def _time(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise FormatError(f"{where} is dated {text!r}; expected the form '2025-06-26T00:00:00Z'.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
