"""Source to findings: what breaks or recompiles, found before anything runs."""
