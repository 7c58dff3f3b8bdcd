"""One line a finding: `path:line:column: CODE message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lint.formats import BOLD, Style
from compilescope.lint.formats.full import colour_of
from compilescope.lint.formats.summary import cost, marker, place, summary

if TYPE_CHECKING:
    from compilescope.lint.result import LintResult


def render(result: LintResult, style: Style) -> str:
    """One line a finding, and the summary."""
    lines = []
    for finding in result.findings:
        met = cost(finding)
        code = style.paint(finding.code, BOLD, colour_of(finding))
        lines.append(
            f"{place(finding)}: {code} {marker(finding, style)}{finding.message}"
            f"{f' ({met})' if met else ''}\n"
        )
    return "".join(lines) + summary(result, style)
