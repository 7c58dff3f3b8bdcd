"""`--add-noqa` and `--add-ignore`: a suppression for every finding that there is now."""

from __future__ import annotations

import io
import tokenize
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from compilescope.lint.own_codes import UNSILENCEABLE, UNUSED
from compilescope.lint.spans import Edit, split_lines
from compilescope.lint.suppress import LAYOUT, suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compilescope.lint.source import Source
    from compilescope.model import Finding

Form = Literal["noqa", "ignore"]


def annotated(source: Source, findings: Iterable[Finding], form: Form) -> tuple[Source, int]:
    """`source` with a comment at each line that has findings, and how many comments changed.

    A comment that names other codes already gets the new ones too.
    """
    codes: defaultdict[int, set[str]] = defaultdict(set)
    text = source.text
    lines = split_lines(text)
    ends = _comment_lines(text)
    for finding in findings:
        if finding.code not in UNSILENCEABLE and finding.code != UNUSED:
            codes[ends.get(finding.line, finding.line)].add(finding.code)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    edits = []
    for number, wanted in sorted(codes.items()):
        body = lines[number - 1].rstrip("\r\n")
        edits.append(_edit(body, starts[number - 1], wanted, form, _present(text, number, form)))
    return source.edited(edits), len(edits)


def _edit(
    body: str, start: int, wanted: set[str], form: Form, present: tuple[int, int, tuple[str, ...]]
) -> Edit:
    first, last, codes = present
    joined = ", ".join([*codes, *sorted(wanted - set(codes))])
    comment = f"# noqa: {joined}" if form == "noqa" else f"# compilescope: ignore[{joined}]"
    if last:
        return Edit(start + first, start + last, comment)
    return Edit(start + len(body.rstrip()), start + len(body), f"  {comment}")


def _present(text: str, number: int, form: Form) -> tuple[int, int, tuple[str, ...]]:
    """Span and codes of a suppression of this form that the line has; (0, 0, ()) for none."""
    for found in suppressions(text):
        ours = found.own is (form == "ignore") and found.lines is not None
        if ours and found.line == number and found.codes is not None:
            return found.start, found.end, found.codes
    return 0, 0, ()


def _comment_lines(text: str) -> dict[int, int]:
    """For lines that end inside a string or in a backslash, the last line of their statement.

    A comment there speaks for the whole statement.
    """
    lines = enumerate(split_lines(text), start=1)
    backslashed = {number for number, line in lines if line.rstrip("\r\n").endswith("\\")}
    ends: dict[int, int] = {}
    first, broken = 0, set[int]()
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                ends |= dict.fromkeys(broken, token.start[0])
                first, broken = 0, set[int]()
            elif token.type not in LAYOUT:
                first = first or token.start[0]
                broken |= set(range(token.start[0], token.end[0]))
                broken |= {n for n in range(first, token.start[0]) if n in backslashed}
    return ends
