"""The engine as the rest of `lint` calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lint.check import Analysis
from compilescope.lint.engine import Project, lint_project
from compilescope.lint.target import target_versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from compilescope.lint.settings import Settings


def analyse(sources: Mapping[str, str], settings: Settings) -> Analysis:
    """Everything that the installed rules find in `sources`, whatever is selected."""
    project = Project(sources)
    findings = lint_project(
        project,
        target_torch=target_versions(settings.target_torch),
        compiled=settings.compiled,
        pedantic=settings.pedantic,
    )
    errors = dict(project.errors)
    for path in sources:
        if project.module(path) is None and path not in errors:
            why = "contains null bytes, or nests too deeply"
            errors[path] = SyntaxError(f"source {why}", (path, 1, 1, "", 1, 1))
    return Analysis(findings, errors, project.read)
