"""JSON with ruff's field names, and what only compilescope knows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from compilescope.lint.own_codes import UNSILENCEABLE
from compilescope.lint.spans import split_lines

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult
    from compilescope.lint.source import Source
    from compilescope.lint.spans import Edit
    from compilescope.model import Finding


def render(result: LintResult, style: Style) -> str:
    """A list of findings."""
    del style
    data = msgspec.json.encode([record(finding, result) for finding in result.findings])
    return msgspec.json.format(data, indent=2).decode() + "\n"


def record(finding: Finding, result: LintResult) -> dict[str, Any]:
    """One finding."""
    return {
        "cell": finding.cell,
        "certainty": finding.certainty,
        "code": finding.code,
        "end_location": {"column": finding.end_column, "row": finding.end_line},
        "filename": os.path.abspath(finding.path),
        "fix": _fix(finding, result),
        "function": finding.function,
        "gb_ids": list(finding.gb_ids),
        "help": finding.help,
        "location": {"column": finding.column, "row": finding.line},
        "message": finding.message,
        "name": finding.name,
        "noqa_row": None if finding.code in UNSILENCEABLE else finding.line,
        "reason": finding.reason,
        "seconds": finding.seconds,
        "severity": finding.severity,
        "times": finding.times,
        "url": finding.url or None,
    }


def replacements(finding: Finding, result: LintResult) -> list[dict[str, Any]]:
    """The edits that correct a finding, as rows and columns."""
    source = result.sources.get(finding.path)
    edits = result.edits(finding) if source else ()
    return [_replacement(edit, source) for edit in edits if source]


def _fix(finding: Finding, result: LintResult) -> dict[str, Any] | None:
    edits = replacements(finding, result) if finding.fix else []
    if not edits:
        return None
    return {"applicability": finding.fix, "edits": edits, "message": finding.help or None}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    return {
        "content": edit.text,
        "end_location": _location(edit.end, source),
        "location": _location(edit.start, source),
    }


def _location(offset: int, source: Source) -> dict[str, int]:
    head = source.text[:offset]
    lines = split_lines(head)
    ended = not lines or lines[-1].endswith(("\n", "\r"))
    row = len(lines) + 1 if ended else len(lines)
    column = 1 if ended else len(lines[-1]) + 1
    if source.notebook is not None:
        row = source.notebook.place(row)[1]
    return {"column": column, "row": row}
