"""An archive as it lies on the disk: a file, a folder or a zip, with text in any encoding."""

from __future__ import annotations

import codecs
import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

from echovessel.errors import FormatError

HEAD = 256 * 1024
ENCODINGS = ["gb18030", "big5", "shift_jis", "euc_kr", "cp1252", "cp1251", "utf_16_le", "utf_16_be"]
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Source:
    """An archive to read from.

    Parameters
    ----------
    path : path
        A file, a folder, or a zip as a service exports it.

    Raises
    ------
    FormatError
        There is nothing there, or it can't be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser()
        if not self.path.exists():
            raise FormatError(f"{self.path} doesn't exist. Check the path.")
        self._zip = self._opened_zip()

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return self.path.name

    @property
    def packed(self) -> bool:
        """Whether it is a folder or a zip, and not a single file."""
        return self._zip is not None or self.path.is_dir()

    @cached_property
    def members(self) -> tuple[str, ...]:
        """What it holds, as paths with ``/``; a single file holds itself."""
        if self._zip is not None:
            # Folders, and what macOS adds, hold nothing of the archive.
            return tuple(
                sorted(
                    n for n in self._zip.namelist() if not n.endswith("/") and not n.startswith("__MACOSX/")
                )
            )
        if self.path.is_dir():
            return tuple(
                sorted(f.relative_to(self.path).as_posix() for f in self.path.rglob("*") if f.is_file())
            )
        return (self.path.name,)

    def member(self, *names: str) -> str | None:
        """The first member whose path ends in one of these, at any depth; a plain file counts under any name."""
        if not self.packed:
            return self.path.name
        for name in names:
            for member in self.members:
                if member == name or member.endswith(f"/{name}"):
                    return member
        return None

    def only(self, *endings: str) -> str | None:
        """The only member with one of these endings, such as ``.txt``; None when there are none or several."""
        if not self.packed:
            return self.path.name
        found = [member for member in self.members if member.lower().endswith(endings)]
        return found[0] if len(found) == 1 else None

    def one(self, *endings: str, what: str) -> str:
        """The only member with one of these endings; `what` names its kind in the error.

        Raises
        ------
        FormatError
            There are none or several.
        """
        member = self.only(*endings)
        if member is None:
            raise FormatError(f"{self.path} holds several {what}. Give one of them.")
        return member

    @contextmanager
    def bytes(self, member: str) -> Iterator[BinaryIO]:
        """A member opened for reading bytes."""
        try:
            if self._zip is not None:
                with self._zip.open(member) as stream:
                    yield stream  # type: ignore[misc]
            else:
                with (self.path / member if self.path.is_dir() else self.path).open("rb") as stream:
                    yield stream
        except (zipfile.BadZipFile, RuntimeError, EOFError) as error:
            raise FormatError(
                f"{self.path}: {member} can't be unpacked: {error}. Export it again."
            ) from error
        except OSError as error:
            raise FormatError(f"{self.path}: {member} can't be read: {error.strerror or error}.") from error

    @contextmanager
    def text(self, member: str) -> Iterator[io.TextIOWrapper]:
        """A member opened for reading text, in the encoding it was found to be in."""
        encoding = self.encoding(member)
        # newline="\n": a lone carriage return inside a message is no line of its own.
        with (
            self.bytes(member) as raw,
            io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="\n") as stream,
        ):
            yield stream

    def lines(self, member: str) -> Iterator[tuple[int, str]]:
        """Its lines with their numbers from 1, without line ends."""
        with self.text(member) as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.rstrip("\r\n")

    def head(self, member: str) -> str:
        """The beginning of a member, as text: enough to tell a format by."""
        with self.bytes(member) as stream:
            raw = stream.read(HEAD)
        return raw.decode(self.encoding(member), errors="replace")

    def encoding(self, member: str) -> str:
        """The encoding of a member.

        By its byte order mark; else UTF-8, when all of it is; else what charset-normalizer finds likeliest.
        """
        if member not in self._encodings:
            self._encodings[member] = self._found_encoding(member)
        return self._encodings[member]

    @cached_property
    def _encodings(self) -> dict[str, str]:
        return {}

    def _found_encoding(self, member: str) -> str:
        with self.bytes(member) as stream:
            head = stream.read(HEAD)
            for mark, encoding in _MARKS:
                if head.startswith(mark):
                    return encoding
            decoder = codecs.getincrementaldecoder("utf-8")()
            chunk = head
            try:
                while chunk:
                    decoder.decode(chunk)
                    chunk = stream.read(1 << 20)
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                best = from_bytes(head, cp_isolation=ENCODINGS).best()
                return best.encoding if best else "utf-8"
        return "utf-8"

    def _opened_zip(self) -> zipfile.ZipFile | None:
        if not self.path.is_file() or not zipfile.is_zipfile(self.path):
            return None
        try:
            return zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, OSError) as error:
            raise FormatError(f"{self.path} is a broken zip file: {error}. Export it again.") from error
