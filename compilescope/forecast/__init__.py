"""The recompilations that have not happened yet: what the exploration found, explained."""

KINDS = ("sizes", "layouts", "values", "dtypes", "modes", "lengths")  # that may be assumed
