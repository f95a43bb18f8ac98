"""The adapter costs nothing until it is used, and litellm keeps to itself when it is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from pydantic import ValidationError

from echovessel.errors import MissingExtra
from echovessel.models.language import LiteLLMModel, ProviderSettings, Request, Say

ASK = Request((Say("user", "hello"),))


def python(code: str, **more) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM_")}
    clean["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=clean,
        timeout=120,
        check=False,
        **more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_protocol_loads_no_provider_and_no_web_client():
    heavy = python(
        "import sys, echovessel.models.language as m; m.LiteLLMModel(m.ProviderSettings(main='gpt-4o'));"
        "print(sorted({'litellm', 'stamina', 'httpx', 'openai', 'keyring', 'json_repair'} & sys.modules.keys()))"
    )

    assert heavy.strip() == "[]"


@pytest.mark.skipif(find_spec("litellm") is None, reason="needs the extra llm")
def test_loading_litellm_reaches_for_nothing_and_reads_no_stray_settings(tmp_path):
    """A socket or a looked-up name is an error in that process, and so in litellm's threads."""
    (tmp_path / ".env").write_text("STRAY=1\n")
    said = python(
        "import os, sys, threading\n"
        "reached = []\n"
        "def watch(event, args):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto'): reached.append((event, args[0]))\n"
        "sys.addaudithook(watch)\n"
        "import echovessel.models.language as m\n"
        "m.LiteLLMModel(m.ProviderSettings(main='openai/gpt-4o')).load()\n"
        "for thread in threading.enumerate():\n"
        "    if thread is not threading.current_thread(): thread.join(1)\n"
        "import litellm\n"
        "print(reached, os.environ.get('STRAY'), litellm.suppress_debug_info, litellm.turn_off_message_logging)\n",
        cwd=tmp_path,
    )

    assert said.strip() == "[] None True True"


@pytest.mark.parametrize("missing", ["litellm", "stamina"])
def test_a_missing_package_is_named_with_its_pip_line(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    model = LiteLLMModel(ProviderSettings(main="openai/gpt-4o"))

    with pytest.raises(MissingExtra, match=r"pip install 'echovessel\[llm\]'"):
        model.load()
    with pytest.raises(MissingExtra):
        asyncio.run(model.complete(ASK))


@pytest.mark.parametrize(
    "wrong",
    [{"timeout": 0}, {"retries": -1}, {"base_url": "localhost:8080"}, {"mian": "gpt-4o"}],
    ids=["timeout", "retries", "address", "name"],
)
def test_settings_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(ValidationError):
        ProviderSettings(**wrong)
