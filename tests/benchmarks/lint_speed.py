"""Speed of `lint` on a tree, as ratios to parsing alone, measured in one run.

usage: python tests/benchmarks/lint_speed.py FOLDER [--torchfix PROGRAM]
       (timm's models folder: 100,000 lines)

Processor time on one core. In this process and without a cache: ast.parse, libcst.parse_module and
the engine. As a user runs it, each a process of its own: the first run, the second with the cache
that the first left, and one file. TorchFix gets every fifth file, and so does `lint` beside it.
"""

from __future__ import annotations

import argparse
import ast
import os
import resource
import shutil
import subprocess
import sys
import tempfile
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


def child(command: list[str], folder: Path) -> float:
    """Seconds of processor time of a process and its children, on one core."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = {next(iter(os.sched_getaffinity(0)))} if hasattr(os, "sched_getaffinity") else None
    subprocess.run(
        command,
        cwd=folder,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=(lambda: os.sched_setaffinity(0, one)) if one else None,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_process(sources: dict[str, str]) -> float:
    """The engine against the parsers; gives what `libcst.parse_module` took."""
    load_rules()
    lines = sum(text.count("\n") for text in sources.values())
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
    return concrete


def as_a_user(folder: Path, concrete: float, torchfix: str) -> None:
    """The command, in a copy of the folder."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / folder.name
        shutil.copytree(folder, tree)
        (Path(place) / "pyproject.toml").touch()
        lint = [sys.executable, "-m", "compilescope", "lint"]
        nothing = child([*lint, "--help"], Path(place))
        first = child([*lint, str(tree)], Path(place))
        second = min(child([*lint, str(tree)], Path(place)) for _ in range(3))
        single = min(sorted(tree.rglob("*.py")), key=lambda p: abs(p.stat().st_size - 30_000))
        one = child([*lint, "--no-cache", str(single)], Path(place))
        print(f"command / libcst.parse_module = {first / concrete:.3f}")
        print(f"second run / first = {second / first:.3f}   (aim: under 0.1)")
        print(f"one file, its process included: {one:.2f} s; `lint --help` alone {nothing:.2f} s")
        if torchfix:
            files = [str(path) for path in sorted(tree.rglob("*.py"))[::5]]
            theirs = child([torchfix, *files], Path(place))
            ours = child([*lint, "--no-cache", *files], Path(place))
            print(f"TorchFix / lint on {len(files)} files = {theirs / ours:.1f}   (aim: 50)")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--torchfix", default="", help="the program, from an environment of its own"
    )
    options = parser.parse_args()
    paths = sorted(options.folder.rglob("*.py"))
    concrete = in_process({str(p): p.read_text(encoding="utf-8") for p in paths})
    as_a_user(options.folder, concrete, options.torchfix)


if __name__ == "__main__":
    main()
