"""What is shipped: the wheel, the lock files, and no address of a content network."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "echovessel"
SHIPPED = {".py", ".sql", ".toml", ".json", ".txt", ".npy", ".css", ".js", ".svg", ".html", ".typed"}
CDN = re.compile(
    r"cdn\.|cdnjs|jsdelivr|unpkg|googleapis|gstatic|googletagmanager|fontawesome\.com|bootstrapcdn|esm\.sh|plot\.ly/",
    re.IGNORECASE,
)


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    here = {
        str(path.relative_to(ROOT).as_posix())
        for path in PACKAGE.rglob("*")
        if path.suffix in SHIPPED and "__pycache__" not in path.parts
    }

    assert here <= set(wheel.namelist())
    assert {
        "echovessel/py.typed",
        "echovessel/models/calibration.toml",
        "echovessel/models/means/e5.npy",
        "echovessel/models/means/usem3.npy",
    } <= here


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}

    assert tops == {"echovessel", f"echovessel-{project()['version']}.dist-info"}
    assert sum(entry.file_size for entry in wheel.infolist()) < 10_000_000


def test_the_command_is_named_and_the_licence_goes_along(wheel: zipfile.ZipFile) -> None:
    info = f"echovessel-{project()['version']}.dist-info"

    assert "echovessel = echovessel.cli:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert b"MIT License" in wheel.read(f"{info}/licenses/LICENSE")


def test_no_file_of_the_package_names_a_content_network() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in SHIPPED - {".npy"} and (found := CDN.search(path.read_text("utf-8")))
    ]

    assert not named


@pytest.mark.parametrize("name", ["demo", "dev", "embedders"])
def test_a_lock_pins_and_hashes_everything_and_names_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]

    assert len(lines) > 30
    assert all(re.match(r"[a-z0-9._-]+(\[.+\])?==\S+", line) and "--hash=sha256:" in line for line in lines)
    assert "://" not in text


@pytest.mark.parametrize("name", ["demo", "dev"])
def test_the_default_locks_bring_no_torch(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")

    assert not re.search(r"^(torch|nvidia|triton|cuda)", text, re.MULTILINE)


def test_locks_that_share_an_environment_agree() -> None:
    def pins(name: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for package, pin in re.findall(
            r"^(\S+?)==(\S+)", (ROOT / "requirements" / name).read_text(), re.MULTILINE
        ):
            found.setdefault(package, set()).add(pin)
        return found

    dev = pins("dev.txt")
    for other in ("demo.txt", "embedders.txt"):
        differing = {p: (v, dev[p]) for p, v in pins(other).items() if p in dev and v != dev[p]}
        assert not differing


def test_the_locks_hold_what_the_project_asks_for() -> None:
    dev = (ROOT / "requirements" / "dev.txt").read_text("utf-8").casefold()
    extras = project()["optional-dependencies"]
    wanted = [
        *project()["dependencies"],
        *extras["app"],
        *extras["lab"],
        *extras["bench"],
        *extras["dev"][1:],
    ]
    names = [re.match(r"[\w.-]+", line)[0].casefold().replace(".", "-") for line in wanted]  # type: ignore[index]

    assert not [name for name in names if f"\n{name}==" not in dev]


def test_all_takes_every_extra_but_those_for_building() -> None:
    extras = project()["optional-dependencies"]
    (everything,) = extras["all"]

    assert set(everything.partition("[")[2].rstrip("]").split(",")) == set(extras) - {"all", "dev"}


def test_every_extra_that_an_error_names_exists() -> None:
    extras = set(project()["optional-dependencies"])
    named = {
        extra
        for path in PACKAGE.rglob("*.py")
        for extra in re.findall(r'MissingExtra\(\s*f?"[^"]*",\s*"(\w+)"', path.read_text("utf-8"))
    }

    assert {"e5", "st"} <= named <= extras
