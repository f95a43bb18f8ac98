"""What memory holds is data: how stored text enters a prompt without becoming part of its instructions."""

from __future__ import annotations

from collections.abc import Iterable

import regex

# Control characters, and the format characters that reorder or hide text; joiners that emoji and scripts need stay.
_UNSEEN = regex.compile(r"[[\p{Cc}\p{Cf}\p{Cs}]--[\n\r\t\u200c\u200d]]|\U000e0020-\U000e007f", regex.V1)
_BREAKS = regex.compile(r"\s*[\n\r\v\f\u2028\u2029\u0085]+\s*")
_ANGLES = str.maketrans({"<": "‹", ">": "›"})


def quoted(text: str, *, limit: int | None = None) -> str:
    """Stored text as one line that can open no heading, tag or role.

    Line breaks become `` / ``, angle brackets ``‹›`` (so no tag and no special token of a model can be forged), and
    unseen characters go. Cut to `limit` characters, with an ellipsis.
    """
    line = _BREAKS.sub(" / ", _UNSEEN.sub("", text).strip()).translate(_ANGLES)
    return line if limit is None or len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def fenced(tag: str, entries: Iterable[str]) -> str:
    """Entries between a pair of tags, one a line, each behind a dash; they went through `quoted` before."""
    lines = "\n".join(f"- {entry}" for entry in entries)
    return f"<{tag}>\n{lines}\n</{tag}>"
