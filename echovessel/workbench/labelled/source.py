"""Files as they lie on disk: read once, digested, checked field by field."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError


@dataclass(frozen=True)
class SourceFile:
    """A JSON file and the digest of its bytes."""

    path: Path
    data: Any
    digest: str


def load(path: Path) -> SourceFile:
    """Read a JSON file.

    Raises
    ------
    FormatError
        Missing, not UTF-8, cut off, or not JSON.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise FormatError(
            f"{path} can't be read: {error.strerror}. Give the path of the data set's file."
        ) from error
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path} is not UTF-8 text (byte {error.start}). Fetch the data set's file again."
        ) from error
    except json.JSONDecodeError as error:
        fault = f"{path} is not whole JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        raise FormatError(f"{fault} It may have been cut off; fetch it again.") from error
    except RecursionError as error:
        raise FormatError(f"{path} is nested too deeply to be a data set. Fetch it again.") from error
    return SourceFile(path, data, hashlib.sha256(raw).hexdigest())


def load_all(path: Path, pattern: str = "*.json") -> list[SourceFile]:
    """The file at `path`, or every file in that folder that fits `pattern`, by name."""
    if not path.is_dir():
        return [load(path)]
    found = sorted(path.glob(pattern))
    if not found:
        raise FormatError(f"{path} holds no {pattern}. Give the folder, or a file, of the data set.")
    return [load(file) for file in found]


def digest_of(files: Sequence[SourceFile]) -> str:
    """One digest for all: a file's own when there is one."""
    if len(files) == 1:
        return files[0].digest
    return hashlib.sha256("".join(file.digest for file in files).encode()).hexdigest()


def need(record: Any, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """A field of a record, checked.

    Raises
    ------
    FormatError
        The record is no mapping, lacks the field, or holds something else in it.
    """
    if not isinstance(record, dict):
        raise FormatError(f"{where} should be an object, found {_name(record)}. Is this the published file?")
    if key not in record:
        raise FormatError(f"{where} has no field {key!r}. Is this the published file, unchanged?")
    value = record[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
        raise FormatError(
            f"{where}, field {key!r} should be {names}, found {_name(value)}. Fetch the file again."
        )
    return value


def _name(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
