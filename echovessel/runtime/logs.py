"""Logs of the daemon: one JSON object a line, without a word of what was said unless asked for."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TextIO


class JsonLines(logging.Formatter):
    """Formats a record as ``{"at", "level", "from", "event", ...}``.

    ``extra={"fields": {...}}`` adds fields; ``extra={"said": {...}}`` adds those that hold what was said, which are
    left out unless `text`. An error is told by its type and where it came from; its message, which may quote what was
    said, only with `text`.
    """

    def __init__(self, *, text: bool = False) -> None:
        super().__init__()
        self.text = text

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if self.text:
            line |= getattr(record, "said", {})
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line["error"] = type(error).__name__
            frames = traceback.extract_tb(error.__traceback__)
            line["where"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames[-5:]]
            if self.text:
                line["message"] = str(error)
        return json.dumps(line, ensure_ascii=False, default=str)


@contextmanager
def logged(stream: TextIO, *, text: bool = False) -> Iterator[JsonLines]:
    """Write EchoVessel's logs to a stream; the formatter given may be told to show text later."""
    handler = logging.StreamHandler(stream)
    formatter = JsonLines(text=text)
    handler.setFormatter(formatter)
    logger = logging.getLogger("echovessel")
    level, spread = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield formatter
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = spread
