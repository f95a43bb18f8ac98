from __future__ import annotations

import json
from pathlib import Path

from echovessel.memory.engine import Store
from echovessel.memory.memory import Memory
from echovessel.memory.records import NewMessage, Scope
from tests.cli.conftest import Echo, in_file, owner


def test_forgetting_an_entity_lists_what_goes_and_takes_it(echo: Echo, mara: Path) -> None:
    with owner(mara, "mara") as memory:
        linked = {one.id: one for one in memory.directory.list()}
        node = next(one for one in memory.nodes.list() if one.entities)
        name = linked[node.entities[0]].name
        assert len(memory.directory.find(name)) == 1

    shown = echo("forget", "--entity", name).out
    assert "1 entities" in shown
    assert f"{node.id}  [{node.kind}]" in shown
    assert "Goes too, as it rests on it:" in shown

    assert echo("forget", "--entity", name, "--yes").code == 0
    with owner(mara, "mara") as memory:
        assert memory.directory.find(name) == []
        assert not in_file(mara, node.text)


def test_derived_memories_can_stay(echo: Echo, mara: Path) -> None:
    with owner(mara, "mara") as memory:
        node = next(one for one in memory.nodes.list() if one.sources and one.sources[0].message)
        message = node.sources[0].message
    assert message is not None

    assert "Stays, without the words quoted" in echo("forget", "--message", message, "--keep-derived").out
    assert echo("forget", "--message", message, "--keep-derived", "--yes").code == 0
    with owner(mara, "mara") as memory:
        kept = memory.nodes.get(node.id)
    assert message not in [source.message for source in kept.sources]


def test_other_things_to_forget(echo: Echo, mara: Path) -> None:
    with owner(mara, "mara") as memory:
        person = next(one for one in memory.directory.list() if len(one.aliases) > 1)
        line = next(line for line in memory.core.all()[0].text.splitlines() if line.strip())
        label = str(memory.core.all()[0].label)
        session = memory.sessions.list(limit=1)[0].id
        node = memory.nodes.list()[0].id
    alias = next(alias for alias in person.aliases if alias != person.name)

    for words in (
        ("--alias", alias, "--entity", person.id),
        ("--core-line", label, line),
        ("--node", node),
        ("--session", session),
        ("--user", "owner"),
        ("--persona", "mara"),
        ("--everything",),
    ):
        shown = echo("forget", *words)
        assert (shown.code, shown.err) == (0, "")
        assert echo("forget", *words, "--yes").code == 0
    assert json.loads(echo("status", "--json").out)["held"] == []


def test_what_belongs_to_others_is_counted_and_not_shown(echo: Echo, home: Path) -> None:
    echo("init")
    echo("remember", "my own words")
    echo("remember", "a secret of Mei", "--user", "mei")

    shown = echo("forget", "--everything").out
    assert "2 messages" in shown
    assert "my own words" in shown
    assert "... and 1 more" in shown
    assert "secret" not in shown
    echo("forget", "--user", "owner", "--yes")
    assert "  1 in other talks" in echo("forget", "--everything").out
    assert "a secret of Mei" in echo("forget", "--user", "mei").out
    refused = echo("forget", "--message", "x", "--in", "mei")
    assert (refused.code, "Use shared, user:NAME or group:NAME" in refused.err) == (1, True)


def test_after_everything_is_forgotten_the_configured_persona_begins_anew(echo: Echo) -> None:
    echo("init", "--persona", "lin")
    echo("forget", "--everything", "--yes")

    assert echo("recall", "tea").err.endswith("Known: none.")
    assert echo("remember", "I like tea").code == 0
    assert "tea" in echo("recall", "tea").out


def test_what_another_program_kept_is_wiped_later(echo: Echo, home: Path) -> None:
    echo("init")
    stored = echo("remember", "the secret is Rosebud")
    other = Store(home / "memory.db", busy_timeout_ms=50)
    try:
        with other.read():
            other.rows("SELECT count(*) FROM messages")
            ran = echo("forget", "--message", stored.out.split()[-1].rstrip("."), "--yes")
            assert ran.code == 1
            assert "echovessel forget --finish" in ran.err
            assert echo("search", "Rosebud").out == "Nothing holds these words.\n"
            assert in_file(home, "Rosebud")
    finally:
        other.close()

    assert echo("forget", "--finish").out == "The file holds no trace of deleted text.\n"
    assert not in_file(home, "Rosebud")


def test_an_import_goes_with_what_it_brought(echo: Echo, home: Path) -> None:
    echo("init")
    echo("remember", "said by hand")
    with owner(home) as memory:
        started = memory.imports.start("chat.txt", "d1")
        Memory(memory.imports.context_of(started.id)).log.add(NewMessage("brought in by chat.txt"))
        memory.imports.finish(started.id)
    assert f"Import {started.id}" in echo("status").out

    assert "brought in by chat.txt" in echo("forget", "--import", started.id).out
    assert echo("forget", "--import", started.id, "--yes").code == 0

    assert not in_file(home, "chat.txt")
    assert "said by hand" in echo("search", "hand").out
    assert echo("forget", "--import", started.id).code == 1


def test_a_group_goes_and_its_people_stay(echo: Echo, home: Path) -> None:
    echo("init")
    echo("remember", "my own words")
    with owner(home) as memory:
        memory.within(Scope.group("club")).log.add(NewMessage("words of the club", sender="other"))

    assert "words of the club" in echo("forget", "--group", "club").out
    assert echo("forget", "--group", "club", "--yes").code == 0

    assert not in_file(home, "words of the club")
    assert "my own words" in echo("search", "words").out
