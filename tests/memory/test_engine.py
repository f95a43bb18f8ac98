from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.errors import (
    EmbedderMismatch,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreReadOnly,
)
from echovessel.memory.context import Context
from echovessel.memory.engine import APPLICATION_ID, Store, migrations
from echovessel.memory.entities import Entities
from echovessel.memory.memory import Memory
from echovessel.memory.messages import Messages
from echovessel.memory.records import NewMessage
from echovessel.memory.sessions import Sessions
from echovessel.memory.vectors import Vectors

ROOT = Path(__file__).parents[2]

SCRIPT = """
import sys
from datetime import UTC, datetime
from echovessel.clock import SystemClock
from echovessel.embedding import Calibration, EmbedderIdentity, Logit
from echovessel.memory.context import Context
from echovessel.memory.engine import Store
from echovessel.memory.entities import Entities
from echovessel.memory.ids import IdMaker
from echovessel.memory.messages import Messages
from echovessel.memory.personas import Personas
from echovessel.memory.records import NewMessage, Scope, Sender
from echovessel.memory.sessions import Sessions

context = Context(Store(sys.argv[1]), "lin", Scope.user("mei"), SystemClock(), IdMaker())
Personas(context).require()
log = Messages(context, Sessions(context), Entities(context))
"""


def start(path: Path, body: str, *arguments: str) -> subprocess.Popen[str]:
    """Another process that has the memory open."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT + textwrap.dedent(body), str(path), *arguments],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def log_of(context: Context) -> Messages:
    return Messages(context, Sessions(context), Entities(context))


def test_a_new_file_is_marked_as_ours(store: Store) -> None:
    assert store.value("PRAGMA application_id") == APPLICATION_ID
    assert store.value("PRAGMA user_version") == len(migrations())
    assert store.value("PRAGMA journal_mode") == "wal"
    assert store.value("PRAGMA foreign_keys") == 1
    assert store.value("PRAGMA secure_delete") == 1
    assert store.value("SELECT vec_version()").startswith("v")


def test_opening_again_changes_nothing(store: Store) -> None:
    before = store.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")

    again = Store(store.path)

    assert again.rows("SELECT name, sql FROM sqlite_schema ORDER BY name") == before
    again.close()
    again.close()


def test_a_file_of_a_newer_version_is_left_alone(store: Store) -> None:
    with store.write():
        store.run("PRAGMA user_version = 999")
    store.close()
    before = Path(store.path).read_bytes()

    with pytest.raises(StoreForeign, match=r"newer EchoVessel \(file version 999.*pip install -U echovessel"):
        Store(store.path)

    assert Path(store.path).read_bytes() == before


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes (text)")
    other.close()
    before = path.read_bytes()

    with pytest.raises(StoreForeign, match="another program"):
        Store(path)

    assert path.read_bytes() == before


def test_a_file_of_another_embedder_is_refused_and_let_go(context: Context) -> None:
    path, calibration = context.store.path, Calibration(Logit(0, 1, 1))
    Vectors(context).adopt(EmbedderIdentity("one", "1", 2, "aa", calibration))

    with pytest.raises(EmbedderMismatch, match=f"echovessel reembed {path}"):
        Memory.open(path, persona="lin", embedder=EmbedderIdentity("two", "1", 2, "bb", calibration))

    context.store.close()
    assert not Path(f"{path}-wal").exists()  # the last one out folds the log in


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()

    Store(tmp_path / "empty.db").close()

    assert (tmp_path / "empty.db").stat().st_size > 0


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    Store(tmp_path / "a" / "b" / "memory.db").close()

    assert (tmp_path / "a" / "b" / "memory.db").exists()


def test_a_failed_write_keeps_nothing(context: Context) -> None:
    log = log_of(context)
    with pytest.raises(RuntimeError, match="midway"), context.store.write():  # noqa: PT012
        log.add(NewMessage("half"))
        raise RuntimeError("midway")

    assert log.count() == 0
    log.add(NewMessage("whole"))
    assert log.count() == 1


def test_text_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_text("Dear diary, " * 1_000)

    with pytest.raises(StoreDamaged, match="Restore a backup"):
        Store(path)


def test_a_truncated_file(context: Context) -> None:
    log_of(context).add_many(NewMessage(f"line {n} " * 20) for n in range(500))
    context.store.close()
    path = Path(context.store.path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])

    with pytest.raises(StoreDamaged, match="damaged"):
        _read_all(path)


def _read_all(path: Path) -> None:
    store = Store(path)
    try:
        store.rows("SELECT * FROM messages")
        store.rows("SELECT * FROM message_search WHERE message_search MATCH 'line'")
    finally:
        store.close()


def test_a_full_disk(context: Context) -> None:
    """Simulated by a limit on pages, which fails the way a disk does."""
    log = log_of(context)
    kept = log.add(NewMessage("kept"))
    pages = context.store.value("PRAGMA page_count")
    context.store.value(f"PRAGMA max_page_count = {pages + 2}")

    with pytest.raises(StoreFull, match="No space left"):
        log.add_many(NewMessage("x" * 1_000) for _ in range(900))

    assert [message.id for message in log.between()] == [kept.id]
    context.store.value("PRAGMA max_page_count = 1000000")
    log.add(NewMessage("after some was freed"))
    assert log.count() == 2


def test_a_locked_file(context: Context) -> None:
    log_of(context).add(NewMessage("kept"))
    other = Store(context.store.path, busy_timeout_ms=20)

    with context.store.write(), pytest.raises(StoreBusy, match="locked by another process"), other.write():
        pytest.fail("two writers at once")
    assert other.value("SELECT count(*) FROM messages") == 1  # reading goes on beside a writer
    other.close()


@pytest.fixture
def nobody() -> Iterator[None]:
    """Not root, whom no permission stops."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs the permissions of a POSIX system")
    if os.geteuid():
        yield
        return
    os.seteuid(65_534)
    yield
    os.seteuid(0)


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder that the other user reaches."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder.owner() == tmp_path.owner() and folder != Path("/"):
            folder.chmod(0o755)
    return tmp_path


def test_a_read_only_file_and_folder(open_folder: Path, request: pytest.FixtureRequest) -> None:
    path = open_folder / "memory.db"
    store = Store(path)
    with store.write():
        store.run("INSERT INTO meta (key, value) VALUES ('a', 'b')")
    store.close()
    path.chmod(0o444)
    open_folder.chmod(0o555)
    try:
        request.getfixturevalue("nobody")
        with pytest.raises(StoreReadOnly, match="can't be"):
            _write_meta(path)
        with pytest.raises(StoreReadOnly, match="can't be"):
            Store(open_folder / "sub" / "memory.db")
        with pytest.raises(StoreReadOnly, match="can't be"):
            Store(open_folder / "another.db")
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        open_folder.chmod(0o755)


def _write_meta(path: Path) -> None:
    store = Store(path)
    try:
        with store.write():
            store.run("INSERT INTO meta (key, value) VALUES ('c', 'd')")
    finally:
        store.close()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="can't be"):
        Store(tmp_path)


def test_two_processes_write_at_once(context: Context) -> None:
    path = Path(context.store.path)
    body = """
        me = sys.argv[2]
        for n in range(100):
            log.add(NewMessage(f"{me} {n}", external_id=f"{me}-{n}", conversation=me))
            log.add(NewMessage(f"both {n}", external_id=str(n), conversation="both"))
    """
    writers = [start(path, body, name) for name in ("one", "two")]

    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]

    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    texts = [message.text for message in log_of(context).between()]
    assert sorted(texts) == sorted(
        [f"{name} {n}" for name in ("one", "two") for n in range(100)] + [f"both {n}" for n in range(100)]
    )
    for name in ("one", "two"):
        assert [text for text in texts if text.startswith(name)] == [f"{name} {n}" for n in range(100)]
    fresh = Store(path)  # FTS5 compares with what a connection remembers, and this one's memory is old
    assert fresh.value("PRAGMA integrity_check") == "ok"
    fresh.close()
    counted = context.store.value("SELECT sum(messages) FROM sessions")
    assert counted == 300


def test_a_new_file_is_made_by_several_processes_at_once(tmp_path: Path) -> None:
    body = "log.add(NewMessage(sys.argv[2], conversation=sys.argv[2]))"
    makers = [start(tmp_path / "new.db", body, str(n)) for n in range(3)]

    assert [maker.wait(timeout=120) for maker in makers] == [0, 0, 0]

    for maker in makers:
        assert maker.stdout is not None
        maker.stdout.close()
    made = Store(tmp_path / "new.db")
    assert made.value("SELECT count(*) FROM messages") == 3
    made.close()


def test_ten_turns_survive_a_kill(context: Context) -> None:
    """Case 20: killed without a word, opened again."""
    path = Path(context.store.path)
    context.store.close()
    writer = start(
        path,
        """
        import time
        for n in range(10):
            log.add(NewMessage(f"question {n}"))
            log.add(NewMessage(f"answer {n}", Sender.PERSONA))
        print("written", flush=True)
        time.sleep(60)
        """,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "written\n"
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()

    again = Context(Store(path), "lin", context.scope, context.clock, context.ids)
    messages = log_of(again).between()

    assert [m.text for m in messages] == [f"{what} {n}" for n in range(10) for what in ("question", "answer")]
    assert [str(m.sender) for m in messages] == ["user", "persona"] * 10
    assert [m.turn for m in messages] == list(range(1, 21))
    again.store.close()


def test_killed_in_the_middle_of_a_batch_nothing_of_it_is_kept(context: Context) -> None:
    path = Path(context.store.path)
    context.store.close()
    writer = start(
        path,
        """
        import time
        log.add(NewMessage("before"))
        with context.store.write():
            log.add_many(NewMessage(f"line {n}") for n in range(50))
            print("half", flush=True)
            time.sleep(60)
        """,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    writer.stdout.close()

    again = Context(Store(path), "lin", context.scope, context.clock, context.ids)
    assert [m.text for m in log_of(again).between()] == ["before"]
    assert again.store.value("PRAGMA integrity_check") == "ok"
    again.store.close()


def test_a_backup_is_whole_while_others_write(context: Context, tmp_path: Path) -> None:
    log_of(context).add_many(NewMessage(f"line {n}") for n in range(300))

    context.store.backup(tmp_path / "copy.db")

    copy = Store(tmp_path / "copy.db")
    assert copy.value("SELECT count(*) FROM messages") == 300
    assert copy.value("PRAGMA integrity_check") == "ok"
    copy.close()


def test_rules_of_the_schema_hold(store: Store) -> None:
    with pytest.raises(apsw.ConstraintError), store.write():
        store.run(
            "INSERT INTO moods (persona, scope, snapshot, updated_at) VALUES ('nobody', 'shared', '', 0)"
        )
