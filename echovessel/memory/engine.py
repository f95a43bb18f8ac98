"""The SQLite file: how it is opened, migrated, locked and written. What is special to SQLite stays here."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

from echovessel.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
)

APPLICATION_ID = 0x45636856  # "EchV", so that `file` and other programs can tell whose file it is
BUSY_TIMEOUT_MS = 5_000
MEMORY = ":memory:"

Value = None | int | float | str | bytes
Row = tuple[Any, ...]


def migrations() -> list[str]:
    """The SQL scripts in order; script n brings a file from version n - 1 to n."""
    folder = resources.files("echovessel.memory") / "schema"
    scripts = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name
    )
    return [script.read_text(encoding="utf-8") for script in scripts]


class Store:
    """One memory file, open. Threads of one process may share it; other processes may open it too.

    `rollbacks` counts the transactions that were undone: whatever was read inside one may never have been.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self.path = os.fspath(path) if os.fspath(path) == MEMORY else str(Path(path).expanduser())
        self._lock = threading.RLock()
        self._depth = 0
        self.rollbacks = 0
        with self._errors():
            self._connection = self._opened(busy_timeout_ms)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _opened(self, busy_timeout_ms: int) -> apsw.Connection:
        if self.path != MEMORY:
            parent = Path(self.path).parent
            try:
                parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreReadOnly(
                    f"{parent} can't be made: {error.strerror}. Choose a folder you may write to."
                ) from error
        connection = apsw.Connection(self.path)
        connection.set_busy_timeout(busy_timeout_ms)
        return connection

    def _prepare(self) -> None:
        """Check whose file it is before anything is written, then bring it up to date."""
        run = self._connection.execute
        with self._connection:  # one state: another process may be making the file right now
            found_id = run("PRAGMA application_id").get
            version = run("PRAGMA user_version").get
            tables = run("SELECT count(*) FROM sqlite_schema").get
        scripts = migrations()
        if found_id != APPLICATION_ID and (tables or found_id):
            raise StoreForeign(
                f"{self.path} is a database of another program. Choose another path for the memory file."
            )
        if version > len(scripts):
            raise StoreForeign(
                f"{self.path} was made by a newer EchoVessel (file version {version}, this program knows"
                f" {len(scripts)}). Upgrade with: pip install -U echovessel"
            )
        if self.path != MEMORY and not self._connection.readonly("main"):
            run("PRAGMA journal_mode = WAL").fetchall()
        run("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
        run("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
        run("PRAGMA mmap_size = 1073741824").fetchall()
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.enable_load_extension(False)
        if version < len(scripts):
            self._migrate(scripts)

    def _migrate(self, scripts: Sequence[str]) -> None:
        with self.write():
            # Read again under the lock: another process may have migrated meanwhile.
            version = self.value("PRAGMA user_version")
            for number, script in enumerate(scripts[version:], start=version + 1):
                self._connection.execute(script)
                self._connection.execute(f"PRAGMA user_version = {number}")
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def close(self) -> None:
        """Fold the log into the file and close. Closing twice does nothing."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def write(self) -> Iterator[None]:
        """One transaction: all of it is kept, or nothing. Nested calls join the outer one."""
        with self._lock:
            if self._depth:
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                return
            with self._errors():
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
                with self._errors():
                    self._connection.execute("COMMIT")
            except BaseException:
                self.rollbacks += 1
                # SQLite has rolled back by itself after a full disk or an I/O error.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0

    @contextmanager
    def read(self) -> Iterator[None]:
        """Several reads of one state, whatever other processes write meanwhile."""
        with self._lock:
            if self._depth:
                yield
                return
            with self._errors():
                self._connection.execute("BEGIN")
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0
                self._connection.execute("COMMIT")

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """All rows of a query."""
        with self._lock, self._errors():
            return self._connection.execute(sql, values).fetchall()

    def batches(self, sql: str, values: Sequence[Value] = (), *, size: int = 2_000) -> Iterator[list[Row]]:
        """The rows of a query a batch at a time, inside `read()` or `write()`: for what need not be held whole."""
        with self._lock, self._errors():
            cursor = self._connection.execute(sql, values)
            while batch := list(islice(cursor, size)):
                yield batch

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """The first row of a query, or None."""
        with self._lock, self._errors():
            return self._connection.execute(sql, values).fetchone()

    def value(self, sql: str, values: Sequence[Value] = ()) -> Any:
        """The first column of the first row, or None."""
        found = self.row(sql, values)
        return None if found is None else found[0]

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Execute one statement inside `write()`; gives the number of rows it changed."""
        with self._lock, self._errors():
            self._connection.execute(sql, values)
            return self._connection.changes()

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Execute one statement for each row inside `write()`."""
        with self._lock, self._errors():
            self._connection.executemany(sql, rows)

    def insert(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Insert one row inside `write()`; gives its rowid."""
        with self._lock, self._errors():
            self._connection.execute(sql, values)
            return self._connection.last_insert_rowid()

    def rows_of(self, sql: str, keys: Sequence[Value], before: Sequence[Value] = ()) -> list[Row]:
        """Rows of a query that ends in ``IN (SELECT value FROM json_each(?))``, for any number of keys."""
        return self.rows(sql, (*before, json.dumps(list(keys))))

    @property
    def data_version(self) -> int:
        """Changes when another connection has committed."""
        # apsw's own data_version() looks at the cached header: it stays the same until the next read.
        version: int = self.value("PRAGMA data_version")
        return version

    @property
    def writing(self) -> bool:
        """Whether a write is under way, which may yet be undone."""
        with self._lock:
            return self._connection.txn_state("main") == apsw.SQLITE_TXN_WRITE

    @property
    def total_changes(self) -> int:
        """Grows with every row this connection writes."""
        with self._lock:
            return self._connection.total_changes()

    def scrub(self) -> None:
        """Leave no deleted byte behind: rewrite the file without free space, and cut the log.

        secure_delete zeroes what is deleted, but copies that a b-tree left in the unused part of a page when
        it split stay: of 2,103 deleted names 7 were found again without the rewrite. It costs about as much
        as copying the file.

        Raises
        ------
        StoreBusy
            Another process reads the file, so the log can't be cut now; what was deleted is gone from the
            tables, and the log follows with the next `scrub`.
        """
        with self._lock, self._errors():
            self._connection.execute("VACUUM")
            if self.path == MEMORY:
                return
            if self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get[0]:
                raise StoreBusy(
                    f"{self.path} is open in another process, so its log still holds deleted text. "
                    "Close the other program and run `echovessel forget --finish`."
                )

    def backup(self, target: str | os.PathLike[str]) -> None:
        """A consistent copy, also while others write."""
        with self._lock, self._errors():
            copy = apsw.Connection(os.fspath(target))
            try:
                with copy.backup("main", self._connection, "main") as job:
                    while not job.done:
                        job.step(256)
            finally:
                copy.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say what went wrong with the file in a sentence; a broken rule of our own stays what it is."""
        try:
            yield
        except (apsw.BusyError, apsw.LockedError) as error:
            raise StoreBusy(
                f"{self.path} is locked by another process. Wait for it to finish, or close it."
            ) from error
        except apsw.FullError as error:
            raise StoreFull(
                f"No space left for {self.path}. Free some; the last change was not kept."
            ) from error
        except apsw.ReadOnlyError as error:
            raise StoreReadOnly(
                f"{self.path} can't be written. Give yourself the right to write it and its folder."
            ) from error
        except apsw.CantOpenError as error:
            raise StoreReadOnly(
                f"{self.path} can't be opened. Check that its folder exists and may be written."
            ) from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise StoreDamaged(
                f"{self.path} is damaged or no memory file. Restore a backup, or choose another path."
            ) from error
        except apsw.IOError as error:
            raise StoreError(f"{self.path} can't be read or written: {error}. Check the disk.") from error
