"""A small conversation whose labels hold, for tests to break."""

from __future__ import annotations

from typing import Any

import pytest


def turn(name: str, speaker: str, at: str, text: str) -> dict[str, Any]:
    return {"id": name, "speaker": speaker, "at": f"2026-01-{at}+08:00", "text": text}


def session(name: str, *turns: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "turns": list(turns),
        "mood_end": {"mood": "calm", "energy": 0.5, "last_user_signal": "calm"},
    }


def memory(name: str, text: str, source: tuple[str, str] | None, **more: Any) -> dict[str, Any]:
    record = {"id": name, "kind": "event", "subject": "user", "text": text, "impact": 1, **more}
    if source:
        record["sources"] = [{"turn": source[0], "quote": source[1]}]
    if record["kind"] == "event" and "valid_from" not in record:
        record["occurred_from"] = record["occurred_to"] = "2026-01-01"
    return record


def query(
    name: str, kind: str, text: str, answer: str, turns: str, memories: str, **more: Any
) -> dict[str, Any]:
    evidence = {"turns": turns.split(), "memories": memories.split()}
    record = {
        "id": name,
        "type": kind,
        "text": text,
        "language": "en",
        "answer": answer,
        "evidence": evidence,
    }
    return {**record, **more}


@pytest.fixture
def small() -> dict[str, Any]:
    return {
        "id": "small",
        "title": "Small",
        "language": "en",
        "kind": "solo",
        "zone": "Asia/Shanghai",
        "persona": {"name": "Lin", "persona": "Mends tapes.", "self": "I listen.", "style": "Short."},
        "about_user": "Chen.",
        "relationship": "Friends.",
        "speakers": [
            {"id": "u", "name": "Chen", "role": "user"},
            {"id": "p", "name": "Lin", "role": "persona"},
        ],
        "sessions": [
            session(
                "s1",
                turn("s1t1", "u", "01T20:00:00", "I live on Elm Street. 黄逸扬 owes me a fan."),
                {**turn("s1t2", "p", "01T20:01:00", "I will ring you on the third."), "reply_to": "s1t1"},
            ),
            session(
                "s2",
                turn("s2t1", "u", "10T20:00:00", "I moved to Oak Road."),
                turn("s2t2", "p", "10T20:01:00", "You joke when you are sad."),
            ),
            session(
                "s3",
                turn("s3t1", "u", "20T20:00:00", "My aunt died. She left me a kettle."),
                turn("s3t2", "p", "20T20:01:00", "Tell me when you can talk."),
            ),
            session(
                "s4",
                turn("s4t1", "u", "30T20:00:00", "我昨天吃了面。"),
                turn("s4t2", "p", "30T20:01:00", "Good."),
            ),
        ],
        "entities": [
            {
                "id": "scott",
                "name": "黄逸扬",
                "kind": "person",
                "aliases": [
                    {"text": "Scott", "kind": "other_language"},
                    {"text": "老黄", "kind": "nickname"},
                ],
            },
            {"id": "aunt", "name": "aunt", "kind": "person"},
        ],
        "memories": [
            memory(
                "m1",
                "Chen lives on Elm Street.",
                ("s1t1", "I live on Elm Street"),
                attribute="home",
                valid_from="2026-01-01",
                valid_to="2026-01-10",
                superseded_by="m2",
            ),
            memory(
                "m2",
                "Chen moved to Oak Road.",
                ("s2t1", "I moved to Oak Road"),
                attribute="home",
                valid_from="2026-01-10",
            ),
            memory("m3", "黄逸扬欠陈默一台电风扇。", ("s1t1", "owes me a fan"), entities=["scott"]),
            memory(
                "m4",
                "Lin promised to ring Chen.",
                ("s1t2", "I will ring you"),
                kind="intention",
                subject="persona",
                status="kept",
            ),
            memory("m5", "Chen jokes when sad.", ("s2t2", "You joke"), kind="thought"),
            memory("m6", "The aunt of Chen died.", ("s3t1", "My aunt died"), impact=-8, entities=["aunt"]),
            memory("m7", "Chen got a kettle from the aunt.", ("s3t1", "left me a kettle"), entities=["aunt"]),
            memory(
                "m8",
                "Lin waits for Chen to talk.",
                ("s3t2", "when you can talk"),
                kind="expectation",
                subject="persona",
                status="open",
            ),
            memory("m9", "Lin mends tapes.", None, subject="persona", scope="shared"),
            memory("m10", "陈默吃了面。", ("s4t1", "我昨天吃了面")),
        ],
        "queries": [
            query("q1", "single", "What do I do when I'm sad?", "Joke", "s2t2", "m5"),
            query("q2", "multi", "What did I get, and eat?", "A kettle; noodles", "s3t1 s4t1", "m7 m10"),
            query("q3", "temporal", "Where did I live at first?", "Elm Street", "s1t1", "m1"),
            query("q4", "identity", "What is your work?", "Mending tapes", "", "m9"),
            query("q5", "cross_language", "What did I have the day before?", "Noodles", "s4t1", "m10"),
            query("q6", "alias", "老黄欠我什么？", "电风扇", "s1t1", "m3", language="zh", alias="老黄"),
            query("q7", "alias_cross", "What does Scott owe me?", "A fan", "s1t1", "m3", alias="Scott"),
            query("q8", "updated", "Where do I live now?", "Oak Road", "s2t1", "m2", stale=["m1"]),
            query("q9", "decoy", "What did she leave me?", "A kettle", "s3t1", "m7", decoy="m6"),
            query("q10", "off_topic", "Do I play chess?", "", "", ""),
            query("q11", "near_miss", "How tall is Scott?", "", "", ""),
        ],
    }
