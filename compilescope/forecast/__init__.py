"""The recompilations that have not happened yet: what the exploration found, explained."""
