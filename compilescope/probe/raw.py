"""What a raw folder holds besides the agents' files."""

from __future__ import annotations

LAUNCH = "launch.json"  # what was started, when and where
END = "end.json"  # the wait status, and when it came
TRACE = "trace"  # torch's own structured trace
