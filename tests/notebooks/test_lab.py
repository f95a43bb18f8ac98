"""`make lab` opens JupyterLab without the part of it that asks for leave to fetch news, and looks for updates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

paths = pytest.importorskip("jupyterlab.commands", reason="JupyterLab is not installed")
MAKEFILE = Path(__file__).parents[2] / "Makefile"


def test_what_asks_for_news_is_switched_off_under_the_name_that_jupyterlab_knows() -> None:
    rules = MAKEFILE.read_text("utf-8")
    off = re.search(r"labextension disable --level=sys_prefix \"(\S+)\"", rules)
    assert off is not None
    assert re.search(r"^lab: \$\(VENV\)/\.lab ", rules, re.MULTILINE)

    built = Path(paths.get_app_dir()) / "static"

    assert any(off[1] in file.read_text("utf-8", "replace") for file in built.glob("*.js"))
