"""Text of several lines that must stand as it was written, but can't pass for a part of the prompt."""

from __future__ import annotations

import regex

from echovessel.mind.fence import unmarked

# Special tokens and role tags of the usual chat templates, and our own fence; a plain < stays.
_TOKENS = regex.compile(
    r"<(?=[|\uff5c]|/?\s*(?:s|memory|talk|system|user|human|assistant|tool|think|bos|eos|pad|unk|mask|sep|cls"
    r"|tool_(?:calls?|response)|(?:start|end)_of_(?:turn|image)|im_(?:start|end|sep)|reserved_\d+|unused\d+)\s*>"
    r"|<\s*/?SYS\s*>)",
    regex.IGNORECASE,
)
_HEADING = regex.compile(r"^[ \t]*#{1,2}(?=[ \t])", regex.MULTILINE)


def unforged(text: str, *, headings: bool = False) -> str:
    """The text with its line breaks, without special tokens of a model and, unless told to keep them, our headings.

    Headings of the first two levels become those of the third, so that none looks like a section of the prompt.
    """
    plain = unmarked(_TOKENS.sub("‹", text.strip()))
    return plain if headings else _HEADING.sub("###", plain)
