"""The talk in headless Chromium: said, answered, ended, mended, stepped through; and a first start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import FACT, REPLY, SAID

pytest.importorskip("playwright.sync_api", reason="tests of the page need playwright")
from tests.app.test_page import CHROMIUM, PATIENCE, browser, served

__all__ = ["browser"]  # a fixture
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What the browser's console complained of: nothing."""
    found: list[str] = []
    yield found
    assert not found


def opened(browser: Any, address: str, faults: list[str], *, width: int = 1280) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.goto(address)
    page.wait_for_selector("#views [role=tab]")
    return page


def say(page: Any, text: str, *, nth: int) -> None:
    """Type it and press Enter, then wait for the reply."""
    page.locator("#say textarea").fill(text)
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelectorAll('#talk-past .bubble.persona').length === {nth}")


def test_a_talk_from_the_first_word_to_a_memory_that_is_mended_and_forgotten(
    browser: Any, tmp_path: Path, faults: list[str]
) -> None:
    with served(tmp_path / "log", "talk") as address:
        page = opened(browser, f"{address}en/", faults)
        page.wait_for_selector("#talk-past .empty")

        say(page, SAID, nth=1)
        assert page.locator("#talk-past .bubble.user p").inner_text() == SAID
        assert page.locator("#talk-past .bubble.persona p").inner_text() == REPLY  # its tags as text
        assert page.locator("#say textarea").input_value() == ""
        say(page, "Wish me luck", nth=2)
        page.wait_for_selector("#beside .book-rows li")

        page.get_by_role("button", name="End the talk").click()
        page.wait_for_selector(f"#became .said:text-is('{FACT}')")
        page.wait_for_selector("#end-talk", state="hidden")
        page.locator("#became .link", has_text="Correct").click()
        page.get_by_label("Text", exact=True).locator("visible=true").fill("Mei starts at the docks.")
        page.get_by_role("button", name="Save").locator("visible=true").click()
        page.wait_for_selector("#became .said:text-is('Mei starts at the docks.')")

        page.get_by_role("button", name=re.compile("Step through")).click()
        page.wait_for_selector("#flow .step[aria-pressed=true] .title:text-is('Heard')")
        for title in ("Remembered", "Prompt", "Said", "Written"):
            page.get_by_role("button", name="Next →").focus()
            page.keyboard.press("Enter")
            page.wait_for_selector(f"#flow .step[aria-pressed=true] .title:text-is('{title}')")
        assert page.get_by_role("button", name="Next →").is_disabled()

        page.click("[data-tab-id=talk]:visible")
        page.locator("#became .link", has_text="Forget").click()
        page.wait_for_selector(".plan >> text=There is no undo for this.")
        page.get_by_role("button", name="Forget now").locator("visible=true").click()
        page.wait_for_selector("#became .said", state="detached")
        page.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_a_first_start_begins_with_writing_a_persona(
    browser: Any, tmp_path: Path, faults: list[str], width: int
) -> None:
    with served(tmp_path / "log", "empty") as address:
        page = opened(browser, f"{address}zh/", faults, width=width)
        page.wait_for_selector("#preview .prompt")
        assert page.locator("[role=tab][aria-selected=true]:visible").inner_text() == "新建"

        page.get_by_label("名字", exact=True).fill("林晚")
        page.get_by_label("是个怎样的人").fill("杭州的录音师。<b>怕</b>打雷。")
        page.wait_for_selector("#preview .prompt:has-text('杭州的录音师。<b>怕</b>打雷。')")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.get_by_role("button", name="创建并打个招呼").click()
        page.wait_for_selector("#talk-past .empty:has-text('林晚')")
        say(page, "你好", nth=1)

        assert page.locator("#talk-past .bubble.user .who").inner_text() == "你"
        assert (tmp_path / "empty" / "memory.db").exists()
        page.close()
