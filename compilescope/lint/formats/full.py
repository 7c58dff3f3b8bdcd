"""The format for reading: a code frame, the reason and the fix of each finding."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from compilescope.lint.formats import BLUE, BOLD, CYAN, DIM, GREEN, RED, YELLOW, Style
from compilescope.lint.formats.frame import Span, code_frame
from compilescope.lint.formats.summary import cost, marker, place, summary
from compilescope.lint.result import CONSEQUENCES, LintResult

if TYPE_CHECKING:
    from compilescope.model import Finding

_INDENT = len("help: ")
COLOURS = {"raises": RED, "eager": RED, "limit": RED, "split": YELLOW, "bounded": YELLOW}


def render(result: LintResult, style: Style) -> str:
    """All findings, a blank line between them, and the summary."""
    blocks = [_block(finding, result, style) for finding in result.findings]
    return "".join(f"{block}\n\n" for block in blocks) + summary(result, style)


def colour_of(finding: Finding) -> int:
    """The colour that a finding's consequence has."""
    return RED if finding.code.startswith("CS99") else COLOURS.get(finding.severity, CYAN)


def _block(finding: Finding, result: LintResult, style: Style) -> str:
    colour = colour_of(finding)
    gutter, frame = _frame(finding, result, colour, style)
    code = style.link(style.paint(finding.code, BOLD, colour), finding.url)
    arrow = " " * gutter + style.paint("-->", BOLD, BLUE)
    where = style.paint(f" in {finding.function}", DIM) if finding.function else ""
    return "\n".join(
        [
            f"{code} {marker(finding, style)}{style.paint(finding.message, BOLD)}",
            f"{arrow} {place(finding)}{where}",
            *frame,
            *_said("why", CYAN, finding.reason, style),
            *_said("help", GREEN, finding.help, style),
        ]
    )


def _frame(
    finding: Finding, result: LintResult, colour: int, style: Style
) -> tuple[int, list[str]]:
    source = result.sources.get(finding.path)
    lines = source.lines_of(finding.cell) if source else []
    if finding.line > len(lines) or not finding.line:
        return 1, []
    span = Span(finding.line, finding.column, finding.end_line, finding.end_column)
    return code_frame(lines, span, _label(finding), colour, style)


def _label(finding: Finding) -> str:
    what = CONSEQUENCES.get(finding.severity, "")
    sure = {"likely": "likely", "possible": "perhaps"}.get(finding.certainty, "")
    text = f"{sure} {what}" if sure and what else what
    met = cost(finding)
    return f"{text}; {met}" if text and met else text or met


def _said(word: str, colour: int, text: str, style: Style) -> list[str]:
    if not text:
        return []
    width = max(style.width - _INDENT, 30)
    head, *rest = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    gap = " " * (_INDENT - len(word) - 1)
    first = f"{style.paint(word, BOLD, colour)}:{gap}{head}"
    return [first, *(" " * _INDENT + line for line in rest)]
