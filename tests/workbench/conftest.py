"""Small hand-made files in the published forms of each labelled set."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, data: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        return path

    return to_file


def locomo_record(name: str = "conv-1") -> dict[str, Any]:
    """Two sessions of four and two turns, with every slip that the published file has."""

    def turn(number: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
        return {"speaker": speaker, "dia_id": number, "text": text, **more}

    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn("D1:1", "Ada", "Morning! I adopted a grey kitten called Pixel."),
                turn("D1:2", "Ben", "Lovely. I am learning the cello."),
                turn("D1:3", "Ada", "Look!", img_url=["x"], blip_caption="a photo of a kitten on a piano"),
                turn("D1:4", "Ben", "   "),
            ],
            "session_2_date_time": "12:09 am on 13 September, 2023",
            "session_2": [
                turn("D2:1", "Ada", "Pixel broke the blue vase yesterday."),
                turn("D2:5", "Ben", "My cello teacher moved to Lisbon."),
            ],
            "session_3_date_time": "1:14 pm on 25 September, 2023",
        },
        "qa": [
            {"question": "What did Ada adopt?", "answer": "a kitten", "evidence": ["D1:1"], "category": 1},
            {
                "question": "When did the vase break?",
                "answer": 2023,
                "evidence": ["D2:01; D1:1"],
                "category": 2,
            },
            {"question": "What does Ben play?", "answer": "cello", "evidence": ["D", "D:1:2"], "category": 4},
            {"question": "Who moved?", "answer": "the teacher", "evidence": ["D2:05", "D9:9"], "category": 3},
            {"question": "Is Ada kind?", "answer": "yes", "evidence": [], "category": 3},
            {"question": "Nothing there?", "answer": "no", "evidence": ["D7:7"], "category": 3},
            {
                "question": "What does Ada play?",
                "adversarial_answer": "cello",
                "evidence": ["D1:2"],
                "category": 5,
            },
        ],
        "observation": {
            "session_1_observation": {
                "Ada": [["Ada adopted a kitten called Pixel.", "D1:1"]],
                "Ben": [["Ben learns the cello.", ["D1:2", "D2:5"]], ["Ben is nowhere.", "D8:8"]],
            }
        },
        "session_summary": {},
        "event_summary": {},
    }
