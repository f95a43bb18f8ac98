"""One daemon per memory file: a lock that the system lets go of when its holder dies."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType

from echovessel.errors import StoreBusy, StoreReadOnly

SUFFIX = ".lock"


class DaemonLock:
    """The lock beside a memory file. It holds the process id; a file left by a dead process locks nobody out.

    Parameters
    ----------
    file : Path
        The memory file.

    Raises
    ------
    StoreBusy
        A daemon runs for that file; names its process.
    StoreReadOnly
        The lock can't be made.
    """

    def __init__(self, file: Path) -> None:
        self.path = _beside(file)
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreReadOnly(
                f"{self.path} can't be made: {error.strerror}. Give yourself the right to write that folder."
            ) from error
        if not _locked(self._handle):
            holder = _read(self._handle)
            os.close(self._handle)
            raise StoreBusy(
                f"EchoVessel runs already for {file} (process {holder or 'unknown'}). Stop that one first, or use"
                " another --home."
            )
        _write(self._handle, str(os.getpid()))

    def release(self) -> None:
        """Let another daemon start; doing it twice does nothing."""
        if self._handle >= 0:
            # The file stays: deleting it would let two starts lock two files of one name.
            _write(self._handle, "")
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> DaemonLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def running(file: Path) -> int | None:
    """The process id of the daemon of a memory file; None when none runs, 0 when it can't be told."""
    try:
        handle = os.open(_beside(file), os.O_RDWR)
    except OSError:
        return None
    try:
        return None if _locked(handle, shared=True) else _read(handle)
    finally:
        os.close(handle)


def _beside(file: Path) -> Path:
    return file.with_name(file.name + SUFFIX)


def _read(handle: int) -> int:
    os.lseek(handle, 0, os.SEEK_SET)
    found = os.read(handle, 20).decode("ascii", "replace").strip()
    return int(found) if found.isdigit() else 0


def _write(handle: int, text: str) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    os.ftruncate(handle, 0)
    os.write(handle, text.encode("ascii"))


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20  # Windows keeps others from reading what is locked, so a byte far behind the id is

    def _locked(handle: int, *, shared: bool = False) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(handle: int, *, shared: bool = False) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
