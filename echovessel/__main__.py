"""`python -m echovessel` is the same as `echovessel`."""

from __future__ import annotations

from echovessel.cli import main

if __name__ == "__main__":
    main()
