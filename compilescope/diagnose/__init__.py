"""Session to diagnosis. Pure: no input, no output, no torch."""
