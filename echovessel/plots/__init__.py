"""Figures: one a file. They take polars frames and give plotly figures; plotly is imported when one is drawn."""
