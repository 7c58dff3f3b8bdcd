"""The findings of each file under its name."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from compilescope.lint.formats import BOLD, Style
from compilescope.lint.formats.full import colour_of
from compilescope.lint.formats.summary import cost, marker, summary

if TYPE_CHECKING:
    from compilescope.lint.result import LintResult


def render(result: LintResult, style: Style) -> str:
    """A block a file, and the summary."""
    out = []
    ordered = sorted(result.findings, key=lambda finding: finding.path)
    for path, findings in groupby(ordered, key=lambda finding: finding.path):
        group = list(findings)
        places = [
            f"{f'cell {f.cell}:' if f.cell is not None else ''}{f.line}:{f.column}" for f in group
        ]
        width = max(map(len, places))
        out.append(f"{style.paint(path, BOLD)}:\n")
        for finding, where in zip(group, places, strict=True):
            met = cost(finding)
            code = style.paint(finding.code, BOLD, colour_of(finding))
            out.append(
                f"  {where:>{width}} {code} {marker(finding, style)}{finding.message}"
                f"{f' ({met})' if met else ''}\n"
            )
        out.append("\n")
    return "".join(out) + summary(result, style)
