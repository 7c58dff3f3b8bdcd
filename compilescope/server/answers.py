"""Findings as the types of the protocol: diagnostics, code actions, hovers."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from lsprotocol import types

from compilescope.diagnose.verdict import duration
from compilescope.lint import registry
from compilescope.lint.annotate import annotated
from compilescope.lint.own_codes import OWN_CODES, UNUSED
from compilescope.lint.result import CONSEQUENCES
from compilescope.lint.spans import Edit, split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pygls.workspace import PositionCodec

    from compilescope.model import Finding
    from compilescope.server.project import Linted

SOURCE = "compilescope"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.compilescope"
_LEVELS = {
    "raises": types.DiagnosticSeverity.Error,
    "eager": types.DiagnosticSeverity.Warning,
    "limit": types.DiagnosticSeverity.Warning,
    "split": types.DiagnosticSeverity.Warning,
    "bounded": types.DiagnosticSeverity.Information,
    "note": types.DiagnosticSeverity.Hint,
}


class Answers:
    """Answers about one version of one file, in the units that the client counts columns in."""

    def __init__(self, linted: Linted, uri: str, version: int, codec: PositionCodec) -> None:
        self.version = version
        self._linted = linted
        self._uri = uri
        self._codec = codec
        self._lines = split_lines(linted.source.text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def diagnostics(self) -> list[types.Diagnostic]:
        """Every finding."""
        return [self._diagnostic(finding) for finding in self._linted.findings]

    def actions(self, where: types.Range) -> list[types.CodeAction]:
        """What can be done about the findings that `where` touches."""
        found = []
        for finding in self._linted.findings:
            diagnostic = self._diagnostic(finding)
            if _touch(diagnostic.range, where):
                edits = self._linted.edits.get(finding, ())
                found += [self._fix(finding, diagnostic, edits)] if edits else []
                found.append(self._silence(finding, diagnostic))
        return found

    def fix_all(self, after: str) -> types.CodeAction:
        """The action that makes the text `after`."""
        return types.CodeAction(
            title="compilescope: fix all",
            kind=FIX_ALL,
            edit=self._change([_difference(self._linted.source.text, after)]),
        )

    def hover(self, where: types.Position) -> types.Hover | None:
        """The page of the rule that found something at `where`."""
        point = types.Range(where, where)
        for finding in self._linted.findings:
            place = self._range(finding)
            if _touch(place, point):
                text = "\n\n---\n\n".join(_page(finding, self._linted.session))
                content = types.MarkupContent(types.MarkupKind.Markdown, text)
                return types.Hover(content, place)
        return None

    def _diagnostic(self, finding: Finding) -> types.Diagnostic:
        parts = [finding.message, _met(finding, self._linted.session)]
        if finding.help:
            parts.append(f"fix: {finding.help}")
        url = finding.url
        return types.Diagnostic(
            range=self._range(finding),
            message="\n".join(part for part in parts if part),
            severity=_LEVELS.get(finding.severity, types.DiagnosticSeverity.Warning),
            code=finding.code,
            code_description=types.CodeDescription(url) if url else None,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if finding.code == UNUSED else None,
        )

    def _fix(
        self, finding: Finding, diagnostic: types.Diagnostic, edits: Sequence[Edit]
    ) -> types.CodeAction:
        unsafe = " (may change what the program does)" if finding.fix == "unsafe" else ""
        return types.CodeAction(
            title=f"{finding.code}: {finding.help or 'fix'}{unsafe}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=finding.fix == "safe",
            edit=self._change(edits),
        )

    def _silence(self, finding: Finding, diagnostic: types.Diagnostic) -> types.CodeAction:
        after, _ = annotated(self._linted.source, [finding], "ignore")
        return types.CodeAction(
            title=f"{finding.code}: ignore here",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            edit=self._change([_difference(self._linted.source.text, after.text)]),
        )

    def _change(self, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        identifier = types.OptionalVersionedTextDocumentIdentifier(self._uri, self.version)
        changes: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
            types.TextEdit(self._span(edit.start, edit.end), edit.text) for edit in edits
        ]
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, changes)])

    def _range(self, finding: Finding) -> types.Range:
        return self._in_units(
            types.Position(finding.line - 1, finding.column - 1),
            types.Position(finding.end_line - 1, finding.end_column - 1),
        )

    def _span(self, start: int, end: int) -> types.Range:
        return self._in_units(self._position(start), self._position(end))

    def _position(self, offset: int) -> types.Position:
        line = max(0, bisect_right(self._starts, offset) - 1)
        return types.Position(line, offset - self._starts[line])

    def _in_units(self, start: types.Position, end: types.Position) -> types.Range:
        return self._codec.range_to_client_units(self._lines, types.Range(start, end))


def _difference(before: str, after: str) -> Edit:
    """The one edit that makes `after` of `before`."""
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    tail = next((i for i in range(most - head) if before[-1 - i] != after[-1 - i]), most - head)
    return Edit(head, len(before) - tail, after[head : len(after) - tail])


def _page(finding: Finding, session: str) -> list[str]:
    head = [f"**{finding.code} {finding.name}**: {finding.message}"]
    head += [CONSEQUENCES.get(finding.severity, ""), _met(finding, session), finding.reason]
    head += [f"Instead: {finding.help}" if finding.help else ""]
    rule = registry.rules().get(finding.code)
    own = OWN_CODES.get(finding.code)
    page = registry.readme(rule) if rule else own.text if own else ""
    return ["\n\n".join(part for part in head if part), *([page] if page else [])]


def _met(finding: Finding, session: str) -> str:
    if not finding.times:
        return ""
    cost = f", {duration(finding.seconds)}" if finding.seconds else ""
    times = f"{finding.times} time{'' if finding.times == 1 else 's'}"
    return f"met {times}{cost} in {session}"


def _touch(one: types.Range, other: types.Range) -> bool:
    first, last = _key(one.start), _key(one.end)
    return first <= _key(other.end) and _key(other.start) <= last


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
