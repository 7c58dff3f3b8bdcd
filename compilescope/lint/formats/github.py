"""Annotations of GitHub Actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compilescope.lint.formats.summary import cost, place

if TYPE_CHECKING:
    from compilescope.lint.formats import Style
    from compilescope.lint.result import LintResult
    from compilescope.model import Finding

LEVELS = {"raises": "error", "eager": "error", "limit": "error", "note": "notice"}


def render(result: LintResult, style: Style) -> str:
    """One workflow command a finding."""
    del style
    return "".join(_command(finding) for finding in result.findings)


def level(finding: Finding) -> str:
    """How GitHub should show it."""
    if finding.code.startswith("CS99"):
        return "error" if finding.code > "CS990" else "notice"
    return LEVELS.get(finding.severity, "warning")


def _command(finding: Finding) -> str:
    properties = {
        "title": f"compilescope ({finding.code})",
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
    }
    if finding.cell is not None:  # the lines of a cell are not lines of the file
        properties = {"title": properties["title"], "file": finding.path}
    elif finding.line == finding.end_line:  # GitHub refuses columns over several lines
        properties |= {"col": str(finding.column), "endColumn": str(finding.end_column)}
    met = cost(finding)
    text = f"{place(finding)}: {finding.code} {finding.message}{f' ({met})' if met else ''}"
    for word, said in (("why", finding.reason), ("help", finding.help)):
        text += f"\n  {word}: {said}" if said else ""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level(finding)} {listed}::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
