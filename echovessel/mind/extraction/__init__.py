"""Extraction: what a talk leaves behind, as a model reads it and as we check it."""
