"""Benchmark entry points and committed results; run from a checkout, as ``python -m evals.NAME``."""
