"""Keeps the page's libraries from calling home. Imported before any of them."""

from __future__ import annotations

import os

# Read by Gradio and the Hugging Face hub when they are first imported, or before each request.
SWITCHES = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
}


def hush() -> None:
    """Turn off analytics, version checks and telemetry, whatever the environment says."""
    os.environ.update(SWITCHES)
