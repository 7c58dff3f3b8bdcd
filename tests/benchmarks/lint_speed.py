"""Speed of `lint` on a tree, as ratios to parsing alone, measured in one run.

usage: python tests/benchmarks/lint_speed.py FOLDER    (timm's models folder: 100,000 lines)

CPU time of this process, one core, no cache: ast.parse = 1.
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Callable
from pathlib import Path

import libcst

from compilescope.lint.engine import Project, lint_project, load_rules


def cpu(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print the ratios."""
    folder = Path(sys.argv[1])
    sources = {str(p): p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*.py"))}
    lines = sum(text.count("\n") for text in sources.values())
    load_rules()
    parse = cpu(lambda: [ast.parse(text) for text in sources.values()])
    lint = cpu(lambda: lint_project(Project(sources)))
    half = dict(list(sources.items())[: len(sources) // 2])
    part = cpu(lambda: lint_project(Project(half)))
    share = sum(text.count("\n") for text in half.values()) / lines
    concrete = cpu(lambda: [libcst.parse_module(text) for text in sources.values()])
    print(f"{len(sources)} files, {lines} lines; ast.parse = 1")
    print(f"lint cold {lint / parse:.2f}   libcst.parse_module {concrete / parse:.2f}")
    print(f"lint / libcst.parse_module = {lint / concrete:.3f}   (aim: under 0.2)")
    print(f"{share:.0%} of the lines take {part / lint:.0%} of the time")


if __name__ == "__main__":
    main()
