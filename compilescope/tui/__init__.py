"""The terminal program: browse sessions, understand what they lost, act on it."""
