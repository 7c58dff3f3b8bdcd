"""The engine as the rest of `lint` calls it, in several processes where that pays."""

from __future__ import annotations

import ast
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from compilescope.lint.check import Analysis
from compilescope.lint.engine import Project, lint_project
from compilescope.lint.target import target_versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.context import BaseContext

    from compilescope.lint.settings import Settings

# Of files without any of these, and with no sibling that has one, nothing can be compiled.
_RELEVANT = re.compile(r"torch|def forward\b")
PAYS = 600_000  # characters to analyse besides the largest group: about half a second


def analyse(sources: Mapping[str, str], settings: Settings) -> Analysis:
    """Everything that the installed rules find in `sources`, whatever is selected."""
    if not settings.compiled and not any(map(_RELEVANT.search, sources.values())):
        return Analysis([], _syntax_errors(sources))
    project = Project(sources)
    findings = lint_project(
        project,
        target_torch=target_versions(settings.target_torch),
        compiled=settings.compiled,
        pedantic=settings.pedantic,
    )
    unparsed = {path: text for path, text in sources.items() if project.module(path) is None}
    errors = {path: error for path, error in project.errors.items() if path in sources}
    errors |= _syntax_errors(unparsed)
    return Analysis(findings, errors, frozenset(project.read), frozenset(project.named))


def _syntax_errors(sources: Mapping[str, str]) -> dict[str, SyntaxError]:
    errors = {}
    for path, text in sources.items():
        error = _syntax_error(path, text)
        if error is not None:
            errors[path] = error
    return errors


def _syntax_error(path: str, text: str) -> SyntaxError | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        why = "contains null bytes" if isinstance(error, ValueError) else "nests too deeply"
        return SyntaxError(f"the source {why}", (path, 1, 1, "", 1, 1))
    return None


def analyse_groups(groups: Sequence[Mapping[str, str]], settings: Settings) -> list[Analysis]:
    """The same for groups of sources that cannot know of each other, in their order."""
    sizes = [sum(map(len, group.values())) for group in groups]
    workers = min(_cores(), len(groups))
    if workers < 2 or sum(sizes) - max(sizes) < PAYS:
        return [analyse(group, settings) for group in groups]
    order = sorted(range(len(groups)), key=lambda index: -sizes[index])
    found: list[Analysis | None] = [None] * len(groups)
    chunk = max(len(groups) // (workers * 8), 1)
    with ProcessPoolExecutor(workers, mp_context=_context()) as pool:
        work = partial(analyse, settings=settings)
        done = pool.map(work, [dict(groups[index]) for index in order], chunksize=chunk)
        for index, analysis in zip(order, done, strict=True):
            found[index] = analysis
    return [analysis for analysis in found if analysis is not None]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _context() -> BaseContext:
    """A fork has the rules loaded already; elsewhere a fork is not safe."""
    return get_context("fork" if sys.platform == "linux" else "spawn")
