"""A persona made of an archive on the page, step by step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echovessel.distill.consent import Kind
from echovessel.errors import EchoVesselError, FormatError, InputError
from echovessel.memory.records import CoreLabel
from echovessel.models.hash import HashEmbedder
from echovessel.runtime.vessel import Vessel
from echovessel.workbench.app import distilling
from echovessel.workbench.app.distilling import Wanted
from echovessel.workbench.app.shelf import Shelf
from echovessel.workbench.app.show.archive import claim_label, preview_of
from echovessel.workbench.app.words import Words

TALK = """[12/07/2023, 08:28:01] Ana: I live in Lisbon, near the river
[12/07/2023, 08:29:11] Ben: lucky you <b>really</b>
[12/07/2023, 08:30:00] Ana: haha yes!! I love fado
[13/07/2023, 09:00:00] Ben: call me on +351 912 345 678
[13/07/2023, 09:01:00] Ana: I work as a nurse
[14/07/2023, 21:00:00] Ana: good night!!
"""
ANA = Wanted(speakers=("Ana",), users=("Ben",), kind="self")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "chat.txt"
    path.write_text(TALK, encoding="utf-8")
    return str(path)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    class Small(Shelf):
        def embedder(self) -> HashEmbedder:  # type: ignore[override]
            return HashEmbedder()

    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("embedder = 'hash'\n")
    return Small(home=home)


def all_of(archive: distilling.Archive, wanted: Wanted = ANA) -> set[str]:
    return {distilling.key(claim) for claim in distilling.claims(archive, wanted)}


def test_the_preview_shows_what_was_read_as_text(file: str) -> None:
    shown = str(preview_of(Words("en"), distilling.read(file)))

    for said in ("WhatsApp", "6 messages", "2023-07-12", "2023-07-14", "Ana: 4 messages", "Ben: 2 messages"):
        assert said in shown
    assert "&lt;b&gt;really&lt;/b&gt;" in shown
    assert "Nothing has been written." in shown


def test_each_claim_shows_its_words_and_what_is_cleared_is_not_kept(file: str, shelf: Shelf) -> None:
    archive = distilling.read(file)
    found = distilling.claims(archive, ANA)
    home = next(claim for claim in found if claim.kind == "home")
    assert "“I live in Lisbon" in claim_label(Words("en"), home)

    kept = {distilling.key(claim) for claim in found} - {distilling.key(home)}
    parts: list[float] = []
    opened = distilling.make(archive, ANA, shelf, accepted=kept, progress=parts.append)

    memory = opened.memory
    persona = memory.core.get(CoreLabel.PERSONA)
    assert persona is not None
    assert "nurse" in persona.text
    assert "Lisbon" not in persona.text
    assert {node.attribute for node in memory.nodes.list()} == {"likes", "work"}
    assert memory.log.count() == 6
    assert memory.vectors.pending_count() == 0
    assert parts == sorted(parts)
    assert parts[-1] == 1
    assert opened.name == "Ana"
    opened.close()


def test_a_longer_export_goes_to_the_same_persona(file: str, shelf: Shelf) -> None:
    first = distilling.make(distilling.read(file), ANA, shelf, accepted=all_of(distilling.read(file)))
    shelf.add(first)
    Path(file).write_text(TALK + "[15/07/2023, 08:00:00] Ana: morning\n", encoding="utf-8")
    longer = distilling.read(file)

    again = distilling.make(longer, ANA, shelf, accepted=all_of(longer))

    assert again is first
    assert again.memory.log.count() == 7
    again.close()
    assert shelf.home is not None
    with Vessel.open(shelf.home, persona="ana", embedder="hash", create=False) as kept:
        assert kept.memory.log.count() == 7


def test_third_parties_are_hidden_in_what_is_shown_and_kept(file: str, shelf: Shelf) -> None:
    Path(file).write_text(TALK + "[15/07/2023, 08:00:00] Cem: I live in Porto\n", encoding="utf-8")
    archive, wanted = distilling.read(file), Wanted(speakers=("Ana",), users=("Ben",), kind="self", hide=True)

    opened = distilling.make(archive, wanted, shelf, accepted=all_of(archive, wanted))

    texts = " ".join(f"{one.sender_name} {one.text}" for one in opened.memory.log.last(20))
    assert "Cem" not in texts
    assert "912 345 678" not in texts
    opened.close()


def test_without_consent_nothing_is_made(file: str, shelf: Shelf) -> None:
    archive = distilling.read(file)

    for wanted, why in (
        (Wanted(speakers=("Ana",)), "no kind of persona"),
        (Wanted(speakers=("Ana",), kind=Kind.CONSENTED), "who consented"),
        (Wanted(kind="self"), "Name the speaker"),
        (Wanted(speakers=("Ana",), users=("Ana",), kind="self"), "can't be both"),
    ):
        with pytest.raises(InputError, match=why):
            distilling.make(archive, wanted, shelf, accepted=())
    assert shelf.home is not None
    assert not (shelf.home / "memory.db").exists() or shelf.names() == []


def test_a_card_becomes_a_persona(tmp_path: Path, shelf: Shelf) -> None:
    path = tmp_path / "mira.json"
    data = {"name": "Mira", "description": "A lighthouse keeper.", "personality": "", "scenario": ""}
    data |= {"first_mes": "The lamp is lit.", "mes_example": ""}
    path.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}))
    archive = distilling.read(str(path))

    opened = distilling.make(archive, Wanted(kind="fictional"), shelf, accepted=())

    persona = opened.memory.core.get(CoreLabel.PERSONA)
    assert persona is not None
    assert "lighthouse" in persona.text
    assert opened.memory.personas.get("mira").name == "Mira"
    opened.close()


@pytest.mark.parametrize(
    ("path", "error"), [("", InputError), ("/nowhere/at/all.txt", FormatError), (__file__, EchoVesselError)]
)
def test_what_cannot_be_read_is_one_sentence(path: str, error: type[Exception]) -> None:
    with pytest.raises(error) as told:
        distilling.read(path)
    assert "\n" not in str(told.value)
