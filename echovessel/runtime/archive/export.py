"""Write a whole vessel into one zip: JSON lines by layer, and a manifest with the hash of each file."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from echovessel.clock import from_micros
from echovessel.errors import InputError, StoreFull, StoreReadOnly
from echovessel.memory.context import Context
from echovessel.memory.engine import Row, Store
from echovessel.memory.personas import Personas
from echovessel.runtime.archive.seal import Secret, seal
from echovessel.runtime.archive.tables import (
    COUNTS,
    FORMAT,
    MANIFEST,
    TABLES,
    TOMBSTONES,
    VERSION,
    Table,
    is_time,
)
from echovessel.runtime.upkeep import whole_file


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: where, whose, and the rows of each table."""

    path: Path
    personas: tuple[str, ...]
    rows: dict[str, int]


def export_archive(
    home: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    personas: Sequence[str] = (),
    secret: Secret | None = None,
    force: bool = False,
) -> Exported:
    """Write the personas of a home into one file, also while a daemon runs: it is one state.

    Vectors are not in it: they are made again from the text, by whatever embedder reads it.

    Parameters
    ----------
    personas : sequence of str
        Whose; all of the home when left out.
    secret : Secret, optional
        Encrypt it with age.
    force : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    InputError
        Something is at the target already, or its folder is missing.
    NotFoundError
        No such persona, or no memory.
    StoreReadOnly
        The target can't be written.
    """
    path = Path(target).expanduser()
    with whole_file(home) as context:
        known = Personas(context)
        whose = tuple(known.get(one).id for one in personas) or tuple(one.id for one in known.list())
        with fresh_file(path, force=force) as stream:
            if secret is None:
                rows = _write(context, stream, whose)
            else:
                plain = path.with_name(f"{path.name}.plain")
                try:
                    with _private(plain) as inner:
                        rows = _write(context, inner, whose)
                    seal(plain, stream, secret)
                finally:
                    plain.unlink(missing_ok=True)
    return Exported(path, whose, rows)


@contextmanager
def fresh_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file for its owner alone that bears its name only once it is whole."""
    if path.is_dir():
        raise InputError(f"{path} is a folder. Name a file in it.")
    if path.exists() and not force:
        raise InputError(f"{path} exists. Choose another name, or say --force to replace it.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent}. Make it first.")
    part = path.with_name(path.name + ".part")
    try:
        with _private(part) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        kind = StoreFull if error.errno == 28 else StoreReadOnly
        raise kind(f"{path} can't be written: {error.strerror or error}. Choose another place.") from error
    finally:
        part.unlink(missing_ok=True)


def _private(path: Path) -> BinaryIO:
    path.unlink(missing_ok=True)  # left from a run that was killed
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")


def _write(context: Context, stream: BinaryIO, whose: Sequence[str]) -> dict[str, int]:
    store, rows = context.store, dict[str, int]()
    files: dict[str, dict[str, Any]] = {}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, store.read():
        for table in TABLES:
            files[table.file] = _member(archive, table.file, _records(store, table, whose))
            rows[table.name] = files[table.file]["rows"]
        files[COUNTS] = _member(archive, COUNTS, _counts(store, whose))
        files[TOMBSTONES] = _member(archive, TOMBSTONES, _tombstones(store))
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "made_at": context.clock.now().isoformat(),
            "personas": list(whose),
            "tombstone_key": store.value("SELECT value FROM meta WHERE key = 'tombstone_key'"),
            "files": files,
        }
        archive.writestr(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2))
    return rows


def _member(archive: zipfile.ZipFile, name: str, records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    digest, count, size = hashlib.sha256(), 0, 0
    with archive.open(name, "w", force_zip64=True) as member:
        for record in records:
            line = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
            digest.update(line)
            member.write(line)
            count += 1
            size += len(line)
    return {"sha256": digest.hexdigest(), "rows": count, "bytes": size}


def _records(store: Store, table: Table, whose: Sequence[str]) -> Iterator[dict[str, Any]]:
    columns = columns_of(store, table)
    read = list(columns)
    if table.name == "stages":  # a row number means nothing elsewhere: the message itself does
        read[read.index("through")] = "(SELECT id FROM messages WHERE seq = through) AS through"
    sql = f"SELECT {', '.join(read)} FROM {table.name} WHERE {table.where} ORDER BY {table.order}"
    yield from _dicts(store, sql, columns, [json.dumps(list(whose))])


def _counts(store: Store, whose: Sequence[str]) -> Iterator[dict[str, Any]]:
    listed = "persona IN (SELECT value FROM json_each(?1))"
    sql = (
        "SELECT item, reads, last_at FROM access_counts WHERE item IN (SELECT id FROM messages WHERE"
        f" {listed} UNION ALL SELECT id FROM nodes WHERE {listed}) ORDER BY item"
    )
    yield from _dicts(store, sql, ("item", "reads", "last_at"), [json.dumps(list(whose))])


def _tombstones(store: Store) -> Iterator[dict[str, Any]]:
    sql = "SELECT lower(hex(digest)), at FROM tombstones ORDER BY digest"
    yield from _dicts(store, sql, ("digest", "at"), [])


def _dicts(store: Store, sql: str, columns: Sequence[str], values: list[str]) -> Iterator[dict[str, Any]]:
    shown: list[Callable[[Any], Any]] = [_moment if is_time(one) else _same for one in columns]
    for batch in store.batches(sql, values):
        for row in batch:
            yield dict(_shown(columns, shown, row))


def _shown(
    columns: Sequence[str], shown: Sequence[Callable[[Any], Any]], row: Row
) -> Iterator[tuple[str, Any]]:
    for column, show, value in zip(columns, shown, row, strict=True):
        yield column, show(value)


def _same(value: Any) -> Any:
    return value


def _moment(micros: int | None) -> str | None:
    return None if micros is None else from_micros(micros).isoformat(timespec="microseconds")


def columns_of(store: Store, table: Table) -> tuple[str, ...]:
    """The columns of a table that go into an archive."""
    found = store.rows("SELECT name FROM pragma_table_info(?)", (table.name,))
    return tuple(name for (name,) in found if name not in table.skip)
