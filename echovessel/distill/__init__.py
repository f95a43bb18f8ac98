"""Archives in, a persona out."""
