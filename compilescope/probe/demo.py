"""The program that `compilescope demo` probes."""

from __future__ import annotations

from pathlib import Path

PROGRAM = Path(__file__).with_name("demo_program.py")
