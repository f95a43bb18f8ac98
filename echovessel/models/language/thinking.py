"""Reasoning models of one's own server may think aloud before they answer; nobody else should hear it."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class Unthought:
    """Drops a ``<think>...</think>`` at the very beginning of a streamed text; later ones are what somebody said."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "unsure"

    def feed(self, piece: str) -> str:
        """What may be passed on, now that this came."""
        if self._state == "answer":
            return piece
        self._held += piece
        if self._state == "unsure":
            begin = self._held.lstrip()
            if _OPEN.startswith(begin):
                return ""
            if not begin.startswith(_OPEN):
                self._state = "answer"
                return self.rest()
            self._state = "thinking"
        if self._state == "thinking":
            _, mark, after = self._held.partition(_CLOSE)
            if not mark:
                return ""
            self._state, self._held = "thought", after
        if not self._held.strip():
            return ""
        self._state, self._held = "answer", self._held.lstrip()
        return self.rest()

    def rest(self) -> str:
        """What is still held back at the end; thoughts that never ended are no answer."""
        held, self._held = self._held, ""
        return "" if self._state == "thinking" else held
