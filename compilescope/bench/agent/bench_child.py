"""Starts the measuring part of `compilescope bench` in the user's interpreter.

    python bench_child.py SPEC.json

It needs torch and the standard library, not compilescope. All that it finds goes to the file that
the specification names, a JSON object a line; standard output and error are the program's.
"""

from __future__ import annotations

import os
import sys


def _start() -> int:
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]
    sys.path.insert(0, folder)
    try:
        from _compilescope_bench.main import main  # type: ignore[import-not-found]
    finally:
        sys.path.remove(folder)
    return int(main(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(_start())
