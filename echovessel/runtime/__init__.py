"""What runs: the vessel, its settings, and the worker that makes vectors."""
