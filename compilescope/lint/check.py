"""One pass over the sources: the engine's findings, less what is switched off or silenced."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from compilescope.lint.own_codes import OWN_CODES, SYNTAX, UNREADABLE, UNSILENCEABLE, UNUSED
from compilescope.lint.spans import Edit
from compilescope.lint.suppress import judge, removal, suppressions, unused_finding
from compilescope.model import Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from compilescope.lint.settings import Settings
    from compilescope.lint.source import Source


class Analysis(NamedTuple):
    """What the engine says; all paths are absolute."""

    findings: Iterable[Finding]
    errors: Mapping[str, SyntaxError] = {}
    read: Collection[str] = ()  # files outside of the sources that the findings depend on
    named: Collection[str] = ()  # of the names in `compiled`: those that the sources have


def merged(parts: Iterable[Analysis]) -> Analysis:
    """What the engine says about several groups of sources."""
    findings: list[Finding] = []
    errors: dict[str, SyntaxError] = {}
    read: set[str] = set()
    named: set[str] = set()
    for part in parts:
        findings += part.findings
        errors |= part.errors
        read |= set(part.read)
        named |= set(part.named)
    return Analysis(findings, errors, read, named)


class Engine(Protocol):
    """Finds everything in the sources, given by absolute path, whatever is selected."""

    def __call__(self, sources: Mapping[str, str], settings: Settings) -> Analysis:
        """Look at all of `sources`, and at what they import where it is in reach."""
        ...


@dataclass(frozen=True)
class Checked:
    """The findings of one pass, sorted; lines count from the top of a notebook's text."""

    findings: tuple[Finding, ...]
    removals: Mapping[Finding, Edit] = field(default_factory=dict)  # of idle suppressions
    named: frozenset[str] = frozenset()  # of the names in `compiled`: those that were found


def check(
    sources: Mapping[str, Source], settings: Settings, engine: Engine, active: Collection[str]
) -> Checked:
    """All findings that are to be reported.

    Args:
        sources: by the path that is shown.
        settings: what is selected.
        engine: finds.
        active: codes that the engine looks for under these settings; others are never called idle.
    """
    shown = {os.path.abspath(path): path for path in sources}
    texts = {absolute: sources[path].text for absolute, path in shown.items()}
    analysis = engine(texts, settings)
    by_path: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in analysis.findings:
        if finding.code in settings.codes and finding.path in shown:
            path = shown[finding.path]
            by_path[path].append(msgspec.structs.replace(finding, path=path))
    for absolute, error in analysis.errors.items():
        if absolute in shown:
            path = shown[absolute]
            by_path[path] = [syntax_finding(path, error, sources[path])]
    found: list[Finding] = []
    removals: dict[Finding, Edit] = {}
    enabled = settings.codes & frozenset(active)
    for path, source in sources.items():
        ignored = settings.ignored(source.path) if settings.per_file_ignores else frozenset()
        mine = [f for f in by_path[path] if f.code not in ignored or f.code in UNSILENCEABLE]
        kept, idle = _silence(path, source, mine, settings, enabled - ignored)
        found += kept
        removals |= idle
    found += removals
    found.sort(key=lambda f: (f.path, f.line, f.column, f.code))
    return Checked(tuple(found), removals, frozenset(analysis.named))


def _silence(
    path: str,
    source: Source,
    findings: list[Finding],
    settings: Settings,
    enabled: frozenset[str],
) -> tuple[list[Finding], dict[Finding, Edit]]:
    known = settings.known | OWN_CODES.keys()
    silencers = suppressions(source.text, {code.rstrip("0123456789") for code in known})
    if not silencers:
        return findings, {}
    kept, idle = judge(findings, silencers, enabled, known)
    if UNUSED not in settings.codes or any(f.code == SYNTAX for f in findings):
        return kept, {}
    return kept, {unused_finding(path, item, known): removal(source.text, item) for item in idle}


def syntax_finding(path: str, error: SyntaxError, source: Source) -> Finding:
    """What Python says about a file that it cannot parse."""
    lines = source.lines
    line = min(error.lineno or 1, max(len(lines), 1))
    width = len(lines[line - 1]) if lines else 0
    column = min(max(error.offset or 1, 1), width + 1)
    end_line = error.end_lineno or line
    end = error.end_offset if end_line == line and error.end_offset else 0
    return Finding(
        path=path,
        line=line,
        column=column,
        end_line=line,
        end_column=max(end or 0, column + 1),
        code=SYNTAX,
        name=OWN_CODES[SYNTAX].name,
        message=error.msg or "invalid syntax",
        severity="note",
    )


def unreadable_finding(path: str, why: str) -> Finding:
    """A file that could not be read at all."""
    return Finding(
        path=path,
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        code=UNREADABLE,
        name=OWN_CODES[UNREADABLE].name,
        message=f"the file {why}",
        severity="note",
    )


def located(finding: Finding, source: Source | None) -> Finding:
    """The finding as it is shown: in a notebook by cell and the line in it."""
    if source is None or source.notebook is None:
        return finding
    cell, line = source.notebook.place(finding.line)
    end_cell, end_line = source.notebook.place(finding.end_line)
    if end_cell != cell:
        end_line = line
    return msgspec.structs.replace(finding, cell=cell, line=line, end_line=end_line)
