"""The limits of thinking between talks; the design's numbers."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class MindSettings(BaseModel):
    """When the persona thinks on its own, and how much it may."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slow_tick: bool = Field(True, description="Whether the persona thinks while nobody talks; needs a model.")
    cycle_input: int = Field(8_000, ge=500, description="Tokens that one slow tick may read.")
    cycle_output: int = Field(1_000, ge=100, description="Tokens that one slow tick may write.")
    day_cycles: int = Field(36, ge=0, description="Slow ticks a day, over all talks of a persona.")
    day_input: int = Field(150_000, ge=0, description="Tokens that the slow ticks of a day may read.")
    day_output: int = Field(30_000, ge=0, description="Tokens that the slow ticks of a day may write.")
    cool_down: int = Field(30, ge=0, description="Minutes between two slow ticks.")
    uses: int = Field(3, ge=1, description="How often one event may be thought over.")
    reflections: int = Field(3, ge=0, description="Reflections a day, each after a talk.")
    drift: float = Field(
        0.2, ge=0, le=1, description="How much of the self-narrative a new version may change, from 0 to 1."
    )
