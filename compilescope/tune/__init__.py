"""Remedies tried on the user's own program, each run in a fresh process and measured."""
