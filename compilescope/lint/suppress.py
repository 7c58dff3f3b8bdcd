"""Comments that silence findings: `# noqa: CS101` and `# compilescope: ignore[CS101] reason`.

Either works on the finding's line, or on the last line of a statement for the whole statement; the
second also on a line of its own, for the statement below. For a whole file:
`# compilescope: ignore-file`, `# compilescope: ignore-file[CS101]`, `# flake8: noqa`.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compilescope.lint.own_codes import UNSILENCEABLE, UNUSED
from compilescope.lint.spans import Edit, split_lines
from compilescope.model import Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_CODE = r"[A-Za-z]+[0-9]+"
_NOQA = re.compile(rf"#\s*noqa\b(?:\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE}\b)*))?", re.IGNORECASE)
_PRAGMA = re.compile(
    r"#\s*compilescope:\s*(?P<what>ignore-file|ignore|noqa)\b"
    r"(?:\s*\[(?P<codes>[^\]]*)\]|\s*:\s*(?P<plain>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+\b)*))?"
)
_FILE_NOQA = re.compile(r"#\s*flake8:\s*noqa\s*$", re.IGNORECASE)
_HINTS = ("noqa", "NOQA", "NoQA", "compilescope:")


@dataclass(frozen=True)
class Suppression:
    """One comment that silences something."""

    line: int
    start: int  # of its text in the comment's line, from 0
    end: int
    lines: frozenset[int] | None  # that it speaks for; None for the whole file
    codes: tuple[str, ...] | None  # None for all
    own: bool  # `# compilescope:`, which speaks to nobody else

    def covers(self, finding: Finding) -> bool:
        """Whether it silences `finding`."""
        here = self.lines is None or finding.line in self.lines
        return here and (self.codes is None or finding.code in self.codes)


@dataclass(frozen=True)
class Comment:
    """A comment and the lines of the statement that it belongs to."""

    text: str
    line: int
    column: int
    statement: tuple[int, int]  # first and last line
    alone: bool


def suppressions(text: str, letters: Collection[str] = ("",)) -> list[Suppression]:
    """The comments in `text` that silence something: codes that begin with one of `letters`."""
    if not any(hint in text for hint in _HINTS) or not _names_one(text, letters):
        return []
    found = []
    for comment in comments(text):
        found += _parse(comment)
    return found


def _names_one(text: str, letters: Collection[str]) -> bool:
    """Whether a comment may be for us: most name codes of other linters only."""
    for match in _MENTION.finditer(text):
        rest = match["rest"].lstrip().upper()
        if match["ours"] or not rest.startswith(":") or any(code in rest for code in letters):
            return True
    return False


_MENTION = re.compile(r"(?:(?P<ours>compilescope)|noqa)(?P<rest>[^\n]*)", re.IGNORECASE)


def judge(
    findings: Iterable[Finding],
    found: Sequence[Suppression],
    enabled: Collection[str],
    known: Collection[str],
) -> tuple[list[Finding], list[tuple[Suppression, tuple[str, ...]]]]:
    """The findings that stay, and for each suppression that silences nothing the idle codes.

    Args:
        findings: of one file.
        found: the suppressions in that file.
        enabled: codes whose rules were run, so that their silence means something.
        known: all codes that there are.
    """
    kept, used = [], defaultdict(set)
    for finding in findings:
        silencers = [s for s in found if s.covers(finding) and finding.code not in UNSILENCEABLE]
        for silencer in silencers:
            used[silencer].add(finding.code)
        if not silencers:
            kept.append(finding)
    idle: list[tuple[Suppression, tuple[str, ...]]] = []
    for suppression in found:
        if suppression.codes is None:
            if suppression.own and not used[suppression]:
                idle.append((suppression, ()))
            continue
        unused = tuple(
            code
            for code in suppression.codes
            if code not in used[suppression]
            and (code in enabled or (code not in known and _is_ours(code, suppression)))
        )
        if unused:
            idle.append((suppression, unused))
    return kept, idle


def unused_finding(
    path: str, idle: tuple[Suppression, tuple[str, ...]], known: Collection[str]
) -> Finding:
    """What `lint` says about a suppression that silences nothing."""
    suppression, codes = idle
    strangers = [code for code in codes if code not in known]
    named = ", ".join(f"`{code}`" for code in codes)
    if not codes:
        message = "this suppression silences nothing"
    elif len(strangers) == len(codes):
        message = f"this suppression names {named}, which no rule has"
    else:
        message = f"this suppression of {named} silences nothing"
    return Finding(
        path=path,
        line=suppression.line,
        column=suppression.start + 1,
        end_line=suppression.line,
        end_column=suppression.end + 1,
        code=UNUSED,
        name="unused-suppression",
        message=message,
        severity="note",
        help="remove it",
        fix="safe",
    )


def removal(text: str, idle: tuple[Suppression, tuple[str, ...]]) -> Edit:
    """The edit that takes the idle codes out of a suppression, or all of it."""
    suppression, unused = idle
    lines = split_lines(text)
    start = sum(map(len, lines[: suppression.line - 1]))
    line = lines[suppression.line - 1]
    body = line.rstrip("\r\n")
    kept = [code for code in suppression.codes or () if code not in unused]
    if kept:
        old = body[suppression.start : suppression.end]
        opener = re.match(r"#[^:\[]*(?::\s*ignore(?:-file)?\s*\[|:\s*noqa\s*:\s*|:\s*)", old)
        head = opener.group() if opener else "# noqa: "
        new = head + ", ".join(kept) + ("]" if head.endswith("[") else "")
        return Edit(start + suppression.start, start + suppression.end, new)
    before, after = body[: suppression.start].rstrip(), body[suppression.end :].strip()
    if suppression.own and not after.startswith("#"):
        after = ""  # the reason that it gave goes with it
    if not before and not after:
        return Edit(start, start + len(line), "")
    if after and not after.startswith("#"):
        after = f"# {after}"
    gap = "  " if before and after else ""
    return Edit(start + len(before), start + len(body), gap + after)


def comments(text: str) -> list[Comment]:
    """All comments of `text`, as far as it can be split into tokens."""
    found: list[Comment] = []
    waiting: list[tuple[tokenize.TokenInfo, bool]] = []
    first = 0

    def settle(last: int) -> None:
        for token, alone in waiting:
            span = (first or last, last)
            found.append(Comment(token.string, *token.start, span, alone))
        waiting.clear()

    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                alone = not token.line[: token.start[1]].strip()
                waiting.append((token, alone))
            elif token.type == tokenize.NEWLINE:
                settle(token.start[0])
                first = 0
            elif token.type not in LAYOUT and not first:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        pass  # what comes before the damage still counts
    settle(text.count("\n") + 1)
    return found


LAYOUT = frozenset(
    {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING}
)


def _parse(comment: Comment) -> list[Suppression]:
    found = []
    if _FILE_NOQA.search(comment.text):
        found.append(_suppression(comment, (0, len(comment.text)), None, None, own=False))
        return found
    for match in _PRAGMA.finditer(comment.text):
        listed = match["codes"] if match["codes"] is not None else match["plain"]
        codes = None if listed is None else _codes(listed.upper())
        whole = match["what"] != "ignore"
        lines = None if whole else _reach(comment, own=True)
        found.append(_suppression(comment, match.span(), lines, codes, own=True))
    for match in _NOQA.finditer(comment.text) if not found else ():
        codes = _codes(match["codes"].upper()) if match["codes"] else None
        lines = _reach(comment, own=False)
        found.append(_suppression(comment, match.span(), lines, codes, own=False))
    return found


def _suppression(
    comment: Comment,
    span: tuple[int, int],
    lines: frozenset[int] | None,
    codes: tuple[str, ...] | None,
    *,
    own: bool,
) -> Suppression:
    start, end = comment.column + span[0], comment.column + span[1]
    return Suppression(comment.line, start, end, lines, codes, own)


def _codes(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.findall(r"[^\s,]+", text)))


def _reach(comment: Comment, *, own: bool) -> frozenset[int]:
    """The lines that a comment speaks for."""
    first, last = comment.statement
    if comment.line == last or (own and comment.alone and comment.line < first):
        return frozenset(range(first, last + 1))
    return frozenset({comment.line})


def _is_ours(code: str, suppression: Suppression) -> bool:
    return suppression.own or re.match(r"CS\d", code) is not None
