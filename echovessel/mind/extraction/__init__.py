"""Extraction: what a talk leaves behind, as a model reads it and as we check it."""

from echovessel.mind.extraction.extract import extract
from echovessel.mind.extraction.records import (
    Became,
    Draft,
    Extraction,
    Named,
    Refusal,
    Settled,
    Written,
)
from echovessel.mind.extraction.schema import Findings
from echovessel.mind.extraction.write import write

__all__ = [
    "Became",
    "Draft",
    "Extraction",
    "Findings",
    "Named",
    "Refusal",
    "Settled",
    "Written",
    "extract",
    "write",
]
