"""Text of several lines that must stand as it was written, but can't pass for a part of the prompt."""

from __future__ import annotations

import regex

# Special tokens and role tags of the usual chat templates, and our own fence.
_TOKENS = regex.compile(
    r"<(?=[|\uff5c]|/?\s*(?:s|memory|system|user|assistant|bos|eos|(?:start|end)_of_turn|im_(?:start|end))\s*>|<\s*/?SYS\s*>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\])",
    regex.IGNORECASE,
)
_SAFE = {"<": "‹", "[": "［"}
_HEADING = regex.compile(r"^[ \t]*#{1,2}(?=[ \t])", regex.MULTILINE)


def unforged(text: str, *, headings: bool = False) -> str:
    """The text with its line breaks, without special tokens of a model and, unless told to keep them, our headings.

    Headings of the first two levels become those of the third, so that none looks like a section of the prompt.
    """
    plain = _TOKENS.sub(lambda found: _SAFE[found[0]], text.strip())
    return plain if headings else _HEADING.sub("###", plain)
