"""Readers of one service each, with files made by hand after the published formats; the words are made up."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats import reader_of
from echovessel.distill.source import Source

EVENING = datetime(2023, 7, 12, 20, 28, 1, tzinfo=UTC)


def read(path: Path, name: str, **options: str) -> tuple[list[Line], Report]:
    source, report = Source(path), Report()
    reader = reader_of(source)
    assert reader.name == name
    return list(reader.read(source, Options(**options), report)), report  # type: ignore[arg-type]


def put(path: Path, content: Any, *, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path.write_bytes(text.encode(encoding))
    return path


def said(lines: list[Line]) -> list[tuple[str, str]]:
    return [(line.speaker, line.text) for line in lines]


def test_discord_exporter(tmp_path: Path) -> None:
    def message(number: int, **fields: Any) -> dict[str, Any]:
        return {
            "id": str(number),
            "type": "Default",
            "timestamp": "2023-07-12T22:28:01+02:00",
            "content": "hi",
            "author": {"id": "9", "name": "mei", "nickname": "Mei"},
            "attachments": [],
        } | fields

    path = put(
        tmp_path / "general.json",
        {
            "guild": {"id": "1", "name": "Club"},
            "channel": {"id": "2", "name": "general"},
            "messages": [
                message(1),
                message(2, type="GuildMemberJoin", content="Joined the server."),
                message(3, type="Reply", content="yes", reference={"messageId": "1"}, author={"name": "tom"}),
                message(4, content="", attachments=[{"fileName": "cat.png"}]),
                message(5, content=""),
                message(6, timestamp="yesterday"),
            ],
        },
    )

    lines, report = read(path, "discord")

    assert said(lines) == [("Mei", "hi"), ("tom", "yes"), ("Mei", "")]
    assert lines[0].sent_at == EVENING
    assert (lines[1].reply_to, lines[0].external_id) == ("1", "1")
    assert lines[2].attachment == "cat.png"
    assert report.skipped == {
        "Discord itself says it": 1,
        "it is empty": 1,
        "its date can't be read": 1,
    }


@pytest.mark.parametrize("table", ["json", "csv"])
def test_discord_package(tmp_path: Path, table: str) -> None:
    path = tmp_path / "package.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("account/user.json", json.dumps({"username": "mei_l", "global_name": "Mei"}))
        packed.writestr("messages/index.json", json.dumps({"1": "Direct Message with tom"}))
        packed.writestr(
            "messages/c1/channel.json", json.dumps({"id": "1", "name": "chat", "guild": {"name": "Club"}})
        )
        if table == "json":
            rows = [{"ID": 11, "Timestamp": "2023-07-12 20:28:01", "Contents": "a, b", "Attachments": ""}]
            packed.writestr("messages/c1/messages.json", json.dumps(rows))
        else:
            head = "ID,Timestamp,Contents,Attachments\r\n"
            packed.writestr("messages/c1/messages.csv", head + '11,2023-07-12 20:28:01+00:00,"a, b",\r\n')

    (line,), report = read(path, "discord-package")

    assert (line.speaker, line.text, line.conversation, line.external_id) == (
        "Mei",
        "a, b",
        "Club / chat",
        "11",
    )
    assert line.sent_at == EVENING
    assert any("only what its owner wrote" in note for note in report.notes)


def gpt(
    ident: str, parent: str | None, children: list[str], role: str, text: str, **message: Any
) -> dict[str, Any]:
    return {
        "id": ident,
        "parent": parent,
        "children": children,
        "message": {
            "id": ident,
            "author": {"role": role},
            "create_time": 1689193681.0,
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {},
        }
        | message,
    }


@pytest.mark.parametrize("current", ["b2", None])
def test_chatgpt_reads_the_branch_that_was_shown(tmp_path: Path, current: str | None) -> None:
    mapping = {
        "root": {"id": "root", "parent": None, "children": ["s"], "message": None},
        "s": gpt("s", "root", ["q"], "system", "You are helpful"),
        "q": gpt("q", "s", ["b1", "b2"], "user", "推荐一本书"),
        "b1": gpt("b1", "q", [], "assistant", "first attempt"),
        "b2": gpt("b2", "q", [], "assistant", "《围城》"),
    }
    path = put(
        tmp_path / "conversations.json",
        [{"title": "Books", "id": "t", "current_node": current, "mapping": mapping}],
    )

    lines, report = read(path, "chatgpt")

    assert said(lines) == [("user", "推荐一本书"), ("ChatGPT", "《围城》")]
    assert lines[0].sent_at == EVENING
    assert report.skipped == {"it is no part of what was said": 1}


def test_chatgpt_in_a_zip_with_tools_hidden_and_pictures(tmp_path: Path) -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    mapping = {
        "h": gpt("h", None, ["p"], "user", "profile", metadata=hidden),
        "p": gpt("p", "h", ["c"], "user", ""),
        "c": gpt("c", "p", ["a"], "assistant", "search()", recipient="web"),
        "a": gpt("a", "c", [], "assistant", "A cat."),
    }
    mapping["p"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer"}, "what is it?"],
    }
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(
            "conversations.json", json.dumps([{"title": "x", "current_node": "a", "mapping": mapping}])
        )
        packed.writestr("chat.html", "<html></html>")

    lines, _ = read(path, "chatgpt")

    assert said(lines) == [("user", "what is it?"), ("ChatGPT", "A cat.")]
    assert lines[0].attachment == "image_asset_pointer"


def test_claude(tmp_path: Path) -> None:
    def message(sender: str, text: str, **fields: Any) -> dict[str, Any]:
        return {"uuid": text, "sender": sender, "text": text, "created_at": "2023-07-12T20:28:01Z"} | fields

    talk = {
        "uuid": "t",
        "name": "Books",
        "chat_messages": [
            message("human", "hello"),
            message(
                "assistant",
                "old",
                content=[{"type": "text", "text": "Hi."}, {"type": "tool_use", "name": "x"}],
            ),
            message("human", "", files=[{"file_name": "a.pdf"}]),
        ],
    }

    lines, _ = read(put(tmp_path / "conversations.json", [talk]), "claude")

    assert said(lines) == [("user", "hello"), ("Claude", "Hi."), ("user", "")]
    assert lines[2].attachment == "a.pdf"
    assert lines[0].sent_at == EVENING


def test_case_9_in_a_group_chat_each_line_keeps_its_speaker_and_an_unknown_one_stays_unknown(
    tmp_path: Path,
) -> None:
    rows: list[dict[str, Any]] = [
        {"user_name": "Ana", "character_name": "unused", "create_date": "2023-07-12@20h28m01s"},
        {"name": "Ana", "is_user": True, "send_date": "July 12, 2023 8:28pm", "mes": "Hello both."},
        {
            "name": "Kestrel",
            "is_user": False,
            "send_date": "2023-07-12@20h28m01s",
            "mes": "Hi.",
            "swipes": ["Yo.", "Hi."],
        },
        {"name": "Old Man", "is_user": False, "send_date": 1689193681000, "mes": "*nods*"},
        {"is_user": False, "send_date": "2023-07-12T20:28:01.000Z", "mes": "Who speaks?"},
        {"name": "System", "is_system": True, "mes": "The group was made."},
    ]
    path = put(
        tmp_path / "group.jsonl", "\n".join(json.dumps(row) for row in rows) + '\n{"name": "Ana", "mes"'
    )

    lines, report = read(path, "sillytavern")

    assert said(lines) == [
        ("Ana", "Hello both."),
        ("Kestrel", "Hi."),
        ("Old Man", "*nods*"),
        ("", "Who speaks?"),
    ]
    assert lines[0].sent_at == EVENING.replace(second=0)
    assert [line.sent_at for line in lines[1:]] == [EVENING] * 3
    assert report.skipped == {"the program itself says it": 1, "it is no whole JSON": 1}


def test_risuai(tmp_path: Path) -> None:
    chat = {
        "name": "first",
        "message": [
            {"role": "user", "data": "Hello.", "time": 1689193681000},
            {"role": "char", "data": "Hi.", "chatId": "c1"},
            {"role": "?", "data": "x"},
        ],
    }

    one, report = read(put(tmp_path / "one.json", {"type": "risuChat", "ver": 1, "data": chat}), "risuai")
    both, _ = read(
        put(tmp_path / "all.json", {"type": "risuAllChats", "ver": 2, "data": [chat, chat]}), "risuai"
    )

    assert said(one) == [("user", "Hello."), ("char", "Hi.")]
    assert one[0].sent_at == EVENING
    assert report.skipped == {"it is no message": 1}
    assert [line.conversation for line in both] == ["first"] * 4


def test_qq(tmp_path: Path) -> None:
    path = put(
        tmp_path / "好友.txt",
        "消息记录（此消息记录为文本格式，不支持重复导入）\n\n"
        "================================================================\n消息分组:我的好友\n"
        "================================================================\n消息对象:阿杰\n"
        "================================================================\n\n"
        "2023-07-12 8:28:01 PM 小明(12345)\n你在吗\n第二行\n\n"
        "2023-07-12 20:29:00 阿杰<a@b.cn>\n[图片]\n\n"
        "2023-07-12 20:30:00 系统消息(10000)\n你们已经是好友了\n\n"
        "2023-13-12 20:31:00 阿杰(99)\n坏日期\n",
        encoding="gb18030",
    )

    lines, report = read(path, "qq", zone="Asia/Shanghai")

    assert said(lines) == [("小明", "你在吗\n第二行"), ("阿杰", "")]
    assert lines[0].sent_at == datetime(2023, 7, 12, 12, 28, 1, tzinfo=UTC)
    assert (lines[1].attachment, lines[1].conversation) == ("图片", "阿杰")
    assert report.skipped == {"the app itself says it": 1, "its date can't be read": 1}


def test_wechat_text(tmp_path: Path) -> None:
    path = put(tmp_path / "聊天.txt", "2023-07-12 20:28:01 小明\n到了吗？\n\n2023-07-12 20:29:01 我\n到了\n")

    lines, _ = read(path, "wechat-text")

    assert said(lines) == [("小明", "到了吗？"), ("我", "到了")]
    assert lines[0].sent_at == EVENING


def test_wechat_csv(tmp_path: Path) -> None:
    path = put(
        tmp_path / "小明.csv",
        "localId,TalkerId,Type,SubType,IsSender,CreateTime,Status,StrContent,StrTime,Remark,NickName,Sender\r\n"
        '1,5,1,0,0,1689193681,,"到了吗？,嗯",2023-07-13 04:28:01,小明,Ming,wxid_a\r\n'
        "2,5,1,0,1,1689193741,,到了,2023-07-13 04:29:01,,,wxid_me\r\n"
        "3,5,3,0,0,1689193801,,<msg><img/></msg>,2023-07-13 04:30:01,小明,Ming,wxid_a\r\n"
        "4,5,10000,0,0,1689193861,,你撤回了一条消息,2023-07-13 04:31:01,,,\r\n",
        encoding="utf-8-sig",
    )

    lines, report = read(path, "wechat", zone="Asia/Shanghai")

    assert said(lines) == [("小明", "到了吗？,嗯"), ("我", "到了"), ("小明", "")]
    assert lines[0].sent_at == EVENING
    assert lines[2].attachment == "图片"
    assert report.skipped == {"the app itself says it": 1}


def test_wechat_json(tmp_path: Path) -> None:
    rows = [
        {
            "localId": 1,
            "createTime": 1689193681,
            "isSend": 0,
            "type": "文本消息",
            "content": "到了吗？",
            "senderDisplayName": "小明",
        },
        {
            "localId": 2,
            "createTime": 1689193741,
            "isSend": 1,
            "type": "文本消息",
            "content": "到了",
            "senderDisplayName": "阿梅",
        },
    ]

    lines, _ = read(put(tmp_path / "a.json", {"session": {"nickname": "小明"}, "messages": rows}), "wechat")

    assert said(lines) == [("小明", "到了吗？"), ("阿梅", "到了")]
    assert lines[0].sent_at == EVENING
