"""Our own labelled set: every label holds, and there is as much of everything as was promised."""

from __future__ import annotations

import runpy
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from echovessel.memory.aliases import normal
from echovessel.samples.conversation import UNANSWERABLE, Conversation, GoldEntity
from echovessel.samples.manifest import Manifest, read_set
from echovessel.text import is_han

DATASETS = Path(__file__).parents[2] / "datasets"
MANIFEST = DATASETS / "own" / "dataset.toml"
ENTRIES = {entry.id: entry for entry in Manifest.read(MANIFEST).entries}


@cache
def talk(name: str) -> Conversation:
    return Conversation.read(ENTRIES[name].file(MANIFEST.parent))


def talks() -> list[Conversation]:
    return [talk(name) for name in ENTRIES]


def han(name: str) -> bool:
    return any(map(is_han, name))


@pytest.mark.parametrize("name", ENTRIES)
def test_every_label_holds(name: str) -> None:
    assert talk(name).problems() == []


@pytest.mark.parametrize("name", ENTRIES)
def test_a_file_lies_where_its_id_says(name: str) -> None:
    entry = ENTRIES[name]

    assert entry.file(MANIFEST.parent).stem == name == talk(name).id
    assert (entry.language, entry.kind) == (talk(name).language, talk(name).kind)


def test_every_conversation_of_the_folder_is_in_the_manifest() -> None:
    listed = {entry.path for entry in ENTRIES.values() if entry.path}

    assert listed == {f"conversations/{file.name}" for file in (MANIFEST.parent / "conversations").iterdir()}
    assert {entry.sample for entry in ENTRIES.values()} - {None} == {"lin.json", "mara.json"}


def test_as_many_conversations_as_promised() -> None:
    languages = Counter(entry.language for entry in ENTRIES.values())

    assert languages == {"zh": 5, "en": 4, "mixed": 3}
    assert sum(entry.kind == "group" for entry in ENTRIES.values()) == 3
    assert sum(len(one.turns) for one in talks()) >= 1500


@pytest.mark.parametrize("kind", ["alias", "alias_cross", "updated", "decoy", "off_topic", "near_miss"])
def test_sixty_questions_of_each_hard_type(kind: str) -> None:
    assert sum(query.type == kind for one in talks() for query in one.queries) >= 60


def test_the_split_is_by_conversation_and_balanced() -> None:
    parts = {split: [e for e in ENTRIES.values() if e.split == split] for split in ("tuning", "reporting")}

    assert len({entry.file(MANIFEST.parent) for entry in ENTRIES.values()}) == len(ENTRIES) == 12
    for entries in parts.values():
        assert {entry.language for entry in entries} == {"zh", "en", "mixed"}
        assert {entry.kind for entry in entries} == {"solo", "group"}
    asked = {split: sum(len(talk(e.id).queries) for e in entries) for split, entries in parts.items()}
    assert 0.45 < asked["tuning"] / sum(asked.values()) < 0.55
    # Whoever tries the demo has seen them.
    assert ENTRIES["lin"].split == ENTRIES["mara"].split == "tuning"


def test_the_parts_are_disjoint_and_cover_the_set() -> None:
    tuning = [one.id for one in read_set(MANIFEST, split="tuning")]
    reporting = [one.id for one in read_set(MANIFEST, split="reporting")]

    assert not set(tuning) & set(reporting)
    assert sorted(tuning + reporting) == sorted(one.id for one in read_set(MANIFEST)) == sorted(ENTRIES)


@pytest.mark.parametrize("name", ENTRIES)
def test_a_conversation_has_all_that_is_asked_of_one(name: str) -> None:
    one = talk(name)
    types = Counter(query.type for query in one.queries)
    kinds = Counter(memory.kind for memory in one.memories)

    assert all(types[kind] >= 6 for kind in ("alias", "alias_cross", "updated", "decoy", *UNANSWERABLE))
    assert types["single"] >= 5
    assert types["cross_language"] >= 5
    assert min(types["multi"], types["temporal"]) >= 4
    assert types["identity"] >= 3
    assert {query.language for query in one.queries} == {"zh", "en"}
    assert kinds["thought"] >= 5
    assert min(kinds["intention"], kinds["expectation"]) >= 3
    assert sum(memory.superseded_by is not None for memory in one.memories) >= 6
    assert sum(abs(memory.impact) >= 7 for memory in one.memories) >= 3
    assert sum(memory.scope == "shared" for memory in one.memories) >= 3
    assert any(memory.tags for memory in one.memories)


@pytest.mark.parametrize("name", ENTRIES)
def test_people_go_by_several_names(name: str) -> None:
    entities = talk(name).entities

    def crosses(entity: GoldEntity) -> bool:
        return any(han(alias.text) != han(entity.name) for alias in entity.aliases)

    assert len(entities) >= 7
    assert sum(bool(entity.aliases) for entity in entities) >= 4
    assert sum(map(crosses, entities)) >= 3


def test_two_people_share_a_name_to_the_letter() -> None:
    def shared(one: Conversation) -> bool:
        names = [{normal(name) for name in entity.names} for entity in one.entities]
        return any(a & b for a, b in combinations(names, 2))

    assert {one.id for one in talks() if shared(one)} >= {"lin", "zh-02-grandmother", "zh-03-coach"}


@pytest.mark.parametrize("name", ENTRIES)
def test_every_session_ends_in_a_mood(name: str) -> None:
    for session in talk(name).sessions:
        assert session.mood_end.mood.strip()
        assert session.mood_end.last_user_signal.strip()
    assert len({session.mood_end.energy for session in talk(name).sessions}) > 1


@pytest.mark.parametrize("name", ENTRIES)
def test_a_memory_is_not_dated_after_what_replaced_it(name: str) -> None:
    one = talk(name)
    for old in one.memories:
        if old.superseded_by and old.valid_to:
            new = one.memory[old.superseded_by]
            assert new.valid_from is None or old.valid_to <= new.valid_from, (old.id, new.id)


def test_no_question_is_asked_in_two_conversations_word_for_word_but_where_one_lives() -> None:
    texts = Counter(normal(query.text) for one in talks() for query in one.queries)

    assert {text for text, count in texts.items() if count > 1} <= {normal("我现在住哪儿？")}


def test_the_datasheet_tells_the_numbers_that_are_counted() -> None:
    counted = runpy.run_path(str(DATASETS / "count.py"))["tables"](MANIFEST)
    sheet = (MANIFEST.parent / "DATASHEET.md").read_text(encoding="utf-8")

    assert counted in sheet, "run `python datasets/count.py` and put its tables into DATASHEET.md"
    assert f"version {Manifest.read(MANIFEST).version}" in sheet


def test_files_hold_one_record_a_line() -> None:
    """So that a changed label is one changed line."""
    for name, entry in ENTRIES.items():
        lines = entry.file(MANIFEST.parent).read_text(encoding="utf-8").splitlines()
        for record in (*talk(name).turns, *talk(name).memory):
            assert sum(line.lstrip().startswith(f'{{"id": "{record}", ') for line in lines) == 1, (
                name,
                record,
            )
