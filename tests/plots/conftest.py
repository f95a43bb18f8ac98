"""Figures need plotly."""

from __future__ import annotations

import pytest

pytest.importorskip("plotly", reason="figures need the extra `lab` or `app`")
