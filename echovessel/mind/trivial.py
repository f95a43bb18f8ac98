"""Which talks leave nothing to remember: closed without asking a model."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from echovessel.memory.records import Message, Sender
from echovessel.mind.crisis import WordsOfCrisis
from echovessel.text import count_tokens

FEW_MESSAGES, FEW_TOKENS = 3, 200
# Words that seldom stand in a talk about nothing. A talk with one of them is read, however short it is.
_STRONG = regex.compile(
    r"\b(?:died|dead|death|funeral|cancer|hospital|pregnant|baby|married|engaged|divorc\w+|broke up|fired|quit my job"
    r"|promoted|accident|surgery|love you|hate you|miss (?:him|her|them|you)|crying|cried|promise)\b"
    r"|去世|过世|走了|死了|葬礼|癌|住院|手术|怀孕|生了|结婚|订婚|离婚|分手|被裁|辞职|升职|出事|车祸|爱你|恨你|想你|想他|想她|哭了|答应",
    regex.IGNORECASE,
)


def is_trivial(messages: Sequence[Message]) -> bool:
    """Fewer than three messages, fewer than 200 tokens, and no sign of a strong feeling."""
    texts = [message.text for message in messages if message.sender is not Sender.SYSTEM]
    if len(texts) >= FEW_MESSAGES or sum(map(count_tokens, texts)) >= FEW_TOKENS:
        return False
    crisis = WordsOfCrisis()
    return not any(_STRONG.search(text) or crisis.look(text) for text in texts)
