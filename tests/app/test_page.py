"""The page in headless Chromium: every view, in both languages, by mouse and by key, and nothing leaves the machine."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from echovessel.workbench.app.words import Words
from tests.conftest import is_local

sync_api = pytest.importorskip("playwright.sync_api", reason="tests of the page need playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]
VIEWS = {
    "talk": "#talk-past .bubble",
    "overview": "#vessel .band",
    "recall": "#found .hit",
    "memory": "#cards .item",
    "entities": "#graph .js-plotly-plot",
    "timeline": "#timeline-plot .js-plotly-plot",
    "turns": "#turn-list .empty",
    "costs": "#thinking .card",
    "load": "#path textarea, #path input",
    "start": "#preview .prompt",
}
PATIENCE = 20_000  # milliseconds; a busy machine draws slowly


@contextmanager
def served(log: Path, what: str) -> Iterator[str]:
    """The address of a running server."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    command = [sys.executable, "-m", "tests.app.server", str(log), what]
    with (
        log.with_suffix(".err").open("w+", encoding="utf-8") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=env) as process,
    ):
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
            if found is None:
                pytest.fail(f"the page did not start: {line}{log.with_suffix('.err').read_text('utf-8')}")
            yield found[0]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def connections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "connections.log"


@pytest.fixture(scope="module")
def demo(connections: Path) -> Iterator[str]:
    with served(connections, "demo") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as tool:
        chromium = tool.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield chromium
        chromium.close()


Open = Callable[..., Any]


@pytest.fixture
def visit(browser: Any, demo: str) -> Iterator[Open]:
    """Opens the page; afterwards: no error on the console, and no request beyond this machine."""
    contexts, faults, asked = [], [], []

    def visit(path: str = "en/", *, at: str = demo, width: int = 1280, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        context.on("request", lambda request: asked.append(request.url))
        page.goto(f"{at}{path}")
        page.wait_for_selector("#views [role=tab]")
        return page

    yield visit
    for context in contexts:
        context.close()
    away = [url for url in asked if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", url)]
    assert not away
    assert not faults


def open_view(page: Any, view: str) -> None:
    page.click(f"[data-tab-id={view}]:visible")
    page.wait_for_selector(VIEWS[view])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_view_opens_and_fits(visit: Open, language: str, width: int) -> None:
    page = visit(f"{language}/", width=width)
    words = Words(language)  # type: ignore[arg-type]

    for view in VIEWS:
        open_view(page, view)
        assert page.locator(f"[data-tab-id={view}]:visible").inner_text() == words(f"tab_{view}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
    assert page.get_attribute("html", "lang") == {"en": "en", "zh": "zh-CN"}[language]


@pytest.mark.parametrize(("locale", "language"), [("zh-CN", "zh"), ("en-US", "en")])
def test_the_browser_decides_the_language_at_first(visit: Open, locale: str, language: str) -> None:
    assert f"/{language}/" in visit("", locale=locale).url


def test_changing_the_language_keeps_the_view_and_the_memory(visit: Open) -> None:
    page = visit("en/?whose=Mara Quill&view=entities")
    page.wait_for_selector("#people .person")

    page.click("a[data-switch]")
    page.wait_for_url("**/zh/**")
    page.wait_for_selector("#people .person")

    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "人与物"
    assert page.locator("#whose input").input_value() == "Mara Quill"


def test_moving_a_slider_ranks_anew_without_a_click(visit: Open) -> None:
    page = visit("en/?view=recall&whose=Mara Quill")
    page.wait_for_selector(".hit")
    assert page.locator(".hit .f-recency").count() > 0

    page.locator(".w-recency input[type=number]").fill("0")

    page.wait_for_function("document.querySelectorAll('.hit .bar .f-recency').length === 0")
    assert page.locator(".hit").count() > 0


def test_a_preset_moves_the_sliders(visit: Open) -> None:
    page = visit("en/?view=recall")
    page.wait_for_selector(".hit")

    page.get_by_label("Preset").click()
    page.get_by_role("option", name=re.compile("seed")).click()

    page.wait_for_function("document.querySelector('.w-entity_anchor input[type=number]').value === '1.5'")
    page.wait_for_function("document.querySelector('#code code')?.textContent.includes(\"preset('seed')\")")


def test_a_hit_leads_to_its_memory_and_on_to_its_turn(visit: Open) -> None:
    page = visit("zh/?view=recall")
    page.wait_for_selector(".hit")
    hit = page.locator(".hit:has(.kind:text-is('事件'))").first
    said = hit.locator(".said").inner_text()

    hit.locator("summary").click()
    assert hit.locator(".turn.here").first.is_visible()
    hit.locator(".foot > .link").click()
    page.wait_for_selector("#detail .said.big")
    assert page.locator("#detail .said.big").inner_text() == said

    page.locator("#detail blockquote .link").first.click()
    page.wait_for_selector("#detail .turn.here")
    inside = "e => e.offsetTop >= e.parentElement.scrollTop && e.offsetTop < e.parentElement.scrollTop + 420"
    page.wait_for_timeout(300)
    assert page.locator("#detail .turn.here").evaluate(inside)


@pytest.mark.parametrize("width", [1280, 360])
def test_what_is_chosen_far_down_a_list_comes_into_sight(visit: Open, width: int) -> None:
    page = visit("en/?view=memory&whose=Mara Quill", width=width)

    page.locator("#cards .item").nth(19).click()

    page.wait_for_function(
        """() => {
          const said = document.querySelector("#detail .said.big")?.getBoundingClientRect();
          return said && said.top >= 0 && said.bottom <= innerHeight;
        }"""
    )


def test_a_memory_is_corrected_pinned_and_put_back(visit: Open) -> None:
    page = visit("en/?view=memory&whose=Mara Quill")
    page.locator("#cards .item").first.click()
    page.wait_for_selector("#mend >> text=Correct it")
    before = page.locator("#detail .said.big").inner_text()

    page.click("#mend >> text=Correct it")
    page.get_by_label("Text", exact=True).fill("Mara has taken up the fiddle.")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("#detail >> text=Mara has taken up the fiddle.")
    assert page.locator("#cards .item[aria-current]").inner_text().endswith("Mara has taken up the fiddle.")

    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("text=Taken back: the correction.")
    page.locator("#detail .said.big", has_text=before).wait_for()

    page.get_by_role("button", name="Pin", exact=True).click()
    page.wait_for_selector("#detail .chip:text-is('pinned')")
    page.get_by_role("button", name="Unpin").click()
    page.wait_for_selector("#detail .chip:text-is('pinned')", state="detached")


def test_forgetting_tells_first_and_then_forgets(visit: Open) -> None:
    page = visit("en/?view=memory&whose=Mara Quill")
    page.get_by_label("Search").fill("trolleybus")
    page.wait_for_selector(".count:text-is('1 found')")
    page.locator("#cards .item").click()
    page.click("#mend >> text=Forget it for good")
    assert page.get_by_role("button", name="Forget now").count() == 0

    page.get_by_role("button", name="What would go?").click()
    page.wait_for_selector(".plan >> text=There is no undo for this.")
    page.get_by_role("button", name="Forget now").click()

    page.wait_for_selector("#cards .empty")
    page.wait_for_selector("text=are gone from the file")


def test_people_are_merged_and_parted_again(visit: Open) -> None:
    page = visit("en/?view=entities&whose=Mara Quill")
    count = page.locator("#people .person").count
    page.wait_for_selector("#people .person")
    known = count()

    page.locator("#people .person", has_text="Nell").click()
    page.click("text=Merge with another")
    page.get_by_label("The other one").click()
    page.get_by_role("option", name="Nora").click()
    page.get_by_role("button", name="Merge", exact=True).click()
    page.wait_for_selector("text=They are one now.")
    page.wait_for_function(f"document.querySelectorAll('#people .person').length === {known - 1}")

    page.get_by_role("button", name="Undo").locator("visible=true").click()
    page.wait_for_function(f"document.querySelectorAll('#people .person').length === {known}")


def test_it_is_used_by_keys_alone(visit: Open) -> None:
    page = visit("en/?view=overview")
    page.wait_for_selector(".band")

    page.locator(".band-L1").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#layer h2:has-text('L2')")
    assert page.evaluate("document.activeElement.classList.contains('band-L2')")  # the place is kept
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.wait_for_selector("#layer h2:has-text('L3')")


def test_a_list_is_one_stop_by_key_and_arrows_lead_through_it(visit: Open) -> None:
    page = visit("en/?view=memory")
    page.wait_for_selector("#cards .item")
    assert page.locator("#cards .item:not([tabindex])").count() == 1

    page.locator("#cards .item").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.locator("#cards .item").nth(2)
    assert page.evaluate("document.activeElement.dataset.id") == second.get_attribute("data-id")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#detail [data-item='{second.get_attribute('data-id')}']")

    page.keyboard.press("Tab")
    page.keyboard.press("Tab")  # past "show more"
    assert page.evaluate("document.activeElement.closest('#detail, #mend') !== null")


def test_a_file_is_loaded_beside_the_samples(visit: Open) -> None:
    lin = Path(str(resources.files("echovessel.samples") / "lin.json"))
    page = visit("en/?view=load")

    page.get_by_label("Path on this machine").fill("/no/such/file.json")
    page.get_by_role("button", name="Read").click()
    page.wait_for_selector(".notice.bad >> text=can't be read")
    page.get_by_label("Path on this machine").fill(str(lin))
    page.get_by_role("button", name="Read").click()
    page.wait_for_selector("text=Read. Talks in it: 1.")
    page.get_by_role("button", name="Load it").click()

    page.wait_for_function(
        "!['林晚', 'Mara Quill', ''].includes(document.querySelector('#whose input').value)"
    )
    page.wait_for_selector(".band-L2 .held:text-is('145')")


def test_a_file_is_uploaded(visit: Open, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{", encoding="utf-8")
    page = visit("zh/?view=load")

    page.locator("input[type=file]").set_input_files(str(bad))

    page.wait_for_selector(".notice.bad >> text=不是完整的 JSON")


def test_light_and_dark_by_button_and_kept(visit: Open) -> None:
    page = visit("en/?view=overview", color_scheme="light")
    ground = "getComputedStyle(document.querySelector('.gradio-container')).backgroundColor"
    light = page.evaluate(ground)

    page.click("[data-theme]")
    dark = page.evaluate(ground)
    page.reload()
    page.wait_for_selector(".band")

    assert light != dark
    assert page.evaluate(ground) == dark


def test_the_python_is_copied(visit: Open) -> None:
    page = visit("en/?view=recall", permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_selector("#code summary")

    page.click("#code summary")
    page.click("#code .copy")

    page.wait_for_selector("#code .copy:text-is('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert ast.parse(copied)
    assert "Vessel.sample('lin')" in copied


def test_what_people_wrote_is_shown_as_text_in_every_view(visit: Open, tmp_path: Path) -> None:
    with served(tmp_path / "log", "hostile") as address:
        page = visit("en/", at=address)
        for view in VIEWS:
            open_view(page, view)
            page.wait_for_timeout(500)
        for layer in ("L2", "L3", "L4", "L5", "L6"):
            open_view(page, "overview")
            page.click(f".band-{layer}")
            page.wait_for_selector(f"#layer h2:has-text('{layer}')")
        open_view(page, "memory")
        for place in range(page.locator("#cards .item").count()):
            page.locator("#cards .item").nth(place).click()
            page.wait_for_timeout(400)
        open_view(page, "entities")
        page.locator("#people .person").first.click()
        page.wait_for_selector("#person .said.big")
        open_view(page, "recall")
        page.locator("#query textarea, #query input").first.fill(
            "<img src=x onerror=window.hacked=1> {{7*7}}"
        )
        page.wait_for_function("document.querySelector('#code code')?.textContent.includes('{{7*7}}')")
        page.click("#code summary")

        assert page.evaluate("window.hacked") is None
        assert "<img src=x onerror=window.hacked=1> {{7*7}}" in page.locator("#code code").inner_text()
        assert "${window.hacked=1}" in page.locator("#found .said").first.inner_text()
        written = page.locator(
            "#found img, #found script, #detail img, #person img, #layer script, #layer img"
        )
        assert written.count() == 0
        page.close()  # before its server ends, which would cut the page's open stream


def test_the_running_page_connects_to_nobody(visit: Open, connections: Path) -> None:
    page = visit("zh/")
    for view in VIEWS:
        open_view(page, view)

    seen = connections.read_text("utf-8").splitlines() if connections.exists() else []
    away = [line for line in seen if not _stays(line)]
    assert not away


def _stays(line: str) -> bool:
    _, _, where = line.partition(" ")
    if where.startswith("("):
        return is_local(2, ast.literal_eval(where))
    return where in ("None", "localhost") or is_local(2, (where,))
