"""The numbers on the page of results are those of the committed results."""

from __future__ import annotations

from evals.summary import END, PAGE, START, numbers


def test_the_page_says_what_the_results_say() -> None:
    shown = PAGE.read_text("utf-8").split(START)[1].split(END)[0]

    assert shown.strip() == numbers().strip()
