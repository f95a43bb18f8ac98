"""Two labelled conversations that ship with the package, and the form they share with `datasets/`."""
