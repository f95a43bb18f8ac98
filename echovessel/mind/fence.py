"""What memory holds is data: how stored text enters a prompt without becoming part of its instructions."""

from __future__ import annotations

from collections.abc import Iterable

import regex

# Control characters, and the format characters that reorder or hide text; joiners that emoji and scripts need stay.
_UNSEEN = regex.compile(r"[[\p{Cc}\p{Cf}\p{Cs}]--[\n\r\t\u200c\u200d]]|\U000e0020-\U000e007f", regex.V1)
_BREAKS = regex.compile(r"\s*[\n\r\v\f\u2028\u2029\u0085]+\s*")
_ANGLES = str.maketrans({"<": "‹", ">": "›"})
# What chat templates write in plain letters, and a model may take for its own: [INST] (Llama 2, Mistral),
# [gMASK] and [Round 1] (GLM), [SEP]; and speakers at the head of a line, USER: (Vicuna), ### Response: (Alpaca).
_SQUARE = regex.compile(
    r"\[(\s*/?\s*(?:(?:B_|E_)?INST|(?:B_|E_)?SYS|SYSTEM(?:_PROMPT)?|AVAILABLE_TOOLS|TOOL_(?:CALLS?|RESULTS?|CONTENT)"
    r"|THINK|IMG|PREFIX|MIDDLE|SUFFIX|[gs]?MASK|CLS|SEP|PAD|UNK|BOS|EOS|(?:control|unused)_?\d+|Round\s+\d+)\s*)\]",
    regex.IGNORECASE,
)
_SPEAKER = regex.compile(
    r"((?:^|[\n\r\u2028\u2029])[ \t>*-]*(?:#+[ \t]*(?:instructions?|input|response)"
    r"|(?:#+[ \t]*|GPT4 Correct )?(?:system|user|assistant|human|系统|系統|用户|用戶|助手|问|問|答))[ \t*]*):",
    regex.IGNORECASE,
)


def unmarked(text: str) -> str:
    """The text with the plain-letter markers of chat templates in full width: ``［INST］``, ``USER：``.

    It reads the same, and compares equal where width is passed over, as in quotes.
    """
    return _SPEAKER.sub(r"\1：", _SQUARE.sub(r"［\1］", text))


def quoted(text: str, *, limit: int | None = None) -> str:
    """Stored text as one line that can open no heading, tag or role.

    Line breaks become `` / ``, angle brackets ``‹›`` (so no tag and no special token of a model can be forged), other
    markers of chat templates stand in full width, and unseen characters go. Cut to `limit` characters, with an
    ellipsis.
    """
    line = _BREAKS.sub(" / ", unmarked(_UNSEEN.sub("", text).strip())).translate(_ANGLES)
    return line if limit is None or len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def fenced(tag: str, entries: Iterable[str]) -> str:
    """Entries between a pair of tags, one a line, each behind a dash; they went through `quoted` before."""
    lines = "\n".join(f"- {entry}" for entry in entries)
    return f"<{tag}>\n{lines}\n</{tag}>"
