"""Who speaks the reply: a language model, or memory alone."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator, Sequence
from functools import cache
from importlib import resources
from typing import Protocol

import regex

from echovessel.clock import day_of
from echovessel.memory.memory import Memory
from echovessel.memory.recall.analyser import is_question
from echovessel.memory.recall.result import Hit
from echovessel.mind.prompt import Prompt
from echovessel.mind.prompt.fill import asks_whats_on_your_mind
from echovessel.mind.told import when, when_it_was
from echovessel.models.language import LanguageModel, Piece, Reply
from echovessel.text import Language, clean, language_of

MOST = 3
# A model may pass over what doesn't fit; memory alone can't, so it speaks only from what is this relevant or was named.
# On the tuning talks of datasets/own that answers 93% of the answerable questions, and 53% of those off the topic.
SURE = 0.75
_WORD = regex.compile(r"\p{Han}|[^\p{Han}\s]*\s*")


class Speaker(Protocol):
    """Speaks the reply to a prompt."""

    name: str

    def speak(self, prompt: Prompt) -> AsyncIterator[Piece]:
        """The reply as it comes; the last piece carries the whole. Raises `ModelError` when none came."""


class ModelSpeaker:
    """A language model speaks."""

    def __init__(self, model: LanguageModel, *, name: str = "model") -> None:
        self.name = name
        self._model = model

    def speak(self, prompt: Prompt) -> AsyncIterator[Piece]:
        """The model's answer."""
        return self._model.stream(prompt.request())


class ExtractiveSpeaker:
    """Memory alone speaks: it quotes what was recalled, with the day, says when nothing was, and invents nothing.

    For as long as no language model is set.
    """

    name = "memory"

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def speak(self, prompt: Prompt) -> AsyncIterator[Piece]:
        """What was recalled, word by word, as a model would stream it."""
        text = self.answer(prompt)
        for word in _WORD.findall(text):
            if word:
                yield Piece(word)
        yield Piece(reply=Reply(text, self.name))

    def answer(self, prompt: Prompt) -> str:
        """The whole answer."""
        asked = "\n".join(message.text for message in prompt.heard)
        language = language_of(asked)
        say = _sentences(language)
        if prompt.crisis is not None:
            return " ".join(part for part in (say["crisis"], prompt.crisis.resources) if part)
        mind = prompt.section("mind")
        if asks_whats_on_your_mind(asked):
            # The first entry tells how to answer; the others are the thoughts themselves.
            lines = [entry.text for entry in mind.entries[1:]] if mind else []
            return _listed(say["mind"], lines) if lines else say["mind_none"]
        lines = [self._line(hit, prompt, language, say) for hit in self._hits(prompt)]
        if not lines:
            return say["nothing"]
        return _begun(lines[0]) if len(lines) == 1 else _listed(say["several"], lines)

    def _hits(self, prompt: Prompt) -> list[Hit]:
        """The best few that surely bear on it, without questions, which tell nothing, and echoes of this one."""
        heard = {clean(message.text).strip() for message in prompt.heard}
        hits = prompt.recall.hits if prompt.recall else ()
        sure = [hit for hit in hits if hit.factors.anchored or hit.factors.relevance >= SURE]
        telling = [hit for hit in sure if hit.layer != "message" or not is_question(hit.text)]
        return [hit for hit in telling if hit.text.strip() not in heard][:MOST]

    def _line(self, hit: Hit, prompt: Prompt, language: Language, say: dict[str, str]) -> str:
        zone = self._memory.personas.zone_of(self._memory.context.scope)
        today = day_of(prompt.now, zone)
        if hit.layer == "message":
            message = self._memory.log.get(hit.id)
            told = when(message.sent_at, today, zone, language)
            key = {"user": "you_said", "persona": "i_said"}.get(str(message.sender), "other_said")
            return say[key].format(when=told, name=message.sender_name, text=message.text.strip())
        node = self._memory.nodes.get(hit.id)
        days = when_it_was(node, today, zone, language)
        told = say[str(node.kind)].format(when=days, text=node.text.strip())
        quote = next((source.quote for source in node.sources if source.quote and source.message), "")
        if not quote or quote.strip() in told:
            return told
        message = self._memory.log.get(
            next(s.message for s in node.sources if s.message and s.quote == quote)
        )
        key = {"user": "quote_you", "persona": "quote_me"}.get(str(message.sender), "quote_other")
        return told + say[key].format(name=message.sender_name, text=quote.strip())


def _listed(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head, *(f"- {_begun(line)}" for line in lines)])


def _begun(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


@cache
def _sentences(language: Language) -> dict[str, str]:
    text = (resources.files("echovessel.mind") / "speaker.toml").read_text(encoding="utf-8")
    table: dict[str, str] = tomllib.loads(text)[language]
    return table
