"""Runs the page in a process of its own whose every connection is written down.

`python -m tests.app.server LOG demo` runs `echovessel demo`; with `hostile`, the page on a memory full of tags; with
`talk`, on one whose model follows a script; with `empty`, on a folder beside LOG that holds nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path


def watch(log: Path) -> None:
    """Write down every address that Python connects to, sends to or looks up, by an audit hook nothing can undo."""
    kept = log.open("a", encoding="utf-8")

    def seen(event: str, args: tuple[object, ...]) -> None:
        if event in ("socket.connect", "socket.sendto"):
            print(event, args[-1], file=kept, flush=True)
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            print(event, args[0], file=kept, flush=True)

    sys.addaudithook(seen)


def main() -> None:
    log, what = sys.argv[1:]
    watch(Path(log))
    if what == "demo":
        from echovessel.cli import app

        app(["demo", "--no-browser", "--port", "0"])
        return
    from echovessel.workbench.app import serve
    from tests.app.conftest import hostile_memory, new_vessel, opened_of, talker

    folder = Path(log).parent / what
    folder.mkdir(exist_ok=True)
    opened = {
        "hostile": lambda: [hostile_memory(new_vessel())],
        "talk": lambda: [opened_of(new_vessel(folder / "memory.db", model=talker()))],
        "empty": list,
    }
    serve(
        *opened[what](),
        home=folder,
        port=0,
        open_browser=False,
        ready=lambda address: print(address, flush=True),
    )


if __name__ == "__main__":
    main()
