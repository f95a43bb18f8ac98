from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from echovessel.errors import FormatError, NotFoundError
from echovessel.memory.records import Sender
from echovessel.workbench.labelled import read_labelled, recognise
from tests.workbench.conftest import Write, locomo_record


def test_locomo_turns_carry_the_date_of_their_session_and_what_their_picture_shows(write: Write) -> None:
    talk = read_labelled(write("locomo.json", [locomo_record()])).talks[0]

    assert [turn.id for turn in talk.turns()] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:5"]
    assert talk.turn["D1:2"].at == datetime(2023, 5, 8, 13, 57, tzinfo=UTC)
    assert talk.turn["D2:1"].at == datetime(2023, 9, 13, 0, 9, tzinfo=UTC)
    assert talk.turn["D1:3"].said == "Look! [shares a picture: a photo of a kitten on a piano]"
    assert {turn.role for turn in talk.turns()} == {Sender.OTHER}
    assert talk.session_of["D2:5"] == "session_2"


def test_locomo_evidence_is_read_through_its_slips_and_what_is_left_out_is_counted(write: Write) -> None:
    labelled = read_labelled(write("locomo.json", [locomo_record()]))

    evidence = {q.id: q.evidence for q in labelled.talks[0].questions}
    assert evidence == {
        "q0": ("D1:1",),
        "q1": ("D2:1", "D1:1"),
        "q2": ("D1:2",),
        "q3": ("D2:5",),
        "q6": ("D1:2",),
    }
    assert labelled.left_out == Counter(
        {
            "dates of sessions that do not exist": 1,
            "turns without text or picture": 1,
            "evidence that is no turn id": 1,
            "evidence that names no turn": 3,  # D9:9, D7:7 and the observation's D8:8
            "questions without evidence": 1,
            "questions whose evidence names no turn": 1,
            "observations whose source names no turn": 1,
        }
    )
    assert labelled.repaired == Counter(
        {
            "several turn ids in one evidence string": 1,
            "a malformed evidence id": 1,
            "leading zeros in an evidence id": 1,
        }
    )


def test_locomo_answers_may_be_numbers_and_adversarial_ones_stand_apart(write: Write) -> None:
    labelled = read_labelled(write("locomo.json", [locomo_record()]))

    questions = {q.id: q for q in labelled.talks[0].questions}
    assert questions["q1"].answer == "2023"
    assert (questions["q6"].category, questions["q6"].answer) == ("5", "cello")
    assert labelled.apart == {"5"}
    assert questions["q0"].asked_at > labelled.talks[0].end


def test_locomo_observations_become_memories_with_their_source_turns(write: Write) -> None:
    memories = read_labelled(write("locomo.json", [locomo_record()])).talks[0].memories

    assert [(m.node.text, [turn for turn, _ in m.sources]) for m in memories] == [
        ("Ada adopted a kitten called Pixel.", ["D1:1"]),
        ("Ben learns the cello.", ["D1:2", "D2:5"]),
    ]


def test_the_digest_is_that_of_the_bytes(write: Write) -> None:
    path = write("locomo.json", [locomo_record()])
    assert read_labelled(path).digest == hashlib.sha256(path.read_bytes()).hexdigest()


def test_one_conversation_twice_is_refused(write: Write) -> None:
    with pytest.raises(FormatError, match="conversation conv-1 twice"):
        read_labelled(write("locomo.json", [locomo_record(), locomo_record()]))


def test_a_file_cut_off_is_named_with_the_place(write: Write) -> None:
    path = write("locomo.json", [locomo_record()])
    path.write_bytes(path.read_bytes()[:500])

    with pytest.raises(
        FormatError, match=r"locomo\.json is not whole JSON: line 1, column \d+.*cut off; fetch it again"
    ):
        read_labelled(path)


def test_a_file_of_another_format_is_named(write: Write) -> None:
    path = write("locomo.json", [locomo_record()])
    with pytest.raises(FormatError, match="is a file of locomo, not of memdaily"):
        read_labelled(path, name="memdaily")
    with pytest.raises(FormatError, match="in no known format"):
        read_labelled(write("other.json", {"a": 1}))
    with pytest.raises(NotFoundError, match="no data set 'squad'"):
        read_labelled(path, name="squad")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["conversation"].pop("session_2_date_time"), "no field 'session_2_date_time'"),
        (lambda r: r["conversation"].update(session_1_date_time="8/5/2023"), "session_1 is dated '8/5/2023'"),
        (
            lambda r: r["conversation"]["session_1"][0].update(text=None),
            "turn 1, field 'text' should be str, found nothing",
        ),
        (
            lambda r: r["qa"][0].update(evidence="D1:1"),
            "question 0, field 'evidence' should be list, found str",
        ),
        (lambda r: r["qa"].append("x"), "question 7 should be an object, found str"),
    ],
)
def test_a_field_at_fault_is_named_with_its_place(write: Write, change, words: str) -> None:
    record = locomo_record()
    change(record)
    with pytest.raises(FormatError, match=words):
        read_labelled(write("locomo.json", [record]))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_json_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"odd\.json"):
        read_labelled(path)


def test_a_missing_file_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"gone\.json can't be read: No such file"):
        read_labelled(tmp_path / "gone.json")
    with pytest.raises(FormatError, match=r"holds no \.json file"):
        read_labelled(tmp_path)


REALTALK = {
    "name": {"speaker_1": "Ida", "speaker_2": "Jo"},
    "session_1_date_time": "29.12.2023, 00:51:12",
    "session_1": [
        {
            "clean_text": "Evening! I ran ten km.",
            "speaker": "Ida",
            "date_time": "29.12.2023, 00:51:12",
            "dia_id": "D1:1",
        },
        {
            "clean_text": "",
            "blip_caption": "a muddy shoe",
            "speaker": "Ida",
            "date_time": "29.12.2023, 00:52:00",
            "dia_id": "D1:2",
        },
        {"clean_text": "", "speaker": "Jo", "date_time": "29.12.2023, 00:53:00", "dia_id": "D1:3"},
    ],
    "events_session_1": {"agent_a": [], "agent_b": []},
    "session_2_date_time": "30.12.2023, 18:00:00",
    "session_2": [{"clean_text": "Back home now", "speaker": "Jo", "date_time": "", "dia_id": "D2:1"}],
    "qa": [
        {"question": "How far did Ida run?", "answer": "10 km", "evidence": ["D1:1", "D1:02"], "category": 1},
        {"question": "Who?", "answer": "?", "evidence": ["D4:1"], "category": 3},
    ],
}


def test_realtalk_turns_carry_their_own_times(write: Write) -> None:
    labelled = read_labelled(write("Chat_1_Ida_Jo.json", REALTALK))
    talk = labelled.talks[0]

    assert (labelled.name, talk.id) == ("realtalk", "Chat_1_Ida_Jo")
    assert talk.turn["D1:1"].at == datetime(2023, 12, 29, 0, 51, 12, tzinfo=UTC)
    assert talk.turn["D1:2"].said == "[shares a picture: a muddy shoe]"
    assert talk.turn["D2:1"].at == datetime(2023, 12, 30, 18, tzinfo=UTC)  # the session's, having none itself
    assert [q.evidence for q in talk.questions] == [("D1:1", "D1:2")]
    assert labelled.left_out["questions whose evidence names no turn"] == 1
    assert labelled.left_out["turns without text or picture"] == 1


MEMDAILY = [
    {
        "tid": tid,
        "message_list": [
            {
                "mid": 0,
                "message": f"我要去第{tid}场讲座。",
                "time": "2024年04月01日 周一 08:30",
                "place": "广东深圳",
            },
            {"mid": 1, "message": "讲座在北京。", "time": "2024年04月02日 周二 20:05", "place": "广东深圳"},
        ],
        "question_list": [
            {
                "qid": 0,
                "question": "讲座在哪？",
                "answer": None,
                "target_step_id": [1, 0],
                "choices": {},
                "time": "x",
            }
        ],
    }
    for tid in (0, 1)
]


def test_memdaily_trajectories_share_one_memory(write: Write) -> None:
    labelled = read_labelled(write("01_simple.json", MEMDAILY))

    (talk,) = labelled.talks
    assert len(list(talk.turns())) == 4
    assert talk.turn["01_simple-1/1"].at == datetime(2024, 4, 2, 20, 5, tzinfo=ZoneInfo("Asia/Shanghai"))
    assert [q.evidence for q in talk.questions] == [
        ("01_simple-0/1", "01_simple-0/0"),
        ("01_simple-1/1", "01_simple-1/0"),
    ]
    assert {q.category for q in talk.questions} == {"01_simple"}
    assert {q.language for q in talk.questions} == {"zh"}


def aligned(texts: list[str]) -> dict:
    start = datetime(2025, 6, 26, tzinfo=UTC)
    return {
        "session_meta": {},
        "conversation_list": [
            {
                "message_id": f"m{n}",
                "create_time": (start + timedelta(hours=20 * n)).isoformat(),
                "sender_name": "Ann",
                "content": text,
            }
            for n, text in enumerate(texts)
        ],
    }


def test_aligned_talks_are_asked_in_both_directions(write: Write) -> None:
    path = write("trip_zh.json", aligned(["下周去北京", "带伞"]))
    write("trip_en.json", aligned(["Off to Beijing next week", "Bring an umbrella", "Only here"]))

    labelled = read_labelled(path)

    asked = {talk.id: [(q.category, q.text, q.evidence) for q in talk.questions] for talk in labelled.talks}
    assert asked == {
        "trip-zh": [("en-zh", "Off to Beijing next week", ("m0",)), ("en-zh", "Bring an umbrella", ("m1",))],
        "trip-en": [("zh-en", "下周去北京", ("m0",)), ("zh-en", "带伞", ("m1",))],
    }
    assert labelled.left_out["messages without a twin in the other language"] == 1


def test_an_aligned_talk_without_its_twin_is_refused(write: Write) -> None:
    with pytest.raises(FormatError, match=r"trip_en\.json can't be read"):
        read_labelled(write("trip_zh.json", aligned(["下周去北京"])))


@pytest.mark.data
@pytest.mark.parametrize(
    ("where", "name", "talks", "turns", "asked"),
    [
        ("locomo/locomo_dev.json", "locomo", 5, 2760, 997),
        ("memdaily", "memdaily", 1, 3768, 500),
        ("evermemos", "aligned", 4, 1225, 1224),
    ],
)
def test_the_published_files_are_read_whole(
    data_dir: Path, where: str, name: str, talks: int, turns: int, asked: int
) -> None:
    labelled = read_labelled(data_dir / where)

    assert recognise(data_dir / where) == labelled.name == name
    assert len(labelled.talks) == talks
    assert sum(1 for talk in labelled.talks for _ in talk.turns()) == turns
    assert sum(len(talk.questions) for talk in labelled.talks) == asked
    for talk in labelled.talks:
        assert all(set(q.evidence) <= talk.turn.keys() for q in talk.questions)
