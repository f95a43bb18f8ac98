"""Make the pictures of the README anew: `python docs/screenshots.py [FOLDER]`.

Runs the page on the sample personas and looks at it in headless Chromium; needs the extra `dev` and Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent / "img"
WIDTH = 1200
LARGEST = 200_000  # bytes; the README stays quick to open


@dataclass(frozen=True)
class Picture:
    """One view, in one language, of one persona; `ready` is what must be there before it is taken."""

    name: str
    language: str
    whose: str
    view: str
    ready: str
    height: int
    prepare: Callable[[Any], None] = lambda page: None


def recall(page: Any) -> None:
    """Ask for somebody by another name."""
    page.fill("#query textarea, #query input", "Scott 最近怎么样？")
    page.wait_for_selector("#found .chip.anchor")


def memory(page: Any) -> None:
    """Open a memory that took another's place."""
    page.fill(".filters input[type=text], .filters textarea", "wedding")
    page.wait_for_selector("#cards .item:has-text('brought forward')")
    page.click("#cards .item:has-text('brought forward')")
    page.wait_for_selector("#detail .chain")


def talk(page: Any) -> None:
    """Ask something, and see what the reply was made from."""
    page.fill("#say textarea", "What has Baozi been up to?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#beside .risen")
    page.wait_for_selector("#end-talk")


PICTURES = (
    Picture("recall", "zh", "林晚", "recall", "#found .hit", 1000, recall),
    Picture("memory", "en", "Mara Quill", "memory", "#cards .item", 900, memory),
    Picture("timeline", "zh", "林晚", "timeline", "#timeline-plot .js-plotly-plot .points path", 860),
    # The last, since what is said stays in the memory.
    Picture("talk", "en", "Mara Quill", "talk", "#talk-past .bubble", 840, talk),
)


@contextmanager
def demo() -> Iterator[str]:
    """The address of a running `echovessel demo`."""
    command = [
        sys.executable,
        "-c",
        "from echovessel.cli import main; main()",
        "demo",
        "--no-browser",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield line.split(" at ")[1].split()[0].rstrip(".")
        finally:
            process.terminate()


def take(browser: Any, address: str, picture: Picture, folder: Path) -> Path:
    """One picture."""
    context = browser.new_context(viewport={"width": WIDTH, "height": picture.height}, color_scheme="light")
    page = context.new_page()
    query = urlencode({"whose": picture.whose, "view": picture.view})
    page.goto(f"{address}{picture.language}/?{query}")
    page.wait_for_selector(picture.ready)
    picture.prepare(page)
    page.wait_for_timeout(1500)  # lets figures and folds come to rest
    page.evaluate("window.scrollTo(0, 0); document.activeElement && document.activeElement.blur()")
    path = folder / f"{picture.name}.png"
    page.screenshot(path=path)
    context.close()
    return path


def main() -> None:
    """Take all pictures; stops when one is too large."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with demo() as address, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        sizes = {(path := take(browser, address, one, folder)): path.stat().st_size for one in PICTURES}
        browser.close()
    for path, size in sizes.items():
        print(f"{path}  {size / 1000:.0f} kB")
    if max(sizes.values()) > LARGEST:
        sys.exit("a picture is larger than 200 kB: lower its height")


if __name__ == "__main__":
    main()
