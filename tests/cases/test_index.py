"""Each case that must hold by now is found by its number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
# Of the twenty: those that need no language model, no file reader and no prompt.
HOLD = (2, 3, 7, 8, 12, 13, 15, 16, 17, 20)


@pytest.mark.parametrize("number", HOLD)
def test_a_case_has_a_test_of_its_number(number: int) -> None:
    name = re.compile(rf"^def test_case_{number}_", re.MULTILINE)

    assert [file for file in TESTS.rglob("test_*.py") if name.search(file.read_text(encoding="utf-8"))]
