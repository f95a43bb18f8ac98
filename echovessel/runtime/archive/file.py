"""An archive opened for reading: everything about it is checked before a row is taken from it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echovessel.errors import FormatError, InputError, StoreForeign
from echovessel.runtime.archive.seal import Secret, is_sealed, unseal
from echovessel.runtime.archive.tables import FILES, FORMAT, MANIFEST, VERSION

_MANIFEST_BYTES = 1 << 20
_LINE_BYTES = 64 << 20
# Text packs ten to one. What claims to unpack to far more is made to fill a disk or a memory.
_MOST_UNPACKED = 256 << 20
_MOST_RATIO = 100
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A checked archive: its manifest, and its records one at a time."""

    path: Path
    size: int
    manifest: dict[str, Any]
    packed: zipfile.ZipFile

    def records(self, member: str) -> Iterator[dict[str, Any]]:
        """The records of one file.

        Raises
        ------
        FormatError
            A line is no JSON object.
        """
        for number, line in enumerate(self._lines(member), start=1):
            try:
                record = json.loads(line.decode("utf-8", "surrogatepass"))
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{self.path}: line {number} of {member} is no JSON.") from error
            if not isinstance(record, dict):
                raise FormatError(f"{self.path}: line {number} of {member} is no record.")
            yield record

    def _lines(self, member: str) -> Iterator[bytes]:
        try:
            with self.packed.open(member) as stream:
                while line := stream.readline(_LINE_BYTES):
                    if len(line) == _LINE_BYTES:
                        raise FormatError(f"{self.path}: a line of {member} is longer than 64 MB.")
                    yield line
        except _BROKEN as error:
            raise FormatError(f"{self.path}: {member} can't be unpacked. Take another copy of it.") from error

    def check(self) -> None:
        """Compare every file with the manifest; reads the archive through once.

        Raises
        ------
        FormatError
            Something is missing, is not ours, is too large, or was changed.
        """
        told: dict[str, Any] = self.manifest["files"]
        there = [info.filename for info in self.packed.infolist()]
        if sorted(there) != sorted({*told, MANIFEST}) or set(told) != set(FILES):
            raise FormatError(
                f"{self.path} holds other files than its manifest names, so it is no whole export."
            )
        unpacked = sum(info.file_size for info in self.packed.infolist())
        if unpacked > max(_MOST_UNPACKED, _MOST_RATIO * self.size):
            raise FormatError(
                f"{self.path} would unpack to {unpacked:,} bytes; no export of ours packs so well."
            )
        for member, entry in told.items():
            digest, rows = hashlib.sha256(), 0
            for line in self._lines(member):
                digest.update(line)
                rows += 1
            if not isinstance(entry, dict) or (digest.hexdigest(), rows) != (
                entry.get("sha256"),
                entry.get("rows"),
            ):
                raise FormatError(f"{self.path}: {member} is not as it was written. Take another copy of it.")


@contextmanager
def opened(path: str | os.PathLike[str], *, secret: Secret | None = None) -> Iterator[ArchiveFile]:
    """An archive, decrypted into a private temporary file where it is encrypted.

    Raises
    ------
    FormatError
        It is no export of ours, is damaged, or the passphrase is wrong.
    InputError
        It is missing, or encrypted and no secret was given.
    StoreForeign
        It was made by a newer version.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    if not is_sealed(path):
        with _unpacked(path, path) as archive:
            yield archive
        return
    if secret is None:
        raise InputError(f"{path} is encrypted. Give its passphrase or its key.")
    with tempfile.TemporaryDirectory(prefix="echovessel-") as folder:
        plain = Path(folder) / "plain.zip"
        with plain.open("wb") as stream:
            unseal(path, stream, secret)
        with _unpacked(plain, path) as archive:
            yield archive


@contextmanager
def _unpacked(plain: Path, shown: Path) -> Iterator[ArchiveFile]:
    try:
        packed = zipfile.ZipFile(plain)
    except _BROKEN as error:
        raise FormatError(f"{shown} is no export of EchoVessel, or it is cut off.") from error
    with packed:
        archive = ArchiveFile(shown, plain.stat().st_size, _manifest(packed, shown), packed)
        archive.check()
        yield archive


def _manifest(packed: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    try:
        with packed.open(MANIFEST) as stream:
            manifest = json.loads(stream.read(_MANIFEST_BYTES))
    except (KeyError, ValueError, RecursionError, *_BROKEN) as error:
        raise FormatError(f"{path} is no export of EchoVessel: it has no readable manifest.") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FormatError(f"{path} is no export of EchoVessel.")
    version = manifest.get("version")
    if not isinstance(version, int) or version < 1 or not isinstance(manifest.get("files"), dict):
        raise FormatError(f"{path} has a broken manifest.")
    if version > VERSION:
        raise StoreForeign(
            f"{path} was made by a newer EchoVessel (export version {version}, this program knows {VERSION})."
            " Upgrade with: pip install -U echovessel"
        )
    return manifest


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an export of ours, by its manifest; an encrypted one can't be told."""
    path = Path(path).expanduser()
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as packed:
            _manifest(packed, path)
    except StoreForeign:
        return True
    except (FormatError, *_BROKEN):
        return False
    return True
