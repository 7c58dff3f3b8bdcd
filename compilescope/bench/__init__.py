"""Eager against compiled: measured in turns in the user's interpreter, judged in ours."""
