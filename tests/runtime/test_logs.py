"""What the daemon's log holds, and what it doesn't."""

from __future__ import annotations

import io
import json
import logging

import pytest

from echovessel.runtime.logs import logged

_log = logging.getLogger("echovessel.runtime.somewhere")


def lines(*, text: bool = False) -> list[dict[str, object]]:
    stream = io.StringIO()
    with logged(stream, text=text):
        _log.info("turn", extra={"fields": {"ms": 3}, "said": {"heard": "a secret"}})
        try:
            raise ValueError("a secret")
        except ValueError as error:
            _log.warning("a turn failed", exc_info=error)
    _log.error("after the end")
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_line_is_one_object_without_what_was_said() -> None:
    turn, failed = lines()

    assert (turn["event"], turn["level"], turn["ms"]) == ("turn", "info", 3)
    assert str(turn["at"]).endswith("+00:00")
    assert failed["error"] == "ValueError"
    assert "test_logs.py" in str(failed["where"])
    assert "secret" not in json.dumps([turn, failed])


@pytest.mark.parametrize("asked", [True])
def test_asked_for_it_holds_the_words(asked: bool) -> None:
    turn, failed = lines(text=asked)

    assert (turn["heard"], failed["message"]) == ("a secret", "a secret")
