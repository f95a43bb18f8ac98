"""What ChatGPT and Claude export of their talks: `conversations.json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from echovessel.distill.archive import Line, Options, Report
from echovessel.distill.formats.jsonstream import items, opening
from echovessel.distill.formats.moments import epoch, iso
from echovessel.distill.source import Source
from echovessel.errors import FormatError

USER = "user"


class ChatGPT:
    """ChatGPT's export. A talk is a tree of attempts; the branch that was shown last is read."""

    name = "chatgpt"
    title = "ChatGPT"
    speaker = "ChatGPT"

    def recognises(self, source: Source) -> bool:
        """Talks with a mapping of nodes."""
        return any("item.mapping" in opening(source, member) for member in _files(source)[:1])

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Both sides of each talk, oldest first; tools and hidden instructions are skipped."""
        for number, talk in _talks(source, report):
            if not isinstance(talk, dict) or not isinstance(talk.get("mapping"), dict):
                report.skip(f"talk {number}", "it is no talk")
                continue
            chat = str(talk.get("conversation_id") or talk.get("id") or f"talk {number}")
            for node in _shown(talk):
                line = self._line(node, chat, talk, report)
                if line is not None and report.accept(line):
                    yield line

    def _line(self, node: dict[str, Any], chat: str, talk: dict[str, Any], report: Report) -> Line | None:
        message = node.get("message")
        if not isinstance(message, dict):
            return None
        ident = str(message.get("id") or node.get("id"))
        place = f"message {ident} of {talk.get('title') or chat}"
        role = (message.get("author") or {}).get("role")
        hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        if role not in ("user", "assistant") or hidden or message.get("recipient", "all") != "all":
            report.skip(place, "it is no part of what was said")
            return None
        text, attachment = _parts(message.get("content") or {})
        moment = epoch(message.get("create_time") or talk.get("create_time"))
        return Line(
            text,
            place,
            USER if role == "user" else self.speaker,
            moment,
            conversation=chat,
            external_id=ident,
            attachment=attachment,
        )


class Claude:
    """Claude's export."""

    name = "claude"
    title = "Claude"
    speaker = "Claude"

    def recognises(self, source: Source) -> bool:
        """Talks with chat messages."""
        return any("item.chat_messages" in opening(source, member) for member in _files(source)[:1])

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Line]:
        """Both sides of each talk; what tools said is skipped."""
        for number, talk in _talks(source, report):
            if not isinstance(talk, dict) or not isinstance(talk.get("chat_messages"), list):
                report.skip(f"talk {number}", "it is no talk")
                continue
            chat = str(talk.get("uuid") or f"talk {number}")
            for position, message in enumerate(talk["chat_messages"], start=1):
                place = f"message {position} of {talk.get('name') or chat}"
                line = self._line(message, place, chat, report)
                if line is not None and report.accept(line):
                    yield line

    def _line(self, message: Any, place: str, chat: str, report: Report) -> Line | None:
        if not isinstance(message, dict) or message.get("sender") not in ("human", "assistant"):
            report.skip(place, "it is no message")
            return None
        content = message.get("content") or ()
        parts = [str(p.get("text", "")) for p in content if isinstance(p, dict) and p.get("type") == "text"]
        text = "\n".join(part for part in parts if part).strip() or str(message.get("text") or "").strip()
        files = [*(message.get("attachments") or ()), *(message.get("files") or ())]
        attachment = next((str(f.get("file_name") or "file") for f in files if isinstance(f, dict)), "")
        return Line(
            text,
            place,
            USER if message["sender"] == "human" else self.speaker,
            iso(message.get("created_at")),
            conversation=chat,
            external_id=str(message["uuid"]) if "uuid" in message else None,
            attachment=attachment,
        )


def _files(source: Source) -> list[str]:
    if not source.packed:
        return list(source.members) if source.name.lower().endswith(".json") else []
    found = [member for member in source.members if member.rsplit("/", 1)[-1].startswith("conversations")]
    return [member for member in found if member.endswith(".json")]


def _talks(source: Source, report: Report) -> Iterator[tuple[int, Any]]:
    files = _files(source)
    if not files:
        raise FormatError(f"{source.path} holds no conversations.json. Give the export as it was sent.")
    number = 0
    for member in files:
        for talk in items(source, member, "item", report):
            number += 1
            yield number, talk


def _shown(talk: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes from the first to the one that was shown last.

    A talk without `current_node` shows, at each fork, its last child.
    """
    mapping: dict[str, Any] = talk["mapping"]
    node = talk.get("current_node")
    if node not in mapping:
        node = next((key for key, value in mapping.items() if not value.get("parent")), None)
        seen: set[str] = set()
        while node in mapping and node not in seen and mapping[node].get("children"):
            seen.add(node)
            node = mapping[node]["children"][-1]
    path: list[dict[str, Any]] = []
    passed: set[str] = set()
    while node in mapping and node not in passed:
        passed.add(node)
        path.append(mapping[node])
        node = mapping[node].get("parent")
    return path[::-1]


def _parts(content: dict[str, Any]) -> tuple[str, str]:
    """Text and the name of what was attached."""
    texts, attachment = [], ""
    for part in content.get("parts") or ([content["text"]] if isinstance(content.get("text"), str) else ()):
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            if part.get("content_type") == "audio_transcription":
                texts.append(str(part.get("text", "")))
            else:
                attachment = attachment or str(part.get("content_type") or "file")
    return "\n".join(text for text in texts if text.strip()).strip(), attachment
