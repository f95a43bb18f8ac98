"""A persona from an archive: asked for consent, borne out by quotes, done once, and taken back whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from echovessel.clock import FixedClock
from echovessel.distill.consent import consent_of
from echovessel.distill.formats import reader_of
from echovessel.distill.history import Mapping
from echovessel.distill.persona import Distilled, distil
from echovessel.distill.pseudonyms import Pseudonyms
from echovessel.distill.source import Source
from echovessel.errors import InputError
from echovessel.memory.memory import Memory
from echovessel.memory.records import CoreLabel, Scope, ScopeKind
from echovessel.memory.targets import Target

MAPPING = Mapping(persona=frozenset({"Tom"}), user=frozenset({"Mei"}))
SAID = [
    ("Mei", "Where do you live these days?"),
    ("Tom", "I live in Leeds. crikey, so much rain"),
    ("Mei", "Do you miss the sea?"),
    ("Tom", "I really love the sea!"),
    ("Ana", "I live in Porto."),
    ("Tom", "I moved to York. crikey"),
    *((("Mei", f"and number {n}?"), ("Tom", f"crikey, number {n} it is")) for n in range(1, 13)),
]


def script() -> list[tuple[str, str]]:
    flat: list[tuple[str, str]] = []
    for each in SAID:
        flat += [each] if isinstance(each[0], str) else list(each)  # type: ignore[list-item, arg-type]
    return flat + [("Ana", f"my tent, part {n}") for n in range(10)]


def archive(folder: Path, said: list[tuple[str, str]], name: str = "chat.txt") -> Source:
    text = "\n".join(
        f"{13 + n // 60}/07/23, 09:{n % 60:02} - {who}: {words}" for n, (who, words) in enumerate(said)
    )
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return Source(folder / name)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FixedClock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    with Memory.open(tmp_path / "memory.db", persona="tom", scope=Scope.user("mei"), clock=clock) as memory:
        yield memory


def made(memory: Memory, source: Source, **options: Any) -> Distilled:
    return distil(memory, source, reader_of(source), MAPPING, **{"kind": "fictional"} | options)


@dataclass(frozen=True)
class Rows:
    """Everything a distillation writes."""

    messages: int
    nodes: int
    entities: int
    blocks: tuple[str, ...]
    revisions: int
    imports: int


def rows(memory: Memory) -> Rows:
    return Rows(
        memory.log.count(),
        len(memory.nodes.list(include_superseded=True)),
        len(memory.directory.list()),
        tuple(block.text for block in memory.core.all()),
        sum(len(memory.core.history(label)) for label in ("persona", "self", "style")),
        len(memory.imports.list()),
    )


def test_what_is_made_of_an_archive(memory: Memory, tmp_path: Path) -> None:
    done = made(memory, archive(tmp_path, script()))

    texts = {block.label: block.text for block in memory.core.all()}
    assert texts[CoreLabel.PERSONA] == "Name: Tom\nLives in: York"
    assert texts[CoreLabel.SELF] == "Likes: the sea"
    assert "crikey" in texts[CoreLabel.STYLE]
    assert "Them: " in texts[CoreLabel.STYLE]
    assert {block.scope.kind for block in memory.core.all()} == {ScopeKind.SHARED}
    assert done.written == (CoreLabel.PERSONA, CoreLabel.SELF, CoreLabel.STYLE)
    assert done.stored.new == len(script())
    # Ana's home is not Tom's.
    assert not any("Porto" in text for text in texts.values())
    assert [entity.name for entity in memory.directory.list()] == ["Ana"]


def test_facts_rest_on_their_messages_and_a_new_home_replaces_the_old(memory: Memory, tmp_path: Path) -> None:
    made(memory, archive(tmp_path, script()))

    nodes = memory.nodes.list()
    assert [(n.attribute, n.text) for n in nodes] == [
        ("home", "tom said: “I moved to York.”"),
        ("likes", "tom said: “I really love the sea!”"),
    ]
    (old,) = [n for n in memory.nodes.list(include_superseded=True) if n.superseded_by]
    assert old.text == "tom said: “I live in Leeds.”"
    for node in [*nodes, old]:
        (source,) = node.sources
        assert source.message is not None
        assert source.quote in memory.log.get(source.message).text
        assert node.scope == Scope.shared()
        assert (str(node.origin), str(node.subject)) == ("import", "persona")


def test_every_claim_has_a_quote_that_stands_in_memory(memory: Memory, tmp_path: Path) -> None:
    done = made(memory, archive(tmp_path, script()))

    said = [m.text for m in memory.log.between() if m.sender_name == "Tom"]
    assert len(done.draft.claims) > 5
    for claim in done.draft.claims:
        assert claim.quotes
        assert all(any(quote.text in text for text in said) for quote in claim.quotes)


def test_a_second_run_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    source = archive(tmp_path, script())
    made(memory, source)
    before = rows(memory)

    again = made(memory, source)

    assert rows(memory) == before
    assert (again.stored.new, again.facts, again.entities, again.written) == (0, 0, 0, ())


def test_the_same_lines_by_another_file_add_nothing(memory: Memory, tmp_path: Path) -> None:
    made(memory, archive(tmp_path, script()))
    before = rows(memory)
    copy = archive(tmp_path, script(), "copy.txt")
    copy.path.write_text("\n" + copy.path.read_text(encoding="utf-8"), encoding="utf-8")

    made(memory, copy)

    assert rows(memory) == before


def test_a_longer_export_adds_only_what_is_new(memory: Memory, tmp_path: Path) -> None:
    made(memory, archive(tmp_path, script()))

    longer = made(memory, archive(tmp_path, [*script(), ("Tom", "I can't stand coriander.")], "longer.txt"))

    assert (longer.stored.new, longer.facts) == (1, 1)
    assert memory.core.get("self").text == "Likes: the sea\nDislikes: coriander"  # type: ignore[union-attr]


def test_undoing_the_import_takes_everything_back(memory: Memory, tmp_path: Path) -> None:
    done = made(memory, archive(tmp_path, script()))

    memory.imports.undo(done.stored.imported.id)

    left = rows(memory)
    assert (left.messages, left.nodes, left.entities, left.imports) == (0, 0, 0, 0)
    assert "".join(left.blocks) == ""


def test_a_run_that_broke_off_before_the_blocks_goes_on(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = archive(tmp_path, script())

    def broken(claim: object) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(memory, source, review=broken)
    assert memory.core.get("style") is None
    done = made(memory, source)

    assert done.facts == 3
    assert len(memory.imports.list()) == 1
    memory.imports.undo(memory.imports.list()[0].id)
    assert rows(memory).nodes == 0


def test_a_claim_that_is_refused_is_written_nowhere(memory: Memory, tmp_path: Path) -> None:
    made(memory, archive(tmp_path, script()), review=lambda claim: claim.kind != "likes")

    assert memory.core.get("self") is None
    assert {node.attribute for node in memory.nodes.list()} == {"home"}


def test_what_was_forgotten_is_said_no_more(memory: Memory, tmp_path: Path) -> None:
    source = archive(tmp_path, script())
    made(memory, source)
    (sea,) = [m for m in memory.log.between() if "love the sea" in m.text]
    memory.forget(Target.message(sea.id))

    again = made(memory, source)

    assert again.stored.forgotten == 1
    assert all("sea" not in claim.text or "miss" in claim.text for claim in again.draft.claims)
    assert {node.attribute for node in memory.nodes.list()} == {"home"}


def test_words_of_a_person_are_not_overwritten(memory: Memory, tmp_path: Path) -> None:
    memory.core.set("style", "Dry.", actor="manual")

    done = made(memory, archive(tmp_path, script()))

    assert done.kept == (CoreLabel.STYLE,)
    assert memory.core.get("style").text == "Dry."  # type: ignore[union-attr]


def test_consent_is_asked_and_kept(memory: Memory, tmp_path: Path) -> None:
    source = archive(tmp_path, script())
    with pytest.raises(InputError, match="who consented"):
        made(memory, source, kind="consented", consent_note="  ")
    with pytest.raises(InputError, match="no kind of persona"):
        made(memory, source, kind="stolen")
    assert memory.log.count() == 0
    assert consent_of(memory.context) is None

    done = made(memory, source, kind="consented", consent_note="Tom, by letter, May 2026")

    kept = consent_of(memory.context)
    assert kept is not None
    assert (str(kept.kind), kept.note, kept.at) == (
        "consented",
        "Tom, by letter, May 2026",
        datetime(2026, 6, 1, 12, tzinfo=UTC),
    )
    assert memory.personas.get("tom").kind == "consented"
    made(memory, source, kind="research")
    assert str(consent_of(memory.context).kind) == "research"  # type: ignore[union-attr]
    memory.imports.undo(done.stored.imported.id)
    assert "".join(rows(memory).blocks) == ""
    assert str(consent_of(memory.context).kind) == "research"  # type: ignore[union-attr]


def test_others_are_hidden_on_request(memory: Memory, tmp_path: Path) -> None:
    hidden = Pseudonyms(["Ana"], keep=["Tom", "Mei"])
    said = [*script(), ("Mei", "Is Ana coming?"), ("Tom", "Ana? call her on +44 20 7946 0018")]

    done = made(memory, archive(tmp_path, said), hide=hidden)

    everything = [m.text + m.sender_name for m in memory.log.between()]
    everything += [block.text for block in memory.core.all()] + [e.name for e in memory.directory.list()]
    assert not any("Ana" in text or "7946" in text for text in everything)
    assert [entity.name for entity in memory.directory.list()] == ["Person A"]
    assert done.hidden == {"name": 13, "phone": 1}  # 11 as speaker, 2 in what was said
