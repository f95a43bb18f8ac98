"""How much all calls of language models may cost."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

AtLimit = Literal["memory", "stop", "warn"]


class SpendingLimits(BaseModel):
    """Limits in US dollars, over all calls, and what happens there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    day: float | None = Field(
        None, ge=0, description="US dollars a day, over all calls; no limit when left out."
    )
    month: float | None = Field(None, ge=0, description="US dollars a month; no limit when left out.")
    at_limit: AtLimit = Field(
        "memory",
        description="At the limit: memory (the persona answers from memory alone), stop (no answer), or warn.",
    )
